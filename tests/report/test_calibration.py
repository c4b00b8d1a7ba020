"""The simulations' tables, and what is drawn of them."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.report.reported_runs import Reported
from tests.report.synthetic_run import PLAN
from tests.report.synthetic_tables import POOLED

from cot_entropy.base.errors import DataError
from cot_entropy.plan.load import load_plan
from cot_entropy.report.calibration import read_calibration
from cot_entropy.report.figures.calibration import calibration_figures, families
from cot_entropy.report.figures.power import detectable_grids, power_curves, power_grids
from cot_entropy.report.page import write_report
from cot_entropy.stats.calibration.decidable import DecidableRow
from cot_entropy.stats.calibration.pooled_studies import PooledCalibrationRow
from cot_entropy.stats.calibration.power import DetectableRow, PowerRow
from cot_entropy.stats.calibration.records import write_records
from cot_entropy.stats.calibration.tally import CalibrationRow

GAP = CalibrationRow(
    estimand="accuracy_gap_pp",
    n=500,
    accuracy=0.6,
    flag_rate=0.1,
    truth=0.0,
    interval="newcombe",
    decides=False,
    studies=1000,
    assessable=1.0,
    coverage=0.96,
    missed_below=0.02,
    missed_above=0.02,
    interval_supports=0.02,
    supported=0.02,
    supported_first_step=0.01,
    refuted=0.02,
    false_support_limit=0.035,
    within_limit=True,
    covers=True,
)
DECIDES = replace(GAP, interval="agresti_caffo", decides=True)
MISSES = replace(GAP, interval="percentile", coverage=0.9, covers=False)
TOO_OFTEN = replace(MISSES, flag_rate=0.5, supported=0.05, within_limit=False)
HOLDS = replace(DECIDES, truth=10.0, false_support_limit=None, within_limit=None)
ROWS = (GAP, DECIDES, MISSES, TOO_OFTEN, HOLDS)
POWER = PowerRow(
    estimand="accuracy_gap_pp",
    n=500,
    accuracy=0.6,
    flag_rate=0.1,
    effect=0.0,
    verdict="supported",
    power=0.02,
    power_first_step=0.01,
    method="exact",
)
NONE_ENOUGH = DetectableRow(
    n=500, accuracy=0.93, flag_rate=0.1, gap_pp=None, gap_pp_first_step=None
)
ENOUGH = DetectableRow(n=500, accuracy=0.6, flag_rate=0.1, gap_pp=19.84, gap_pp_first_step=24.5)
DECIDED = DecidableRow(
    hypotheses="H1 H4a",
    estimand="accuracy_gap_pp",
    n=500,
    verdict="supported",
    effect=20.0,
    settings=2,
    decided=1,
    decided_first_step=0,
    power_least=0.4,
    power_most=0.9,
)


def write_tables(folder: Path) -> None:
    write_records(folder / "calibration.csv", ROWS, CalibrationRow)
    write_records(folder / "power.csv", [POWER], PowerRow)
    write_records(folder / "detectable.csv", [NONE_ENOUGH, ENOUGH], DetectableRow)
    write_records(folder / "decidable.csv", [DECIDED], DecidableRow)
    write_records(folder / "pooled.csv", [POOLED], PooledCalibrationRow)


def figures() -> dict[str, str]:
    """The drawings by name, each panel's markup joined."""
    drawn = calibration_figures(load_plan(PLAN).plan, ROWS)
    return {figure.name: "".join(figure.panels) for figure in drawn}


def test_tables_are_read_as_they_were_written(tmp_path: Path) -> None:
    """Undefined fields are empty in the file and absent in the row."""
    write_tables(tmp_path / "calibration")
    found = read_calibration(tmp_path, plan=PLAN)
    assert found is not None
    assert (found.intervals, found.power) == (ROWS, (POWER,))
    assert (found.detectable, found.decidable) == ((NONE_ENOUGH, ENOUGH), (DECIDED,))
    assert found.pooled == (POOLED,)


def test_half_a_calibration_is_refused(tmp_path: Path) -> None:
    """The error names the table that is missing."""
    write_tables(tmp_path / "calibration")
    (tmp_path / "calibration" / "power.csv").unlink()
    with pytest.raises(DataError, match=r"power\.csv: no such file; calibrate again"):
        read_calibration(tmp_path, plan=PLAN)


def test_the_runs_own_tables_come_first(tmp_path: Path) -> None:
    """Those beside the plan stand for a run that simulated nothing."""
    plan = tmp_path / "preregistration" / "plan.yaml"
    assert read_calibration(tmp_path, plan=plan) is None
    write_tables(plan.with_name("calibration"))
    registered = read_calibration(tmp_path, plan=plan)
    write_tables(tmp_path / "calibration")
    own = read_calibration(tmp_path, plan=plan)
    assert registered is not None
    assert own is not None
    assert (registered.source, own.source) == ("plan", "run")


@pytest.mark.parametrize("text", ["nan", "inf", "much"])
def test_a_coverage_that_is_no_number_is_refused(tmp_path: Path, text: str) -> None:
    """The error names file, line and column."""
    write_tables(tmp_path / "calibration")
    path = tmp_path / "calibration" / "calibration.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("0.96", text, 1), encoding="utf-8")
    with pytest.raises(DataError, match=r"calibration\.csv: line 2: coverage"):
        read_calibration(tmp_path, plan=PLAN)


def test_an_interval_that_misses_is_a_triangle_and_counted() -> None:
    """Two of the percentile interval's two settings miss, none of the others'."""
    drawn = figures()["calibration_coverage"]
    assert drawn.count('class="miss"') == 2
    assert "percentile bootstrap: 2 of 2 miss" in drawn
    assert "Newcombe: 0 of 1 miss" in drawn


def test_the_interval_that_decides_is_in_bold() -> None:
    """A reader finds the one that the verdicts rest on."""
    drawn = figures()["calibration_coverage"]
    assert re.search(r'class="label strong">Agresti-Caffo: ', drawn)
    assert re.search(r'class="label">Newcombe: ', drawn)


def test_false_support_is_of_false_claims_only() -> None:
    """A gap of 10 points is no false claim; 5 % support is above its limit of 3.5 %."""
    (figure,) = [
        one
        for one in calibration_figures(load_plan(PLAN).plan, ROWS)
        if one.name == "calibration_false_support"
    ]
    assert len(figure.rows) == 4
    assert "percentile bootstrap: 1 of 2 above" in "".join(figure.panels)


def test_the_map_holds_the_deciding_interval_at_each_truth() -> None:
    """A panel for a gap of 0 and one for a gap of 10, one square each."""
    drawn = figures()["calibration_map"]
    assert drawn.count("<svg") == 2
    assert drawn.count('class="square"') == 2
    assert "H1, H4a: gap = 10, n = 500" in drawn


def test_power_is_drawn_per_size_and_accuracy() -> None:
    """A line per share of monotone chains; one point is no line."""
    rows = [replace(POWER, flag_rate=f, effect=e) for f in (0.1, 0.5) for e in (0.0, 10.0)]
    figure = power_curves(families(load_plan(PLAN).plan), rows)
    assert figure is not None
    assert len(figure.panels) == 1
    assert [label for _, label in figure.legend] == [
        "0.1 of the chains monotone",
        "0.5 of the chains monotone",
    ]


def test_power_of_the_other_hypotheses_is_a_grid() -> None:
    """92 % at rho = 0 for H2, by accuracy and number of chains; H1's stands in the curves."""
    row = replace(POWER, estimand="rho_coherence", flag_rate=None, n=1319, power=0.92)
    figure = power_grids(families(load_plan(PLAN).plan), [POWER, row])
    assert figure is not None
    assert len(figure.rows) == 1
    assert ">92</text>" in figure.panels[0]
    assert "H2 supported: truth = 0" in figure.panels[0]


def test_a_gap_that_no_cell_can_detect_is_a_dash() -> None:
    """No possible gap has 80 % power there."""
    figure = detectable_grids(families(load_plan(PLAN).plan), [NONE_ENOUGH, ENOUGH])
    assert figure is not None
    assert ">–</text>" in figure.panels[0]
    assert ">19.8</text>" in figure.panels[0]


def test_an_interval_over_the_cells_that_misses_the_truth_is_marked(
    registered: Reported, tmp_path: Path
) -> None:
    """93.5 % of 2,000 is below 95 % by more than two errors of 0.49 points."""
    results = tmp_path / "run"
    shutil.copytree(registered.results, results)
    shutil.copytree(PLAN.parent / "calibration", results / "calibration")
    write_records(results / "calibration/pooled.csv", [POOLED], PooledCalibrationRow)
    write_report(results, plan=registered.plan, out=tmp_path / "report.html")
    line = re.search(rf"<tr>.*{POOLED.measure}.*</tr>", (tmp_path / "report.html").read_text())
    assert line is not None
    assert "<td>93.5 % ✗</td><td>–</td>" in line[0]
