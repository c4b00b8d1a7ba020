"""What the simulations of `cot-entropy calibrate` said, read from their tables.

A run's own tables come first, `results/<study>/calibration/`; without them those that stand
beside the plan, which the registration rests on.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from cot_entropy.report.rows import FINITE, read_typed
from cot_entropy.stats.calibration.power import DetectableRow, PowerRow
from cot_entropy.stats.calibration.tally import CalibrationRow

FOLDER: Final = "calibration"
INTERVALS: Final = "calibration.csv"
POWER: Final = "power.csv"
DETECTABLE: Final = "detectable.csv"


@checked_dataclass(frozen=True, kw_only=True, config=FINITE)
class Simulated(CalibrationRow):
    """One interval in one setting, as read."""


@checked_dataclass(frozen=True, kw_only=True, config=FINITE)
class Power(PowerRow):
    """The probability of `supported` in one setting, as read."""


@checked_dataclass(frozen=True, kw_only=True, config=FINITE)
class Detectable(DetectableRow):
    """The smallest gap of one setting, as read."""


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """Every interval in every simulated setting, power, and smallest detectable gaps."""

    source: Literal["run", "plan"]
    """Whose tables these are: the run's own, or those beside the plan."""
    intervals: tuple[Simulated, ...]
    power: tuple[Power, ...]
    detectable: tuple[Detectable, ...]


def read_calibration(results: Path, *, plan: Path) -> Calibration | None:
    """The tables of a run or its plan, None without any; raises DataError naming file and line."""
    places: tuple[tuple[Literal["run", "plan"], Path], ...] = (
        ("run", results / FOLDER),
        ("plan", plan.with_name(FOLDER)),
    )
    for source, folder in places:
        if (folder / INTERVALS).exists():
            return Calibration(
                source=source,
                intervals=read_typed(folder / INTERVALS, TypeAdapter(Simulated)),
                power=read_typed(folder / POWER, TypeAdapter(Power)),
                detectable=read_typed(folder / DETECTABLE, TypeAdapter(Detectable)),
            )
    return None
