"""PREREGISTRATION.md is the plan, and is current."""

import shutil
from pathlib import Path

import pytest
from tests.projects import PROJECT

from cot_entropy.plan.load import load_plan
from cot_entropy.registration.register import decision, render, share
from cot_entropy.stats.calibration.decidable import DecidableRow
from cot_entropy.stats.calibration.records import write_records

PLAN = PROJECT / "preregistration/plan.yaml"


@pytest.fixture(scope="module")
def text() -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(PROJECT)
        return render()


def test_it_is_current(text: str) -> None:
    """Write it again with: python -m cot_entropy.registration.register."""
    assert (PROJECT / "preregistration/PREREGISTRATION.md").read_text() == text


@pytest.mark.parametrize(
    "section",
    ["Study information", "Design plan", "Sampling plan", "Variables", "Analysis plan", "Other"],
)
def test_it_has_the_sections_of_osfs_template(text: str, section: str) -> None:
    assert f"\n## {section}\n" in text


def test_every_plan_id_has_a_row(text: str) -> None:
    plan = load_plan(PLAN).plan
    for entry in plan.entries:
        assert f"\n| {entry.id} | " in text


def test_a_decision_reads_as_the_rule_says() -> None:
    """Two one-sided tests at 0.05: the 90 % interval inside; the 95 % interval outside."""
    h2 = next(one for one in load_plan(PLAN).plan.hypotheses if one.id == "H2")
    words = decision(h2)
    assert words.startswith("supported: 90 % ")
    assert "wholly inside [-0.1, 0.1]; refuted: 95 % " in words
    assert words.endswith("wholly outside [-0.1, 0.1]")


def test_every_table_row_has_as_many_cells_as_its_header(text: str) -> None:
    width = None
    for line in text.splitlines():
        if not line.startswith("|"):
            width = None
            continue
        cells = line.replace("\\|", "").count("|")
        width = width or cells
        assert cells == width, line


def test_what_the_design_decides_is_the_calibrations_own_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every row of decidable.csv is a row of the document, and nobody types a number."""
    for folder in ("preregistration", "config"):
        shutil.copytree(PROJECT / folder, tmp_path / folder)
    beside = tmp_path / "preregistration/calibration"
    beside.mkdir(exist_ok=True)
    row = DecidableRow(
        hypotheses="H1 H4a",
        estimand="accuracy_gap_pp",
        n=1319,
        verdict="supported",
        effect=10.0,
        settings=25,
        decided=17,
        decided_first_step=11,
        power_least=0.123,
        power_most=0.9987,
    )
    write_records(beside / "decidable.csv", [row], DecidableRow)
    monkeypatch.chdir(tmp_path)
    line = "| H1, H4a | 1319 | supported | 10 | 17 of 25 | 11 of 25 | 0.12 to > 0.99 |"
    assert line in render().splitlines()


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0.00"), (0.004, "< 0.01"), (0.5, "0.50"), (0.996, "> 0.99"), (1.0, "1.00")],
)
def test_a_probability_is_certain_only_where_it_is(value: float, shown: str) -> None:
    assert share(value) == shown


def test_no_template_mark_is_left(text: str) -> None:
    assert "{{" not in text
    assert "{%" not in text
