"""Draw generated questions so that training and evaluation never share one.

The hash of a question's text, not the seed, decides its split: whatever the seeds and however
many are drawn, a text belongs to one split only. Difficulty is a property of the draw: the
strata are visited in turn, so that every n holds them in equal shares.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice, product
from typing import Final, Literal

from cot_entropy.base.errors import DataError
from cot_entropy.data.questions import Problem, Question

Split = Literal["train", "evaluation"]
Size = Literal["small", "large"]
Distractor = Literal["no", "yes"]

MAX_REJECTED: Final = 10_000


@dataclass(frozen=True, slots=True)
class Stratum:
    """One kind of question: reasoning steps, size of the numbers, a number that plays no part."""

    steps: int
    size: Size
    distractor: Distractor

    def __str__(self) -> str:
        return f"steps={self.steps};size={self.size};distractor={self.distractor}"


@dataclass(frozen=True, slots=True)
class Draft:
    """A question as its generator made it, before a split took it."""

    template: str
    text: str
    gold: str
    units: tuple[str, ...]


Make = Callable[[random.Random, Stratum], Draft]


def split_of(text: str) -> Split:
    """The split that a question's text belongs to, for every seed and size of the draw."""
    return "train" if hashlib.sha256(text.encode()).digest()[0] % 2 else "evaluation"


def strata(
    *, steps: tuple[int, ...], sizes: tuple[Size, ...], distractors: tuple[Distractor, ...]
) -> tuple[Stratum, ...]:
    """Every combination, steps changing fastest."""
    return tuple(
        Stratum(step, size, distractor)
        for distractor, size, step in product(distractors, sizes, steps)
    )


def draw(
    make: Make, *, name: str, seed: int, split: Split, kinds: tuple[Stratum, ...]
) -> Iterator[Problem]:
    """Yield distinct problems of a split without end; the first n are the same for every n.

    Raises DataError where a stratum holds no further question.
    """
    rng = random.Random(f"{name}/{split}/{seed}")  # noqa: S311 - reproducible, not secret
    seen: set[str] = set()
    for stratum in cycle(kinds):
        for _ in range(MAX_REJECTED):
            draft = make(rng, stratum)
            if draft.text not in seen and split_of(draft.text) == split:
                break
        else:
            raise DataError(
                f"{name}: no new question with {stratum} after {len(seen)}; ask for fewer"
            )
        seen.add(draft.text)
        digest = hashlib.sha256(draft.text.encode()).hexdigest()[:12]
        question = Question(
            id=f"{draft.template}-{digest}",
            text=draft.text,
            gold=draft.gold,
            stratum=str(stratum),
        )
        yield Problem(question=question, units=draft.units)


def take(problems: Iterator[Problem], n: int) -> tuple[Problem, ...]:
    """The first n problems of a draw."""
    return tuple(islice(problems, n))
