"""E11 over the cells of a study: judgements and trajectories into one table of estimates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cot_entropy.base.errors import DataError
from cot_entropy.consistency.joined import estimate
from cot_entropy.consistency.scan import read_judgements
from cot_entropy.plan.entries.consistency import Consistency
from cot_entropy.plan.load import load_plan
from cot_entropy.stats.cells import read_cell
from cot_entropy.stats.confirm.hypotheses import settings_of
from cot_entropy.stats.rows import Estimate
from cot_entropy.stats.tables import ESTIMATE_COLUMNS, write_table


def join_cells(plan: Path, cells: Sequence[tuple[Path, Path]], *, out: Path) -> list[Estimate]:
    """Write the E11 rows of (trajectories, judgements) per cell; all exploratory.

    Raises DataError where judgements are of another cell than the trajectories.
    """
    loaded = load_plan(plan)
    entries = [one for one in loaded.plan.exploratory if isinstance(one, Consistency)]
    rows: list[Estimate] = []
    digests: dict[str, str] = {}
    for trajectories, judgements in cells:
        cell = read_cell(trajectories)
        found = read_judgements(judgements)
        strange = {one.source for one in found} - {cell.name}
        if strange:
            raise DataError(f"{judgements}: of cell `{min(strange)}`, not of `{cell.name}`")
        labels = {one.id: one for one in found if one.turn is None}
        digests[cell.name] = cell.trajectories_sha256
        for entry in entries:
            rows += estimate(cell, entry, settings_of(loaded.plan), judgements=labels)
    write_table(
        out,
        rows,
        columns=ESTIMATE_COLUMNS,
        plan_sha256=loaded.sha256,
        trajectories_sha256=digests,
    )
    return rows
