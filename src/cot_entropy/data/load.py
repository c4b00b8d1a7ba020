"""Load the questions that a configuration names, checked against their hash."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from cot_entropy.answers.golds import SOLUTION_MARKER, lost_backslash, number_gold
from cot_entropy.base.errors import DataError
from cot_entropy.data.questions import Question
from cot_entropy.data.spec import SOURCES, DatasetBase, Records
from cot_entropy.protocol.names import AnswerKind

MAX_ID_LENGTH = 200
_FRACTION: Final = re.compile(r"[0-9]\s*/\s*[0-9]|\\[dtc]?frac|[\u00bc-\u00be\u2150-\u215e]")


@dataclass(frozen=True, slots=True)
class Dataset:
    """The questions to ask, in order, and the hash that was checked.

    Golds of kind `number` are read as numbers (`145.0` as `145`). `sha256` is over the golds as
    they came: it is that of the file's bytes for a local dataset, of all its questions
    (`questions_sha256`) for a hub dataset, and of the questions drawn for an embedded one.
    """

    questions: tuple[Question, ...]
    sha256: str


def load(spec: DatasetBase, *, root: Path) -> Dataset:
    """Load the dataset; a local path is relative to `root`.

    Raises DataError for a broken line, a missing gold, a duplicate id, an empty question, a
    wrong hash, and a hub that is gated or cannot be reached.
    """
    dataset: Dataset = SOURCES.load(spec.source).load(spec, root=root)
    return dataset


@dataclass(frozen=True, slots=True)
class Names:
    """The fields of a record that make a question."""

    question: str
    answer: str
    kind: AnswerKind
    id: str | None = None
    stratum: str | None = None
    gold_marker: str | None = None

    @classmethod
    def of(cls, spec: Records) -> Names:
        """The fields that a configuration names."""
        return cls(
            question=spec.question_field,
            answer=spec.answer_field,
            kind=spec.answer,
            id=spec.id_field,
            stratum=spec.stratum_field,
            gold_marker=spec.gold_marker,
        )


def questions_of(rows: Iterable[tuple[str, Mapping[str, Any]]], names: Names) -> Iterator[Question]:
    """One question per record; `rows` come with the place that an error names."""
    places: dict[str, str] = {}
    for number, (where, row) in enumerate(rows, start=1):
        identity = f"row-{number}" if names.id is None else _text(row, names.id, where)
        if not identity.isprintable() or len(identity) > MAX_ID_LENGTH:
            raise DataError(
                f"{where}: `{names.id}` is not a printable id of at most 200 characters"
            )
        if identity in places:
            raise DataError(f"{where}: id `{identity}` occurs already at {places[identity]}")
        places[identity] = where
        gold = _marked(_text(row, names.answer, where), names, where)
        read = _gold(gold, names, where)
        yield Question(
            id=identity,
            text=_text(row, names.question, where),
            gold=read,
            stratum=None
            if names.stratum is None
            else f"{names.stratum}={_text(row, names.stratum, where)}",
            written=gold if gold != read else None,
        )


def _text(row: Mapping[str, Any], field: str, where: str) -> str:
    """A field as text without surrounding space; a number is written as JSON writes it."""
    value = row.get(field)
    if value is None and field in row:
        raise DataError(f"{where}: `{field}` is null; give it text or a number, or drop the record")
    if value is None:
        known = ", ".join(f"`{name}`" for name in sorted(row)) or "none"
        raise DataError(f"{where}: no `{field}`; the record's fields are {known}")
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (isinstance(value, str) or (number and math.isfinite(value))):
        raise DataError(f"{where}: `{field}` is neither text nor a number")
    text = str(value).strip()
    if not text:
        raise DataError(f"{where}: `{field}` is empty")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise DataError(f"{where}: `{field}` holds half a surrogate pair, which is no character")
    if (escape := lost_backslash(str(value))) is not None:
        raise DataError(
            f"{where}: `{field}` holds the character that JSON writes `{escape}` where LaTeX has a "
            f"command: write its backslash twice in JSON (`\\\\frac`)"
        )
    return text


def _marked(answer: str, names: Names, where: str) -> str:
    """The gold's own text: what follows the last marker, where there is one."""
    if names.gold_marker is None:
        return answer
    _, found, gold = answer.rpartition(names.gold_marker)
    if not found or not gold.strip():
        raise DataError(f"{where}: `{names.answer}` has no gold after `{names.gold_marker}`")
    return gold.strip()


def _gold(text: str, names: Names, where: str) -> str:
    """The gold that answers are set against; refused where none could equal it."""
    number = number_gold(text) if names.kind == "number" else text
    if number is not None and SOLUTION_MARKER not in text:
        return number
    what = "no number" if names.kind == "number" else "no answer alone"
    way = "set gold_marker to what stands before it, or answer: math"
    if SOLUTION_MARKER in text:
        way = f'set gold_marker: "{SOLUTION_MARKER}", in quotes: without them YAML reads a comment'
    elif _FRACTION.search(text):
        way = "of kind number are integers and decimals; for fractions set answer: math"
    raise DataError(f"{where}: `{names.answer}` is {what}, so no answer would be right; {way}")


def first(questions: tuple[Question, ...], limit: int | None, where: str) -> tuple[Question, ...]:
    """The first so many questions, or all; raises DataError where there are fewer, or none."""
    if not questions:
        raise DataError(f"{where}: holds no question")
    if limit is not None and limit > len(questions):
        raise DataError(f"{where}: `questions` asks for {limit}, it holds {len(questions)}")
    return tuple(islice(questions, limit))


def check_sha256(*, found: str, expected: str, where: str) -> None:
    """Refuse data whose hash is not the registered one; raises DataError."""
    if found != expected:
        raise DataError(
            f"{where}: sha256 is {found}, the configuration expects {expected}; "
            "use the registered data, or the found hash if this is what you mean"
        )
