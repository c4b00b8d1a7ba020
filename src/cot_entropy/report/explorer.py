"""The explorer's data: every question of every cell, packed so that the page stays small.

An index of all questions is unpacked when the explorer opens; the chains of a cell only when one
of its questions is shown. Both are JSON, gzipped, in base64: no text of a chain stands in the
page as markup, whatever it holds.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from cot_entropy.base.errors import DataError
from cot_entropy.formats.records import ChainRecord, PrefixRecord, read_records
from cot_entropy.report.inputs import CellFiles, ReportInputs
from cot_entropy.report.judgements import Judged
from cot_entropy.report.units import probed_units, rises, unprobed_text
from cot_entropy.stats.cells import Cell

CORRECT, MONOTONE, SHAPELESS, MISSING, NO_MAJORITY, TIED, TRUNCATED = (1 << b for b in range(7))
"""Bits of the index's flags; the script has the same."""
DECIMALS: Final = 4


@dataclass(frozen=True)
class Packed:
    """Blocks of base64 text: the index, and one per cell in the index's order."""

    index: str
    cells: tuple[str, ...]


def pack_explorer(inputs: ReportInputs, judged: Mapping[tuple[str, str], Judged]) -> Packed:
    """Pack all questions; raises DataError where chains and trajectories are of different runs."""
    blocks = [
        pack([*_details(name, cell, inputs.files[name], judged, eps=inputs.plan.plan.eps)])
        for name, cell in inputs.cells.items()
    ]
    return Packed(pack(_index(inputs.cells, judged)), tuple(blocks))


def pack(value: Any) -> str:
    """JSON, gzip without a time stamp, base64."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("ascii"), 9, mtime=0)).decode("ascii")


def _index(
    cells: Mapping[str, Cell], judged: Mapping[tuple[str, str], Judged]
) -> dict[str, list[Any]]:
    frames = {name: cell.frame for name, cell in cells.items()}
    return {
        "cells": list(cells),
        "sizes": [cell.n for cell in cells.values()],
        "ids": [i for frame in frames.values() for i in frame["question_id"]],
        "flags": [flag for cell in cells.values() for flag in _flags(cell).tolist()],
        "violations": [
            -1 if np.isnan(v) else int(v) for cell in cells.values() for v in cell.violations
        ],
        "units": [int(n) for frame in frames.values() for n in frame["n_units"]],
        "judged": [
            judged[name, i].outcome if (name, i) in judged else ""
            for name, frame in frames.items()
            for i in frame["question_id"]
        ]
        if judged
        else [],
    }


def _flags(cell: Cell) -> np.ndarray[Any, np.dtype[np.int64]]:
    missing = np.array([bool(np.any(row)) for row in cell.frame["answers_missing"]])
    no_majority = cell.frame["majority_answer"].isna().to_numpy(dtype=np.bool_)
    by_bit = {
        CORRECT: cell.correct,
        MONOTONE: cell.monotone,
        SHAPELESS: ~cell.shape_defined,
        MISSING: missing,
        NO_MAJORITY: no_majority,
        TIED: cell.flags("majority_tied"),
        TRUNCATED: cell.flags("chain_truncated"),
    }
    total = np.zeros(cell.n, dtype=np.int64)
    for bit, flags in by_bit.items():
        total |= bit * flags.astype(np.int64)
    return total


def _details(
    name: str,
    cell: Cell,
    files: CellFiles,
    judged: Mapping[tuple[str, str], Judged],
    *,
    eps: float,
) -> Iterator[dict[str, Any]]:
    chains = _by_id(files.chains, ChainRecord)
    prefixes = _by_id(files.prefixes, PrefixRecord)
    answers = cell.frame["answers"] if cell.has("answers") else [None] * cell.n
    for row, found in zip(cell.frame.to_dict("records"), answers, strict=True):
        question_id = str(row["question_id"])
        entropies = [_number(h) for h in row["entropies"]]
        detail: dict[str, Any] = {
            "h": entropies,
            "up": rises(entropies, eps),
            "a": None if found is None else [list(prefix) for prefix in found],
            "m": _text(row["majority_answer"]),
            "c": _text(row["chain_answer"]),
        }
        if chains:
            if question_id not in chains or question_id not in prefixes:
                raise DataError(
                    f"{files.chains}: no question `{question_id}`, which {files.trajectories} has; "
                    "the files are of different runs"
                )
            detail |= _texts(chains[question_id], prefixes[question_id])
        if (name, question_id) in judged:
            detail["j"] = judged[name, question_id].shown
        yield detail


def _texts(chain: ChainRecord, prefix: PrefixRecord) -> dict[str, Any]:
    return {
        "q": chain.question,
        "g": chain.gold,
        "u": probed_units(chain, prefix),
        "r": unprobed_text(chain, prefix),
        "s": chain.response_start,
        "e": chain.error or "",
    }


def _by_id(path: Any, kind: Any) -> dict[str, Any]:
    if not path.exists():
        return {}
    return {record.question_id: record for record in read_records(path, kind)}


def _number(value: float | None) -> float | None:
    missing = value is None or np.isnan(value)
    return None if missing else round(float(value), DECIMALS) + 0.0  # type: ignore[arg-type]


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
