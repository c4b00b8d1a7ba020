"""E7: completions without an answer, and chains whose last prefix is answered by silence.

`empty_last_prefix` leaves out chains whose m completions at the last prefix are all empty (they
inherit the chain's answer); `any_missing_answer` leaves out chains with any completion without an
answer. A rule changes entropies, flag and majority together, as a scoring variant would.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cot_entropy.plan.entries.no_answer import NoAnswer as Entry
from cot_entropy.stats.cells import Cell, Flags, Settings
from cot_entropy.stats.explore.bootstrap import Rows
from cot_entropy.stats.explore.columns import absent, padded, unusable
from cot_entropy.stats.explore.rescore import COLUMNS, Samples, rescored
from cot_entropy.stats.explore.shape_tables import ShapeTables, gap_rows
from cot_entropy.stats.rows import Estimate


def estimate(cell: Cell, entry: Entry, settings: Settings) -> list[Estimate]:
    """How often it happens, then gap and AUROC of the flag by rule and exclusion."""
    rows = Rows(entry=entry, cell=cell)
    kept = _kept(cell, settings.m)
    exclusions = entry.params.exclusions
    if reason := unusable(COLUMNS, cell, settings.m):
        missing = [rows.not_run(f"accuracy_gap_pp[{rule}]", reason) for rule in entry.params.rules]
        if not absent(COLUMNS, cell):  # another m: which prefixes are all empty is not known
            return missing
        cells = {"as scored": cell}
    else:
        samples = Samples.of(cell, settings.m)
        cells = {
            rule: rescored(cell, samples, eps=settings.eps, no_answer=rule)
            for rule in entry.params.rules
        }
        missing = []
    pairs = [(rule, exclusion) for rule in cells for exclusion in exclusions]
    labels = [rule if name == "none" else f"{rule}, without {name}" for rule, name in pairs]
    tables = ShapeTables.of(
        [cells[rule] for rule, _ in pairs], [kept[exclusion] for _, exclusion in pairs]
    )
    left_out = [
        rows.number(f"questions[{name}]", int((~kept[name]).sum()), n=cell.n)
        for name in exclusions
        if name != "none"
    ]
    return [*left_out, *gap_rows(rows, settings, labels, tables), *missing]


def _kept(cell: Cell, m: int) -> Mapping[str, Flags]:
    """The questions `(n,)` that each exclusion keeps."""
    empty = padded(cell.frame["completions_empty"])
    prefixes = (~np.isnan(empty)).sum(axis=1)
    at_last = np.arange(empty.shape[1]) == prefixes[:, None] - 1
    missing = padded(cell.frame["answers_missing"], fill=0)
    return {
        "none": np.full(cell.n, True),
        "empty_last_prefix": ~(at_last & (empty >= m)).any(axis=1),
        "any_missing_answer": ~(missing > 0).any(axis=1),
    }
