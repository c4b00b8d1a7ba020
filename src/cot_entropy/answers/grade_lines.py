"""`cot-entropy grade`: JSON lines in, one verdict per line out (contract 1 of the design)."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import IO, Any, Final

from cot_entropy.answers.extract import extract
from cot_entropy.answers.golds import SOLUTION_MARKER, can_be_answered, lost_backslash, read_gold
from cot_entropy.answers.grading import grade_answer
from cot_entropy.answers.kinds import AnswerKind, Dataset, Equivalence, ExtractionRule
from cot_entropy.base.errors import DataError

KINDS: Final[dict[Dataset, AnswerKind]] = {"gsm8k": "number", "math": "math"}
_MAX_LINE: Final = 64 * 1024 * 1024
_IN_MEMORY: Final = 16 * 1024 * 1024
_NAMED: Final = 5


@dataclass(frozen=True, kw_only=True)
class Graded:
    """What was graded: lines, right answers, completions without an answer."""

    lines: int
    correct: int
    unanswered: int
    unequal: tuple[int, ...]
    """Numbers of the lines whose gold no answer can equal under the rule and equivalence."""
    hint: str = ""
    """What to do about the first of them."""

    def __str__(self) -> str:
        """The same in one line of text."""
        if not self.lines:
            return "graded 0 lines: standard input held none"
        counts = f"{self.correct} correct, {self.unanswered} without an answer"
        said = f"graded {self.lines} line{'' if self.lines == 1 else 's'}: {counts}"
        if not self.unequal:
            return said
        named = ", ".join(map(str, self.unequal[:_NAMED]))
        more = f" and {len(self.unequal) - _NAMED} more" if len(self.unequal) > _NAMED else ""
        return f"{said}; no answer can equal the gold in line {named}{more}{self.hint}"


def grade_lines(
    stdin: IO[bytes],
    stdout: IO[str],
    *,
    dataset: Dataset,
    extraction: ExtractionRule = "registered",
    equivalence: Equivalence = "normalised",
) -> Graded:
    """Grade `{"id","completion","gold"}` lines into `{"id","answer","correct"}` lines, in order.

    `stdin` is UTF-8, with or without a byte order mark; bytes that are no text are a fault of
    their line too. Nothing is written until every line has been read: verdicts are spooled, on
    disk past 16 MiB. Raises DataError naming the line that is no such object.
    """
    kind = KINDS[dataset]
    correct = unanswered = total = 0
    unequal: list[int] = []
    hint = ""
    with tempfile.SpooledTemporaryFile(
        max_size=_IN_MEMORY, mode="w+", encoding="utf-8", newline="\n"
    ) as spool:
        for number, line in _lines(stdin):
            record = _record(line, number)
            answer = extract(record["completion"], rule=extraction, kind=kind)
            gold = read_gold(record["gold"], kind=kind)
            grade = grade_answer(answer, gold, equivalence=equivalence, kind=kind)
            verdict = {"id": record["id"], "answer": answer, "correct": grade.correct}
            spool.write(json.dumps(verdict) + "\n")
            total += 1
            correct += grade.correct
            unanswered += answer is None
            if not grade.correct and not can_be_answered(
                gold, kind=kind, extraction=extraction, equivalence=equivalence
            ):
                hint = hint or _hint(gold)
                unequal.append(number)
        spool.seek(0)
        for line in spool:
            stdout.write(line)
    return Graded(
        lines=total, correct=correct, unanswered=unanswered, unequal=tuple(unequal), hint=hint
    )


def _hint(gold: str) -> str:
    if SOLUTION_MARKER in gold:
        return f"; the gold is what follows `{SOLUTION_MARKER}`"
    return "; a backslash was lost" if lost_backslash(gold) else ""


def _lines(stdin: IO[bytes]) -> Iterator[tuple[int, str]]:
    number = 0
    while line := stdin.readline(_MAX_LINE + 1):
        number += 1
        if len(line) > _MAX_LINE:
            raise DataError(f"stdin:{number}: line longer than {_MAX_LINE} bytes")
        if line.strip():
            yield number, _decoded(line, number)


def _decoded(line: bytes, number: int) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"stdin:{number}: not UTF-8 ({error.reason})") from None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def _record(line: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise DataError(f"stdin:{number}: not a JSON line ({error})") from None
    if not isinstance(record, dict):
        raise DataError(f"stdin:{number}: expected a JSON object, got {type(record).__name__}")
    for key in ("id", "completion", "gold"):
        if key not in record:
            raise DataError(f"stdin:{number}: key `{key}` is missing")
    if not isinstance(record["id"], str | int | float) or record["id"] in (inf, -inf):
        raise DataError(f"stdin:{number}: `id` must be a string or a number")
    for key in ("completion", "gold"):
        if not isinstance(record[key], str):
            raise DataError(f"stdin:{number}: `{key}` must be a string")
    return record
