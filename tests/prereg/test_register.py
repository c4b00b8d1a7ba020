"""PREREGISTRATION.md is the plan, and is current."""

import pytest
from projects import PROJECT

from cot_entropy.prereg.plan import load_plan
from cot_entropy.prereg.register import decision, render

PLAN = PROJECT / "preregistration/plan.yaml"


@pytest.fixture(scope="module")
def text() -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(PROJECT)
        return render()


def test_it_is_current(text: str) -> None:
    """Write it again with: python -m cot_entropy.prereg.register."""
    assert (PROJECT / "preregistration/PREREGISTRATION.md").read_text() == text


@pytest.mark.parametrize(
    "section",
    ["Study information", "Design plan", "Sampling plan", "Variables", "Analysis plan", "Other"],
)
def test_it_has_the_sections_of_osfs_template(text: str, section: str) -> None:
    assert f"\n## {section}\n" in text


def test_every_plan_id_has_a_row(text: str) -> None:
    plan = load_plan(PLAN).plan
    for entry in (*plan.hypotheses, *plan.exploratory):
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


def test_no_template_mark_is_left(text: str) -> None:
    assert "{{" not in text
    assert "{%" not in text
