"""Load the questions that a configuration names, checked against their hash."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from itertools import islice
from pathlib import Path
from typing import Any, Final

from cot_entropy.answers.golds import SOLUTION_MARKER, lost_backslash, number_gold
from cot_entropy.base.errors import DataError
from cot_entropy.base.files import read_jsonl, sha256_file
from cot_entropy.data import latex, wordproblems
from cot_entropy.data.generate import strata, take
from cot_entropy.data.questions import Question, questions_sha256
from cot_entropy.data.spec import EmbeddedDataset, HubDataset, LocalDataset
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


def load(spec: EmbeddedDataset | LocalDataset | HubDataset, *, root: Path) -> Dataset:
    """Load the dataset; a local path is relative to `root`.

    Raises DataError for a broken line, a missing gold, a duplicate id, an empty question, a
    wrong hash, and a hub that is gated or cannot be reached.
    """
    match spec:
        case EmbeddedDataset():
            return _embedded(spec)
        case LocalDataset():
            return _local(spec, root / spec.path)
        case HubDataset():
            return _hub(spec)


def _embedded(spec: EmbeddedDataset) -> Dataset:
    if spec.name == "algebra":
        with as_file(files(__package__).joinpath("algebra.jsonl")) as path:
            rows = ((f"algebra.jsonl:{number}", row) for number, row in read_jsonl(path))
            fields = _Names(
                id="id", question="problem", answer="answer", kind="math", stratum="topic"
            )
            algebra = tuple(item.question for item in _questions(rows, fields))
            questions = _first(algebra, spec.questions, "algebra")
    else:
        source = {"wordproblems": wordproblems, "latex": latex}[spec.name]
        kinds = strata(steps=spec.steps, sizes=spec.sizes, distractors=spec.distractors)
        drawn = source.problems(seed=spec.seed, split="evaluation", kinds=kinds)
        questions = tuple(item.question for item in take(drawn, spec.questions or 0))
    sha256 = questions_sha256(questions)
    if spec.sha256 is not None:
        _check_sha256(found=sha256, expected=spec.sha256, where=f"embedded `{spec.name}`")
    return Dataset(questions, sha256)


def _local(spec: LocalDataset, path: Path) -> Dataset:
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "no such file"
        raise DataError(f"{path}: {what}; `path` of a local dataset names a JSON lines file")
    sha256 = sha256_file(path)
    _check_sha256(found=sha256, expected=spec.sha256, where=str(path))
    rows = ((f"{path}:{number}", row) for number, row in read_jsonl(path))
    questions = tuple(item.question for item in _questions(rows, _Names.of(spec)))
    return Dataset(_first(questions, spec.questions, str(path)), sha256)


def _hub(spec: HubDataset) -> Dataset:
    from cot_entropy.data.hub import hub_rows  # noqa: PLC0415 - its library takes seconds to import

    where = f"{spec.id}@{spec.revision[:12]}"
    loaded = hub_rows(
        path=spec.id, name=spec.name, split=spec.split, revision=spec.revision, where=where
    )
    rows = ((f"{where}: record {number}", row) for number, row in enumerate(loaded, start=1))
    read = tuple(_questions(rows, _Names.of(spec)))
    sha256 = questions_sha256(item.as_it_came for item in read)
    _check_sha256(found=sha256, expected=spec.sha256, where=where)
    questions = tuple(item.question for item in read)
    return Dataset(_first(questions, spec.questions, where), sha256)


@dataclass(frozen=True, slots=True)
class _Names:
    """The fields of a record that make a question."""

    question: str
    answer: str
    kind: AnswerKind
    id: str | None = None
    stratum: str | None = None
    gold_marker: str | None = None

    @classmethod
    def of(cls, spec: LocalDataset | HubDataset) -> _Names:
        return cls(
            question=spec.question_field,
            answer=spec.answer_field,
            kind=spec.answer,
            id=spec.id_field,
            stratum=spec.stratum_field,
            gold_marker=spec.gold_marker,
        )


@dataclass(frozen=True, slots=True)
class _Read:
    """A question whose gold is read, and the same with the gold's own text."""

    question: Question
    as_it_came: Question


def _questions(rows: Iterable[tuple[str, Mapping[str, Any]]], names: _Names) -> Iterator[_Read]:
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
        question = Question(
            id=identity,
            text=_text(row, names.question, where),
            gold=_gold(gold, names, where),
            stratum=None
            if names.stratum is None
            else f"{names.stratum}={_text(row, names.stratum, where)}",
        )
        yield _Read(question, replace(question, gold=gold))


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


def _marked(answer: str, names: _Names, where: str) -> str:
    """The gold's own text: what follows the last marker, where there is one."""
    if names.gold_marker is None:
        return answer
    _, found, gold = answer.rpartition(names.gold_marker)
    if not found or not gold.strip():
        raise DataError(f"{where}: `{names.answer}` has no gold after `{names.gold_marker}`")
    return gold.strip()


def _gold(text: str, names: _Names, where: str) -> str:
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


def _first(questions: tuple[Question, ...], limit: int | None, where: str) -> tuple[Question, ...]:
    if not questions:
        raise DataError(f"{where}: holds no question")
    if limit is not None and limit > len(questions):
        raise DataError(f"{where}: `questions` asks for {limit}, it holds {len(questions)}")
    return tuple(islice(questions, limit))


def _check_sha256(*, found: str, expected: str, where: str) -> None:
    if found != expected:
        raise DataError(
            f"{where}: sha256 is {found}, the configuration expects {expected}; "
            "use the registered data, or the found hash if this is what you mean"
        )
