"""The equivalence classes of the answers of one prefix."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from cot_entropy.answers.kinds import AnswerKind, Equivalence
from cot_entropy.protocol.names import EQUIVALENCES


@dataclass(frozen=True)
class Clusters:
    """The classes of m answers.

    `labels`: one per answer; -1 for none, else 0, 1, 2.. in first-seen order.
    `representatives`: one per class, its shortest answer, of equally short ones the first in
    code point order; whatever the order of the answers.
    `pairs_as_strings`: pairs of distinct answers that were compared as normalised strings,
    because they are over the registered limits or cannot be read.
    """

    labels: tuple[int, ...]
    representatives: tuple[str, ...]
    pairs_as_strings: int = 0


def cluster(
    answers: Sequence[str | None], *, equivalence: Equivalence, kind: AnswerKind
) -> Clusters:
    """The classes of `answers`, None meaning no answer; independent of their order."""
    distinct = sorted({answer for answer in answers if answer is not None})
    class_of: dict[str, str]
    class_of, as_strings = EQUIVALENCES.load(equivalence).classes(distinct, kind=kind)
    numbers: dict[str, int] = {}
    labels = tuple(
        -1 if answer is None else numbers.setdefault(class_of[answer], len(numbers))
        for answer in answers
    )
    members: dict[int, list[str]] = defaultdict(list)
    for answer in distinct:
        members[numbers[class_of[answer]]].append(answer)
    representatives = tuple(
        min(members[label], key=lambda text: (len(text), text)) for label in range(len(numbers))
    )
    return Clusters(labels, representatives, as_strings)
