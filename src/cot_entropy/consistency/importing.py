"""Transcripts from this pipeline's chains, from Inspect logs and from JSON lines."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from inspect_ai.log import list_eval_logs, read_eval_log

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import read_jsonl
from cot_entropy.consistency.messages import from_messages
from cot_entropy.consistency.transcript import Transcript, split_response
from cot_entropy.formats.records import ChainRecord, Header, read_header, read_records
from cot_entropy.protocol.names import AnswerKind

COLUMNS: Final = ("id", "system_prompt", "question", "reasoning", "answer")
CHAINS: Final = "chains.jsonl"
REQUIRED: Final = ("id", "question", "answer")


def read_source(path: Path) -> list[Transcript]:
    """Transcripts from a chains file (by its name), a folder of Inspect logs, or JSON lines."""
    if path.is_dir() or path.suffix == ".eval":
        return read_inspect_logs(path)
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
    )


def read_chains(path: Path) -> list[Transcript]:
    """The transcripts of one `chains.jsonl.zst`; `source` is the cell."""
    header = read_header(path)
    return [from_chain(record, header) for record in read_records(path, ChainRecord)]


def read_transcripts(path: Path) -> list[Transcript]:
    """Transcripts from JSON lines with the keys of `COLUMNS` and no others; plain or `.zst`.

    `system_prompt` and `reasoning` may be absent; `answer` may be null or empty, but must be
    there. Raises DataError naming file, line and key, also for an id that stands twice.
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
    return Transcript(
        id=row["id"],
        source=path.name,
        system_prompt=row.get("system_prompt") or "",
        question=row["question"],
        reasoning=row.get("reasoning") or "",
        answer=row["answer"] or "",
    )


def read_inspect_logs(folder: Path) -> list[Transcript]:
    """Every sample of every Inspect log below `folder`, system prompt kept.

    The id is `task/sample/epoch/run`. Raises DataError where there is no log or one cannot be
    read.
    """
    if not folder.exists():
        raise DataError(f"{folder}: no such folder")
    logs = list_eval_logs(str(folder))
    if not logs:
        raise DataError(f"{folder}: no Inspect log (.eval) below it")
    found: list[Transcript] = []
    for entry in sorted(logs, key=lambda log: str(log.name)):
        found.extend(_from_log(str(entry.name)))
    refuse_duplicates(found)
    return found


def _from_log(name: str) -> list[Transcript]:
    try:
        log = read_eval_log(name, resolve_attachments=True)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise DataError(f"{name}: not a readable Inspect log ({error})") from None
    return [
        from_messages(
            sample.messages,
            id=f"{log.eval.task}/{sample.id}/{sample.epoch}/{log.eval.run_id}",
            source=Path(name).name,
            truncated=any(
                choice.stop_reason in {"max_tokens", "model_length"}
                for choice in sample.output.choices[:1]
            ),
        )
        for sample in log.samples or []
    ]


def refuse_duplicates(transcripts: Sequence[Transcript]) -> None:
    """Raise DataError where two transcripts of one source share an id."""
    counts = Counter((transcript.source, transcript.id) for transcript in transcripts)
    for (source, id), count in counts.items():
        if count > 1:
            raise DataError(f"{source}: id `{id}` stands {count} times; each must stand once")
