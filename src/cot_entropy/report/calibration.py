"""What the simulations of `cot-entropy calibrate` said, read from their tables.

A run's own tables come first, `results/<study>/calibration/`; without them those that stand
beside the plan, which the registration rests on.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from cot_entropy.base.errors import DataError
from cot_entropy.stats.calibration.decidable import DecidableRow
from cot_entropy.stats.calibration.pooled_studies import PooledCalibrationRow
from cot_entropy.stats.calibration.power import DetectableRow, PowerRow
from cot_entropy.stats.calibration.records import read_records
from cot_entropy.stats.calibration.tally import CalibrationRow

FOLDER: Final = "calibration"
INTERVALS: Final = "calibration.csv"


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """Every interval in every simulated setting, power, and what the design decides."""

    source: Literal["run", "plan"]
    """Whose tables these are: the run's own, or those beside the plan."""
    intervals: tuple[CalibrationRow, ...]
    power: tuple[PowerRow, ...]
    detectable: tuple[DetectableRow, ...]
    decidable: tuple[DecidableRow, ...]
    pooled: tuple[PooledCalibrationRow, ...]
    """Intervals over all cells."""


def read_calibration(results: Path, *, plan: Path) -> Calibration | None:
    """The tables of a run or its plan, None without any; raises DataError naming file and line."""
    places: tuple[tuple[Literal["run", "plan"], Path], ...] = (
        ("run", results / FOLDER),
        ("plan", plan.with_name(FOLDER)),
    )
    for source, folder in places:
        if not (folder / INTERVALS).exists():
            continue
        try:
            return Calibration(
                source=source,
                intervals=tuple(read_records(folder / INTERVALS, CalibrationRow)),
                power=tuple(read_records(folder / "power.csv", PowerRow)),
                detectable=tuple(read_records(folder / "detectable.csv", DetectableRow)),
                decidable=tuple(read_records(folder / "decidable.csv", DecidableRow)),
                pooled=tuple(read_records(folder / "pooled.csv", PooledCalibrationRow)),
            )
        except FileNotFoundError as error:
            raise DataError(f"{error.filename}: no such file; calibrate again") from None
    return None
