"""A scripted engine with one question per protocol choice, so that each effect is arithmetic.

Every question stands for one case (`GROUPS`): what its chain says and what a completion answers,
given the units it has seen, the sample's number, the temperature and the decoding run. A case's
answers change under the one choice that it is made for, and under no other unless the tables of
`test_planted_variants.py` say so. Tokens of `z` are single, so lengths in tokens are exact.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cot_entropy.base.seeds import Role, request_seed
from cot_entropy.engine.base import Output, Request
from cot_entropy.engine.scripted import ScriptedBackend

CELL: Final = "tiny/planted"
STUDY_SEED: Final = 1
CUE: Final = "\n\nFinal answer:"
NONE: Final = "no idea."
RUNS: Final = 3
PREFIXES: Final = 20
SAMPLES: Final = 20


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a planted answer may depend on."""

    given: str
    """The text of the units, without a cue."""
    forced: bool
    """The prompt ends with the cue."""
    sample: int
    temperature: float
    run: int


Say = Callable[[Asked], str]


@dataclass(frozen=True)
class Group:
    """One case: the chain's text, a completion's text, and the gold answer."""

    chain: Say
    completion: Say
    gold: str = "1"


def answer(number: int) -> str:
    """A sentence that every extraction rule reads alike."""
    return f"The answer is {number}."


def always(text: str) -> Say:
    return lambda _: text


def chain(number: int) -> Say:
    return always("one.\n\n" + answer(number))


def in_turn(*numbers: int) -> Say:
    """Sample j answers number j of the list, over and over."""
    return lambda asked: answer(numbers[asked.sample % len(numbers)])


def first(given: Say, later: Say) -> Say:
    """One way of answering at prefix 0, another at all others."""
    return lambda asked: later(asked) if asked.given else given(asked)


def after(unit: str, there: Say, elsewhere: Say) -> Say:
    """One way of answering where exactly `unit` was seen, another everywhere else."""
    return lambda asked: there(asked) if asked.given.strip() == unit else elsewhere(asked)


def once_seen(text: str) -> Say:
    """1 where the units hold `text`, 2 before."""
    return lambda asked: answer(1 if text in asked.given else 2)


def unless_forced(otherwise: Say, forced: Say) -> Say:
    return lambda asked: forced(asked) if asked.forced else otherwise(asked)


NO_ANSWER: Final = always("one.\n\ntwo.")
SPLIT: Final = in_turn(1, 1, 1, 2, 2)
SEEN: Final = once_seen("answer is 1")

GROUPS: Final[Mapping[str, Group]] = {
    "neutral": Group(chain(1), always(answer(1))),
    "rising": Group(chain(2), first(always(answer(2)), in_turn(2, 3, 3, 2, 3))),
    "long": Group(always("z" * 600 + "\n\n" + answer(1)), SEEN),
    "longer": Group(always("z" * 1100 + "\n\n" + answer(1)), SEEN),
    "cool": Group(lambda asked: chain(1 if asked.temperature < 0.5 else 2)(asked), SEEN),
    "lines": Group(always("one.\ntwo.\n\n" + answer(1)), after("one.", SPLIT, always(answer(1)))),
    "steps": Group(
        always("Step 1: one. Step 2: two.\n\n" + answer(1)),
        after("Step 1: one.", SPLIT, always(answer(1))),
    ),
    "twelve": Group(always("one.\n\n" * 11 + answer(1)), SEEN),
    "six": Group(always("one.\n\n" * 5 + answer(1)), SEEN),
    "wordy": Group(NO_ANSWER, unless_forced(always("z" * 100 + answer(1)), always(answer(1)))),
    "wordier": Group(NO_ANSWER, unless_forced(always("z" * 200 + answer(1)), always(answer(1)))),
    "three": Group(chain(2), in_turn(*[1] * 2, *[2] * 18)),
    "ten": Group(chain(2), in_turn(*[2] * 3, *[1] * 7, *[2] * 10)),
    "twenty": Group(chain(2), in_turn(*[2] * 3, *[1] * 2, *[2] * 5, *[1] * 10)),
    "small_rise": Group(chain(1), first(in_turn(1, 1, 1, 2, 3), in_turn(1, 1, 2, 2, 3))),
    "large_rise": Group(chain(1), first(in_turn(1, 1, 2, 2, 3), in_turn(1, 1, 2, 3, 4))),
    "inherit": Group(
        chain(1),
        lambda asked: "" if "answer" in asked.given and not asked.forced else answer(1),
    ),
    "silent": Group(
        NO_ANSWER,
        first(always(answer(1)), lambda asked: answer(1) if asked.sample % 5 in {1, 3} else NONE),
    ),
    "stubborn": Group(chain(1), always(answer(2))),
    "boxed": Group(always("one.\n\n\\boxed{1} of 2"), always("\\boxed{1} of 2")),
    "invented": Group(
        NO_ANSWER,
        unless_forced(always(answer(1) + "\n\nQuestion: what is 5 and 9"), always(answer(9))),
    ),
    "quarter": Group(NO_ANSWER, always("\\boxed{0.25}"), gold="\\frac{1}{4}"),
    "first_run": Group(lambda asked: chain(1 if asked.run == 0 else 2)(asked), SEEN),
    "two_runs": Group(lambda asked: chain(1 if asked.run < 2 else 2)(asked), SEEN),
}


def question_text(group: str) -> str:
    """The question of a case; its id is the case's name."""
    return f"Case {group}."


class PlantedBackend(ScriptedBackend):
    """Says what the case in the prompt plants for that run, prefix and sample."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._seeds = _seeds()

    def _sample(self, request: Request, index: int) -> Output:
        prompt = self._tokenizer.decode(request.prompt_token_ids, skip_special_tokens=False)
        question, given = prompt.split("<|im_start|>assistant\n")
        (name,) = re.findall(r"Case (\w+)\.", question)
        role, run, sample = self._seeds[request.seed + index]
        asked = Asked(
            given=given.removesuffix(CUE),
            forced=given.endswith(CUE),
            sample=sample,
            temperature=request.temperature,
            run=run,
        )
        group = GROUPS[name]
        text = (group.chain if role == "chain" else group.completion)(asked)
        ids = [*self._tokenizer.encode(text, add_special_tokens=False).ids, self._end]
        taken = ids[: request.max_tokens]
        return Output(
            token_ids=taken,
            logprobs=[-0.5] * len(taken),
            finish_reason="stop" if len(taken) == len(ids) else "length",
        )


def _seeds() -> dict[int, tuple[Role, int, int]]:
    """Role, decoding run and sample number behind every seed that a request can carry."""
    found: dict[int, tuple[Role, int, int]] = {}
    for name in GROUPS:
        for run in range(RUNS):
            for k in range(PREFIXES):
                base = _seed(name, run, "completion", k)
                found |= {base + sample: ("completion", run, sample) for sample in range(SAMPLES)}
            found[_seed(name, run, "chain", 0)] = ("chain", run, 0)
    return found


def _seed(name: str, run: int, role: Role, index: int) -> int:
    return request_seed(
        study_seed=STUDY_SEED, run=run, cell=CELL, question_id=name, role=role, index=index
    )
