"""Word problems: a number, then one to five moves that change it.

    Ada has 12 stickers. Ada buys 5 more stickers. How many stickers does Ada have in the end?

The stories stand in `wordproblems.toml`; the gold is computed. The worked solution:

    Start with 12.

    Add 5: 12 + 5 = 17.

    The answer is 17.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, Literal

from cot_entropy.data.generate import Draft, Size, Split, Stratum, draw
from cot_entropy.data.questions import Problem

MAX_STEPS: Final = 5
Operation = Literal["+", "-", "*", "/"]
OPERATIONS: Final[dict[str, Operation]] = {"+": "+", "-": "-", "*": "*", "/": "/"}
VERBS: Final[dict[Operation, str]] = {
    "+": "Add",
    "-": "Subtract",
    "*": "Multiply by",
    "/": "Divide by",
}


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers of a size: where a story starts, what its moves use, how far it may go."""

    start: tuple[int, int]
    addend: tuple[int, int]
    factor: tuple[int, int]
    highest: int


RANGES: Final[dict[Size, Range]] = {
    "small": Range(start=(2, 20), addend=(2, 9), factor=(2, 5), highest=60),
    "large": Range(start=(12, 99), addend=(11, 89), factor=(2, 9), highest=999),
}


@dataclass(frozen=True, slots=True)
class Move:
    """One sentence of a story and the operation it stands for."""

    operation: Operation
    text: str


@dataclass(frozen=True, slots=True)
class Template:
    """One story: how it opens, what may happen in it, what is asked."""

    name: str
    opening: str
    first: Move | None
    moves: tuple[Move, ...]
    distractor: str
    question: str


@cache
def templates() -> tuple[Template, ...]:
    """All stories, in file order."""
    return tuple(
        Template(
            name=entry["name"],
            opening=entry["opening"],
            first=_move(entry["first"]) if "first" in entry else None,
            moves=tuple(_move(line) for line in entry["moves"]),
            distractor=entry["distractor"],
            question=entry["question"],
        )
        for entry in _file()["template"]
    )


def problems(*, seed: int, split: Split, kinds: tuple[Stratum, ...]) -> Iterator[Problem]:
    """Distinct word problems of a split, without end, the strata in turn."""
    return draw(make, name="wordproblems", seed=seed, split=split, kinds=kinds)


def make(rng: random.Random, stratum: Stratum) -> Draft:
    """One word problem of a stratum."""
    while True:
        template = rng.choice(templates())
        moves = _choose_moves(rng, template, stratum.steps)
        numbers = _choose_numbers(rng, moves, RANGES[stratum.size])
        if numbers is not None:
            return _tell(rng, template, moves, numbers, stratum)


def apply(operation: Operation, value: int, number: int) -> int:
    """The value after one move; a division is exact where a story uses it."""
    results = {
        "+": value + number,
        "-": value - number,
        "*": value * number,
        "/": value // number,
    }
    return results[operation]


@cache
def _file() -> dict[str, list[dict[str, str]]]:
    return tomllib.loads(files(__package__).joinpath("wordproblems.toml").read_text("utf-8"))


def _move(line: str) -> Move:
    return Move(OPERATIONS[line[0]], line[2:])


def _choose_moves(rng: random.Random, template: Template, steps: int) -> tuple[Move, ...]:
    fixed = () if template.first is None else (template.first,)
    return (*fixed, *rng.sample(template.moves, steps - len(fixed)))


def _choose_numbers(
    rng: random.Random, moves: tuple[Move, ...], limits: Range
) -> tuple[int, ...] | None:
    """The starting number and one for each move, or None where a move came out of range."""
    value = rng.randint(*limits.start)
    numbers = [value]
    for move in moves:
        number = rng.randint(*(limits.factor if move.operation in "*/" else limits.addend))
        if move.operation == "/" and value % number:
            return None
        value = apply(move.operation, value, number)
        if not 0 < value <= limits.highest:
            return None
        numbers.append(number)
    return tuple(numbers)


def _tell(
    rng: random.Random,
    template: Template,
    moves: tuple[Move, ...],
    numbers: tuple[int, ...],
    stratum: Stratum,
) -> Draft:
    name = rng.choice(_file()["names"])
    value, *rest = numbers
    sentences = [template.opening.format(name=name, x=value)]
    units = [f"Start with {value}."]
    for move, number in zip(moves, rest, strict=True):
        sentences.append(move.text.format(name=name, k=number))
        result = apply(move.operation, value, number)
        verb = VERBS[move.operation]
        units.append(f"{verb} {number}: {value} {move.operation} {number} = {result}.")
        value = result
    if stratum.distractor == "yes":
        sentence = template.distractor.format(d=rng.randint(*RANGES[stratum.size].start))
        sentences.insert(rng.randint(1, len(sentences)), sentence)
    sentences.append(template.question.format(name=name))
    return Draft(
        template=template.name,
        text=" ".join(sentences),
        gold=str(value),
        units=(*units, f"The answer is {value}."),
    )
