"""The plan: strict names and numbers, refused with file and line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cot_entropy.base.errors import PlanError
from cot_entropy.plan.differences import load_differences
from cot_entropy.plan.load import load_plan

ROOT = Path(__file__).parents[2]
PLAN = ROOT / "preregistration" / "plan.yaml"


def _edited(tmp_path: Path, old: str, new: str) -> tuple[Path, int]:
    """The plan with the first `old` replaced, and the line of the replacement."""
    text = PLAN.read_text()
    assert old in text
    path = tmp_path / "plan.yaml"
    path.write_text(text.replace(old, new, 1))
    return path, text[: text.index(old)].count("\n") + 1


def test_registered_plan_names_the_eight_cells_in_order() -> None:
    """4 models x 2 datasets, models first, as protocol.md section 2 lists them."""
    assert load_plan(PLAN).plan.cells == (
        "qwen2.5-7b/gsm8k",
        "qwen2.5-7b/math500",
        "mistral-7b/gsm8k",
        "mistral-7b/math500",
        "llama3.1-8b/gsm8k",
        "llama3.1-8b/math500",
        "r1-distill-qwen-7b/gsm8k",
        "r1-distill-qwen-7b/math500",
    )


def test_registered_plan_holds_every_entry_of_the_protocol() -> None:
    """H1..H5 with H4 in two parts, and E1..E15."""
    plan = load_plan(PLAN).plan
    assert [h.id for h in plan.hypotheses] == ["H1", "H2", "H3", "H4a", "H4b", "H5"]
    assert [e.id for e in plan.exploratory] == [f"E{i}" for i in range(1, 16)]


@pytest.mark.parametrize(("identifier", "cells"), [("H1", 6), ("H2", 8), ("H4a", 2), ("H5", 8)])
def test_hypothesis_has_its_cells(identifier: str, cells: int) -> None:
    """Populations of protocol.md section 3."""
    plan = load_plan(PLAN).plan
    entry = next(h for h in plan.hypotheses if h.id == identifier)
    assert len(plan.cells_of(entry)) == cells


def test_comments_and_layout_do_not_change_the_hash(tmp_path: Path) -> None:
    """The plan's hash is that of its content."""
    path, _ = _edited(tmp_path, "alpha: 0.05", "# a comment\nalpha:   5.0e-2")
    assert load_plan(path).sha256 == load_plan(PLAN).sha256


def test_a_changed_number_changes_the_hash(tmp_path: Path) -> None:
    """Every leaf counts."""
    path, _ = _edited(tmp_path, "seed: 20261129", "seed: 20261130")
    assert load_plan(path).sha256 != load_plan(PLAN).sha256


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("estimand: accuracy_gap_pp", "estimand: accuracy_gab", "Input should be"),
        ("interval: agresti_caffo", "interval: agresti_cafo", "Input should be"),
        ("rule: above", "rule: beyond", "Input should be"),
        ("p_value: permutation", "p_value: permutate", "Input should be"),
        ("estimator: eps_sweep", "estimator: eps_swipe", "eps_swipe"),
        ("adjustment: holm", "adjustment: bonferroni", "Input should be"),
        ("resamples: 10000 ", "resample: 10000 ", "resample"),
        ("alpha: 0.05", "alpha: '0.05'", "valid number"),
        ("alpha: 0.05", "alpha: .nan", "finite number"),
        ("no_answer_majority: wrong", "no_answer_majority: right", "Input should be"),
        ("undefined_shape: outside_and_counted", "undefined_shape: zero", "Input should be"),
        ("population: instruct", "population: instructed", "no population `instructed`"),
        ("strata: 3", "strata: 3\n      strate: 4", "Extra inputs"),
        ("criterion: H2", "criterion: H9", "no hypothesis `H9`"),
        ("alpha: 0.05", "alpha: 0.05\nalpha: 0.05", "stands twice"),
        ("id: E2\n", "id: E1\n", "stands twice"),
        ("bins: 10", "bins: 2026-11-29", "put it in quotes"),
        ("alpha: 0.05", "alpha: &a 0.05", "anchors and aliases"),
        ("alpha: 0.05", "alpha: *a", "anchors and aliases"),
        ("alpha: 0.05", "alpha: !!python/name:os.system x", "tags are not allowed"),
        ("alpha: 0.05", "alpha: " + "[" * 30 + "]" * 30, "nested deeper"),
    ],
)
def test_unknown_or_hostile_value_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    """The message names the file, a line at or beside the change, and what is wrong."""
    path, line = _edited(tmp_path, old, new)
    with pytest.raises(PlanError, match=re.escape(message)) as error:
        load_plan(path)
    named = re.match(rf"{re.escape(str(path))}:(\d+): ", str(error.value))
    assert named, str(error.value)
    assert abs(int(named[1]) - line) <= 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("bounds: {threshold: 0.0}", "bounds: {}", "needs the bound `threshold`"),
        ("bounds: {threshold: 0.0}", "bounds: {threshold: 100.0}", "both ways"),
        ("bounds: {threshold: 0.0}", "bounds: {threshold: -100}", "both ways"),
        ("bounds: {threshold: 0.5}", "bounds: {threshold: 1.0}", "both ways"),
        ("bounds: {threshold: 0.5}", "bounds: {threshold: 0.5, low: 0.1}", "no other"),
        ("{low: -0.1, high: 0.1}", "{low: -0.1}", "needs the bounds `low` and `high`"),
        ("{low: -0.1, high: 0.1}", "{low: 0.1, high: -0.1}", "nothing can be supported"),
        ("{low: -0.1, high: 0.1}", "{low: -1.0, high: 1.0}", "nothing can be refuted"),
        ("{low: -0.1, high: 0.1}", "{low: 1.5, high: 2.0}", "nothing can be supported"),
        (
            "{supported: 0.90, refuted: 0.95}",
            "{supported: 0.95, refuted: 0.9}",
            "both could come out",
        ),
        ("{supported: 0.90, refuted: 0.95}", "{supported: 0.8, refuted: 0.9}", "exceeds alpha"),
        ("{supported: 0.95, refuted: 0.95}", "{supported: 0.9, refuted: 0.9}", "exceeds alpha"),
        ("p_value: two_one_sided", "p_value: permutation", "needs the p-value"),
        ("p_value: permutation", "p_value: two_one_sided", "cannot use the p-value"),
        (
            "interval: agresti_caffo",
            "interval: permutation_t",
            "not implemented for accuracy_gap_pp",
        ),
        ("p_value: fisher_two_sided", "p_value: bootstrap", "not implemented for"),
        ("p_value: bootstrap_z", "p_value: fisher_two_sided", "not implemented for filter_auroc"),
    ],
)
def test_a_rule_that_cannot_decide_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    """Every claim must be able to be supported and to be refuted."""
    path, line = _edited(tmp_path, old, new)
    with pytest.raises(PlanError, match=re.escape(message)) as error:
        load_plan(path)
    named = re.match(rf"{re.escape(str(path))}:(\d+): ", str(error.value))
    assert named
    assert abs(int(named[1]) - line) <= 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("a: [1", "not valid YAML"),
        ("- 1\n", "the document"),
        ("a: 1\n---\nb: 2\n", "not valid YAML"),
        ("1: 2\n", "a key must be text"),
    ],
)
def test_no_plan_at_all_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """Empty, broken, several documents, no mapping."""
    path = tmp_path / "plan.yaml"
    path.write_text(text)
    with pytest.raises(PlanError, match=re.escape(message)):
        load_plan(path)


def test_missing_plan_is_refused(tmp_path: Path) -> None:
    """The message says that it cannot be read."""
    with pytest.raises(PlanError, match="cannot be read"):
        load_plan(tmp_path / "none.yaml")


def test_binary_plan_is_refused(tmp_path: Path) -> None:
    """Bytes that are not UTF-8."""
    path = tmp_path / "plan.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PlanError, match="not UTF-8"):
        load_plan(path)


def test_declared_differences_are_all_known_before_results() -> None:
    """No study has been run: nothing can be known after its results."""
    table = load_differences(ROOT / "preregistration" / "differences.yaml")
    assert {difference.known for difference in table} == {"before results"}


def test_the_declared_deciding_intervals_are_the_plans() -> None:
    """The table names, hypothesis by hypothesis, the interval that the plan decides by."""
    words = {
        "agresti_caffo": "Agresti-Caffo",
        "newcombe": "Newcombe",
        "normal_clipped": "normal interval",
        "percentile": "percentile interval",
        "permutation_t": "permutation test",
    }
    table = load_differences(ROOT / "preregistration" / "differences.yaml")
    (declared,) = (one.ours for one in table if one.id == "deciding_interval")
    for hypothesis in load_plan(ROOT / "preregistration" / "plan.yaml").plan.hypotheses:
        before, _, _ = declared.partition(hypothesis.id)
        named = {name: before.rfind(text) for name, text in words.items()}
        assert max(named, key=lambda name: named[name]) == hypothesis.interval


def test_a_difference_declared_twice_is_refused(tmp_path: Path) -> None:
    """The line of the second one is named."""
    entry = (
        "- {id: a, what: b, z26: c, r26: d, ours: e, source: ours, "
        "known: after results, expected_effect: f}\n"
    )
    path = tmp_path / "differences.yaml"
    path.write_text("schema_version: 1\ndifferences:\n" + entry + entry)
    with pytest.raises(PlanError, match=":4: `a` stands twice"):
        load_differences(path)
