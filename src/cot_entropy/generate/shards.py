"""A cell's questions in shards, and their files joined to the one that a whole run writes.

Nothing in a question's requests depends on its shard, and a shard's number stands in the header
of the shard's own file only, so that on a deterministic engine the joined file is to the byte the
one that would have been written without shards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import islice
from pathlib import Path
from typing import TypeVar

from cot_entropy.base.errors import DataError
from cot_entropy.formats.attempts import join_attempts
from cot_entropy.formats.records import (
    ChainRecord,
    CompletionRecord,
    Header,
    ShardHeader,
    read_records,
    read_shard_header,
    write_records,
)
from cot_entropy.formats.run_summary import RunSummary, read_summary, summary_path, write_summary
from cot_entropy.protocol.shard import Shard

T = TypeVar("T")


def own_header(shard: Shard, header: Header) -> ShardHeader:
    """The header of a shard's file, from that of the whole cell."""
    return ShardHeader.model_validate({**header.model_dump(), "shard": shard.model_dump()})


def own_questions(shard: Shard, questions: Iterable[T]) -> Iterator[T]:
    """Of what is given in dataset order, one each per question, that of the shard's questions."""
    return islice(questions, shard.number - 1, None, shard.of)


def gather(shards: Sequence[Path], *, out: Path) -> None:
    """Write `out` from the files of all shards of one cell, in question order, atomically.

    What the shards noted beside their files is gathered beside `out`, and removed there.

    Raises DataError where they are not all shards of one setting, each once, or hold other
    questions than their headers say.
    """
    headers = {path: read_shard_header(path) for path in shards}
    if not headers:
        raise DataError(f"{out}: no shards to gather it from")
    paths = {header.shard.number: path for path, header in headers.items()}
    of = len(shards)
    for path, header in headers.items():
        if header.shard.of != of or len(paths) != of:
            raise DataError(
                f"{path}: shard {header.shard.number} of {header.shard.of}, gathered with "
                f"{of - 1} more; give each shard once"
            )
    whole = headers[paths[1]].whole()
    fills = [fill for number in sorted(paths) for fill in headers[paths[number]].fills]
    for path, header in headers.items():
        if header.binding.whole() != whole.binding:
            raise DataError(
                f"{path}: made with another setting than {paths[1]}; delete the shards, run again"
            )
    kind = ChainRecord if whole.stage == "chains" else CompletionRecord
    in_order = [paths[number] for number in range(1, of + 1)]
    write_records(out, whole.filled(fills), _in_order(in_order, kind, whole.dataset.questions))
    noted = [one for path in in_order if (one := read_summary(path)) is not None]
    join_attempts(in_order, out=out)
    if noted:
        write_summary(out, reduce(RunSummary.beside, noted))
        for path in in_order:
            summary_path(path).unlink(missing_ok=True)


def _in_order(
    paths: Sequence[Path], kind: type[ChainRecord | CompletionRecord], questions: int
) -> Iterator[ChainRecord | CompletionRecord]:
    readers = [read_records(path, kind) for path in paths]
    for position in range(questions):
        record = next(readers[position % len(readers)], None)
        if record is None:
            raise DataError(f"{paths[position % len(paths)]}: fewer questions than its header says")
        yield record
    for path, reader in zip(paths, readers, strict=True):
        if next(reader, None) is not None:
            raise DataError(f"{path}: more questions than its header says")
