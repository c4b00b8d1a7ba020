"""Transcripts from this pipeline's chains, from Inspect logs and from JSON lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import read_jsonl
from cot_entropy.consistency.benchmark import Domain
from cot_entropy.consistency.conversations import read_inspect_logs
from cot_entropy.consistency.dividing import split_response
from cot_entropy.consistency.settings import REASONED
from cot_entropy.consistency.transcript import Split, Transcript
from cot_entropy.formats.records import ChainRecord, Header, read_header, read_records
from cot_entropy.protocol.names import AnswerKind

COLUMNS: Final = ("id", "system_prompt", "question", "reasoning", "answer")
CHAINS: Final = "chains.jsonl"
REQUIRED: Final = ("id", "question", "answer")


def read_source(path: Path, *, actions: str = REASONED) -> list[Transcript]:
    """Transcripts from a chains file (by its name), a folder of Inspect logs, or JSON lines.

    `actions` as in `turns.read_conversation`. Raises DataError where every sample ended in an
    error, or an id stands twice.
    """
    found = _read(path, actions)
    if all(transcript.error for transcript in found):
        raise DataError(
            f"{path}: all {len(found)} samples ended in an error (first: {found[0].id}: "
            f"{found[0].error[:200]}); there is nothing to judge"
        )
    refuse_duplicates(found)
    return found


def kind_of_source(path: Path) -> Domain | None:
    """The kind of benchmark items that are like a source; None where nothing says so."""
    if path.is_dir() or path.suffix == ".eval":
        return "agentic"
    return "mathematical" if path.name.startswith(CHAINS) else None


def _read(path: Path, actions: str) -> list[Transcript]:
    if path.is_dir() or path.suffix == ".eval":
        return read_inspect_logs(path, actions=actions)
    if path.name.startswith(CHAINS):
        return read_chains(path)
    return read_transcripts(path)


def answer_kind(path: Path) -> AnswerKind:
    """The kind of answers that a chains file names; numbers where the source is none."""
    return read_header(path).dataset.answer if path.name.startswith(CHAINS) else "number"


def from_chain(record: ChainRecord, header: Header) -> Transcript:
    """One reference chain; a chain that could not be generated has neither reasoning nor answer."""
    text = record.response_start + record.chain.text if record.chain else ""
    truncated = record.chain is not None and record.chain.finish_reason == "length"
    response = split_response(text, truncated=truncated)
    return Transcript(
        id=record.question_id,
        source=header.cell,
        system_prompt=header.chain.system_prompt,
        question=record.question,
        reasoning=response.reasoning,
        answer=response.answer,
        split=response.split,
        truncated=truncated,
        model=header.model.name,
        task=header.dataset.name,
    )


def read_chains(path: Path) -> list[Transcript]:
    """The transcripts of one `chains.jsonl.zst`; `source` is the cell."""
    header = read_header(path)
    return [from_chain(record, header) for record in read_records(path, ChainRecord)]


def read_transcripts(path: Path) -> list[Transcript]:
    """Transcripts from JSON lines with the keys of `COLUMNS` and no others; plain or `.zst`.

    `system_prompt` and `reasoning` may be absent; `answer` may be null or empty, but must be
    there. Without the key `reasoning` it is the whole response, and is divided as a chain is; so is
    one that holds a reasoning block. Raises DataError naming file, line and key, also for an id
    that stands twice.
    """
    found = [_from_row(row, path, number) for number, row in read_jsonl(path)]
    if not found:
        raise DataError(f"{path}: no transcripts; write one JSON object a line")
    refuse_duplicates(found)
    return found


def _from_row(row: dict[str, Any], path: Path, number: int) -> Transcript:
    where = f"{path}:{number}"
    unknown = sorted(set(row) - set(COLUMNS))
    if unknown:
        raise DataError(f"{where}: unknown key `{unknown[0]}`; the keys are {', '.join(COLUMNS)}")
    for key in REQUIRED:
        if key not in row:
            raise DataError(f"{where}: key `{key}` is missing (a transcript without a reply: null)")
    for key, value in row.items():
        if not isinstance(value, str) and not (value is None and key not in {"id", "question"}):
            raise DataError(f"{where}: key `{key}` must be a string, not {type(value).__name__}")
    if not row["id"]:
        raise DataError(f"{where}: key `id` is empty; give every transcript its own")
    reasoning, answer = row.get("reasoning") or "", row["answer"] or ""
    split: Split = "given"
    parted = split_response(answer)
    tagged = parted.split in {"think_tags", "think_unopened", "think_unclosed"}
    if tagged and reasoning:
        raise DataError(
            f"{where}: `answer` holds a reasoning block beside `reasoning`; give one of them"
        )
    if tagged or (answer and "reasoning" not in row):
        reasoning, answer, split = parted
    return Transcript(
        id=row["id"],
        source=path.name,
        system_prompt=row.get("system_prompt") or "",
        question=row["question"],
        reasoning=reasoning,
        answer=answer,
        split=split,
    )


def refuse_duplicates(transcripts: Sequence[Transcript]) -> None:
    """Raise DataError where two transcripts of one source share an id."""
    counts = Counter((one.source, one.id, one.turn) for one in transcripts)
    for (source, id, _), count in counts.items():
        if count > 1:
            raise DataError(f"{source}: id `{id}` stands {count} times; each must stand once")
