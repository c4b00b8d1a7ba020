"""`trajectories.parquet`: one row per question, all that the statistics need.

It holds no text but the extracted answers.

The required columns carry H1..H5, E1, E2, E4, E6 and E9; each optional column enables the
exploratory estimates named beside it, which are `not run` where the column is absent.
Undefined values are null, never a magic number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import atomic


def _field(name: str, kind: pa.DataType, meaning: str, *, nullable: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=nullable, metadata={"meaning": meaning})


REQUIRED: Final = (
    _field("cell", pa.string(), "model/dataset"),
    _field("question_id", pa.string(), "id of the question in its dataset"),
    _field("n_units", pa.int32(), "N: probed units, after the cap"),
    _field("n_units_chain", pa.int32(), "units of the whole chain, before the cap"),
    _field(
        "entropies",
        pa.list_(pa.float64()),
        "H_0..H_N in nats; null where all m completions gave no answer",
    ),
    _field("answers_missing", pa.list_(pa.int32()), "completions without an answer, per prefix"),
    _field("completions_empty", pa.list_(pa.int32()), "empty completions, per prefix"),
    _field(
        "violations",
        pa.int32(),
        "steps with H_{k+1} > H_k + eps; null with fewer than two defined H",
        nullable=True,
    ),
    _field("monotone", pa.bool_(), "no violation; null where violations is", nullable=True),
    _field(
        "coherence", pa.float64(), "C = H_0 - H_N in nats; null unless both defined", nullable=True
    ),
    _field("final_entropy", pa.float64(), "H_N in nats", nullable=True),
    _field(
        "final_confidence",
        pa.float64(),
        "share of the majority answer among the m at the last prefix",
        nullable=True,
    ),
    _field(
        "majority_answer",
        pa.string(),
        "majority at the last prefix; null: no answer",
        nullable=True,
    ),
    _field("majority_tied", pa.bool_(), "the majority was shared; the first in sample order won"),
    _field("correct", pa.bool_(), "the registered outcome"),
    _field("chain_answer", pa.string(), "the reference chain's own answer", nullable=True),
    _field("chain_correct", pa.bool_(), "the reference chain's own answer is right"),
    _field("chain_tokens", pa.int32(), "tokens of the reference chain"),
    _field("chain_truncated", pa.bool_(), "the chain ended at its token budget"),
    _field("probe_tokens", pa.int32(), "tokens generated over all prefixes"),
)
OPTIONAL: Final = (
    _field(
        "answer_clusters",
        pa.list_(pa.list_(pa.int32())),
        "E3, E7, E8: equivalence class of each of the m answers per prefix; -1: no answer",
        nullable=True,
    ),
    _field(
        "final_samples_correct",
        pa.list_(pa.bool_()),
        "E3, E8: each sample at the last prefix is right",
        nullable=True,
    ),
    _field(
        "probe_tokens_by_prefix",
        pa.list_(pa.int32()),
        "E5: tokens generated per prefix",
        nullable=True,
    ),
    _field(
        "completion_mean_logprobs",
        pa.list_(pa.list_(pa.float64())),
        "E10: mean token log-probability (nats) of each completion per prefix; null if empty",
        nullable=True,
    ),
    _field(
        "samples_correct",
        pa.list_(pa.list_(pa.bool_())),
        "E10: each completion's answer is right, per prefix",
        nullable=True,
    ),
    _field("chain_mean_logprob", pa.float64(), "mean token log-probability, nats", nullable=True),
    _field(
        "chain_token_entropy",
        pa.float64(),
        "mean next-token entropy over the chain, nats, tokens outside the engine's top k as one",
        nullable=True,
    ),
    _field(
        "chain_token_remainder",
        pa.float64(),
        "mean probability outside the engine's top k over the chain",
        nullable=True,
    ),
    _field(
        "chain_entropy_instability",
        pa.float64(),
        "EDIS of the chain: bursts and rebounds of its next-token entropy, times 1 + variance",
        nullable=True,
    ),
    _field("unit_tokens", pa.list_(pa.int32()), "tokens that each probed unit adds", nullable=True),
    _field(
        "unit_mean_logprobs",
        pa.list_(pa.float64()),
        "mean token log-probability of each probed unit, nats; null for a unit without tokens",
        nullable=True,
    ),
    _field(
        "unit_token_entropies",
        pa.list_(pa.float64()),
        "mean next-token entropy of each probed unit, nats, as chain_token_entropy",
        nullable=True,
    ),
    _field("stratum", pa.string(), "difficulty stratum of the question", nullable=True),
    _field(
        "answers",
        pa.list_(pa.list_(pa.string())),
        "report only: the m extracted answers per prefix, null where none",
        nullable=True,
    ),
)
SCHEMA: Final = pa.schema([*REQUIRED, *OPTIONAL])


def write_trajectories(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows in the given order; columns absent from every row are left out if optional."""
    rows = [dict(row) for row in rows]
    present = {key for row in rows for key in row}
    fields = [*REQUIRED, *(field for field in OPTIONAL if field.name in present)]
    table = pa.Table.from_pylist(rows, schema=pa.schema(fields))
    with atomic(path) as stream:
        pq.write_table(table, stream, compression="zstd")


def read_trajectories(path: Path) -> pd.DataFrame:
    """Read one file, checked against the contract: names, types, and nulls only where allowed.

    Raises DataError naming the file and the column.
    """
    if not path.is_file():
        raise DataError(f"{path}: no such file; give a trajectories.parquet")
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"{path}: not a readable Parquet file ({error})") from None
    fields = []
    for field in SCHEMA:
        if field.name not in table.column_names:
            if field in REQUIRED:
                raise DataError(f"{path}: column `{field.name}` is missing (contract 2)")
            continue
        if not field.nullable and table[field.name].null_count:
            raise DataError(f"{path}: column `{field.name}` has nulls; it must not")
        fields.append(field)
    try:
        table = table.select([field.name for field in fields]).cast(pa.schema(fields))
    except (pa.ArrowException, ValueError) as error:
        raise DataError(f"{path}: a column has the wrong type ({error})") from None
    frame: pd.DataFrame = table.to_pandas(types_mapper=_NULLABLE.get)
    return frame


_NULLABLE: Final[dict[pa.DataType, Any]] = {
    pa.int32(): pd.Int32Dtype(),
    pa.bool_(): pd.BooleanDtype(),
    pa.float64(): pd.Float64Dtype(),
    pa.string(): pd.StringDtype(),
}
