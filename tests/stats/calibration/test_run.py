"""The run around the simulations: what is simulated again, and what is not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from cot_entropy.stats.calibration import run
from cot_entropy.stats.calibration.effort import QUICK, Effort
from cot_entropy.stats.calibration.records import read_records
from cot_entropy.stats.calibration.tally import CalibrationRow

PLAN = Path(__file__).parents[3] / "preregistration/plan.yaml"
TINY = replace(
    QUICK,
    studies=20,
    exact_like=40,
    resamples=40,
    permutations=40,
    filter_resamples=4,
    accuracies=(0.6,),
    flag_rates=(0.5,),
    gaps=(0.0,),
    coherence_rhos=(0.0,),
    filters=((120, 0.4, 0.0),),
)


def row(studies: int, *, within: bool, decides: bool = True) -> CalibrationRow:
    return CalibrationRow(
        estimand="accuracy_gap_pp",
        n=500,
        accuracy=0.8,
        flag_rate=0.5,
        truth=0.0,
        interval="agresti_caffo",
        decides=decides,
        studies=studies,
        assessable=1.0,
        coverage=0.95,
        missed_below=0.025,
        missed_above=0.025,
        interval_supports=0.025,
        supported=0.025,
        supported_first_step=0.005,
        refuted=0.025,
        false_support_limit=0.03,
        within_limit=within,
        covers=True,
    )


@dataclass
class Setting:
    """Exceeds its limit the first time, if `decides`; remembers how much was asked for."""

    decides: bool = True
    asked: list[Effort] = field(default_factory=list)
    draws: list[float] = field(default_factory=list)

    def __call__(self, *, effort: Effort, rng: np.random.Generator) -> Iterator[CalibrationRow]:
        self.asked.append(effort)
        self.draws.append(rng.random())
        yield row(effort.studies, within=len(self.asked) > 1, decides=self.decides)


def test_a_setting_beyond_its_limit_is_simulated_again_with_new_studies(tmp_path: Path) -> None:
    """Four times as many, other draws, and the second result stands."""
    setting, path = Setting(), tmp_path / "0.csv"
    run._simulate(setting, TINY, 1, 0, path)
    assert [one.studies for one in setting.asked] == [20, 80]
    assert [one.exact_like for one in setting.asked] == [40, 160]
    assert setting.draws[0] != setting.draws[1]
    assert read_records(path, CalibrationRow) == [row(80, within=True)]


def test_an_interval_that_does_not_decide_is_left_beyond_its_limit(tmp_path: Path) -> None:
    """The percentile interval fails; that is the finding."""
    setting, path = Setting(decides=False), tmp_path / "0.csv"
    run._simulate(setting, TINY, 1, 0, path)
    assert read_records(path, CalibrationRow) == [row(20, within=False, decides=False)]


def test_an_interrupted_calibration_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C before its tables: the second run writes them and simulates nothing."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "EFFORTS", {"quick": TINY})
    with monkeypatch.context() as patch:
        patch.setattr(run, "gap_power_rows", stop)
        with pytest.raises(KeyboardInterrupt):
            run.calibrate(PLAN, tmp_path, effort="quick", jobs=1)
    assert not list(tmp_path.glob("*.csv"))
    monkeypatch.setattr(run, "_simulate", stop)
    run.calibrate(PLAN, tmp_path, effort="quick", jobs=1)
    estimands = {one.estimand for one in read_records(tmp_path / "calibration.csv", CalibrationRow)}
    assert len(estimands) == 4
    assert not (tmp_path / "settings").exists()
