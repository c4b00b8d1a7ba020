"""Tables that are made after the analysis: baselines, judges."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.report.reported_runs import Reported
from tests.report.synthetic_run import PROTOCOL

from cot_entropy.report.inputs import ReportInputs, cell_files, read_inputs

CELL = "qwen2.5-7b/gsm8k"
HEADER = "id,cell,quantity,kind,estimate,ci_low,ci_high,verdict,reason\n"
JUDGED = f"{HEADER}E11,{CELL},accuracy_consistent_correct,exploratory,0.75,0.7,0.8,,\n"
VOTED = f"{HEADER}E9,{CELL},accuracy[self_consistency],exploratory,0.625,0.5,0.7,,\n"


@pytest.fixture
def results(registered: Reported, tmp_path: Path) -> Path:
    """A copy of the run, to add to."""
    shutil.copytree(registered.results, tmp_path / "copy")
    return tmp_path / "copy"


def inputs_of(results: Path) -> ReportInputs:
    plan = results / "preregistration" / "plan.yaml"
    return read_inputs(results, plan=plan, differences=plan.with_name("differences.yaml"))


def write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def test_a_judges_rows_take_the_place_of_not_run(results: Path) -> None:
    """The analysis alone has no labels and says `not run`; the join answers it."""
    assert {row.verdict for row in inputs_of(results).of("E11")} == {"not run"}
    write(results / "consistency" / "computed" / "estimates.csv", JUDGED)
    rows = [row for row in inputs_of(results).of("E11") if row.cell == CELL]
    assert [(row.quantity, row.estimate) for row in rows] == [("accuracy_consistent_correct", 0.75)]


def test_two_judges_are_told_apart(results: Path) -> None:
    """The judge stands in the quantity."""
    for judge in ("computed", "small"):
        write(results / "consistency" / judge / "estimates.csv", JUDGED)
    rows = [row for row in inputs_of(results).of("E11") if row.cell == CELL]
    assert [row.quantity.rpartition(" ")[2] for row in rows] == ["(computed)", "(small)"]


def test_a_vote_stands_beside_the_cost(results: Path) -> None:
    """The baseline adds rows to E9 and takes none away."""
    before = len(inputs_of(results).of("E9"))
    write(cell_files(results, CELL, PROTOCOL).baseline, VOTED)
    rows = inputs_of(results).of("E9")
    assert len(rows) == before + 1
    assert rows[-1].quantity == "accuracy[self_consistency]"
