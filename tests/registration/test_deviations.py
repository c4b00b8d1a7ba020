"""Declared deviations: one change of one item each, with all that a reader asks."""

from pathlib import Path

import pytest

from cot_entropy.base.errors import PlanError
from cot_entropy.registration.deviations import load_deviations

ONE = """\
schema_version: 1
deviations:
  - id: D1
    item: stage/score
    found: abc
    what: Full-width digits are read.
    why: One model writes them.
    when: "2026-12-03"
    results_seen: after
    expected_effect: Higher accuracy in one cell.
"""
FROZEN = {"stage/score": "old", "plan/alpha": "x"}


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "deviations.yaml"
    path.write_text(text)
    return path


def test_a_deviation_names_one_change_of_one_item(tmp_path: Path) -> None:
    table = load_deviations(write(tmp_path, ONE), frozen=FROZEN)
    found = table.naming("stage/score", "abc")
    assert found is not None
    assert found.id == "D1"
    assert table.naming("stage/score", "a later change") is None
    assert table.naming("stage/chains", "abc") is None


@pytest.mark.parametrize("key", ["what", "why", "when", "results_seen", "expected_effect", "found"])
def test_every_answer_is_needed(tmp_path: Path, key: str) -> None:
    lines = [line for line in ONE.splitlines() if not line.strip().startswith(f"{key}:")]
    with pytest.raises(PlanError, match=key):
        load_deviations(write(tmp_path, "\n".join(lines)))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("results_seen: after", "results_seen: maybe", "results_seen"),
        ('"2026-12-03"', '"soon"', "when"),
        ("item: stage/score", "item: stagescore", "item"),
        ("item: stage/score", "item: stages/score", ":4: .*nothing that the freeze holds"),
        ("found: abc", "found: old", ":5: .*nothing deviates"),
    ],
)
def test_a_wrong_value_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        load_deviations(write(tmp_path, ONE.replace(old, new)), frozen=FROZEN)


def test_an_id_stands_once(tmp_path: Path) -> None:
    entry = ONE.split("deviations:\n")[1]
    with pytest.raises(PlanError, match=":11: `D1` stands twice"):
        load_deviations(write(tmp_path, ONE + entry))


def test_aliases_are_refused(tmp_path: Path) -> None:
    text = ONE.replace("what: Full", "what: &a Full").replace(
        "why: One model writes them.", "why: *a"
    )
    with pytest.raises(PlanError, match="anchors and aliases"):
        load_deviations(write(tmp_path, text))
