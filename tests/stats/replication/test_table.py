"""replication.csv: pairs of studies and the cells together, whatever is missing or degenerate."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.stats.replication.planted_panel import planted

from cot_entropy.base.errors import DataError
from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Plan
from cot_entropy.stats.published.model import load_published
from cot_entropy.stats.replication.panel import PanelCell
from cot_entropy.stats.replication.rows import (
    THIS_RUN,
    ReplicationRow,
    read_replication,
)
from cot_entropy.stats.replication.table import replication_table, write_replication
from cot_entropy.stats.rows import Estimate
from cot_entropy.stats.two_by_two import TwoByTwo, gap_of

PLAN = Path(__file__).parents[3] / "preregistration" / "plan.yaml"
MODELS = ("qwen2.5-7b", "mistral-7b", "llama3.1-8b")


@pytest.fixture(scope="module")
def plan() -> Plan:
    """The registered plan with few resamples."""
    return load_plan(PLAN).plan.model_copy(update={"resamples": 300})


def table(plan: Plan, cells: list[PanelCell], *verdicts: Estimate) -> list[ReplicationRow]:
    studies = load_published(PLAN.with_name("published.yaml")).studies
    return replication_table(plan, studies, cells, verdicts)


def panel(models: tuple[str, ...] = MODELS, **more: float) -> list[PanelCell]:
    rng = np.random.default_rng(1)
    return planted(rng, models=models, datasets=["gsm8k", "math500"], questions=400, **more)  # type: ignore[arg-type]


def test_this_run_replicates_each_published_study(plan: Plan) -> None:
    """Our gap on Qwen's GSM8K stands beside Z26's, R26's and the pilot's."""
    rows = table(plan, panel())
    ours = [row for row in rows if row.replication == THIS_RUN and row.scale == "accuracy_gap_pp"]
    named = {row.original for row in ours if row.cell == "qwen2.5-7b/gsm8k"}
    assert named == {"z26-full-gsm8k", "z26-pilot", "r26-gsm8k"}
    cell = panel()[0]
    counts = TwoByTwo.of([int(n) for n in cell.memberships().sum(axis=0)])
    row = next(one for one in ours if one.quantity == "replication_effect")
    assert row.estimate == pytest.approx(gap_of(counts))
    assert row.basis == "measured"


def test_a_planted_effect_is_found_over_all_cells(plan: Plan) -> None:
    """The pooled gap lies above 0; a new benchmark is not estimable."""
    rows = {(row.hypothesis, row.scale, row.quantity): row for row in table(plan, panel())}
    assert rows["H1", "accuracy_gap_pp", "pooled_effect"].met is True
    assert rows["H1", "odds_ratio", "gee_odds_ratio"].estimate == pytest.approx(
        rows["H1", "odds_ratio", "pooled_effect"].estimate, rel=0.05
    )
    prediction = rows["H1", "odds_ratio", "prediction_new_benchmark"]
    assert (prediction.estimate, prediction.reason[:13]) == (None, "not estimable")
    assert rows["H4a", "", "pooled_effect"].reason.startswith("not run")


def test_no_planted_effect_is_not_supported(plan: Plan) -> None:
    """No effect: the rule is not met."""
    rows = table(plan, panel(log_odds=0.0))
    (row,) = [
        one
        for one in rows
        if (one.hypothesis, one.scale, one.quantity) == ("H1", "accuracy_gap_pp", "pooled_effect")
    ]
    assert row.met is False


def test_two_models_predict_no_third(plan: Plan) -> None:
    """Two complete models are too few for a prediction."""
    rows = table(plan, panel(MODELS[:2]))
    (row,) = [
        one
        for one in rows
        if (one.hypothesis, one.scale, one.quantity) == ("H1", "odds_ratio", "prediction_new_model")
    ]
    assert row.reason == "not estimable: 2 complete models"


def test_cells_outside_the_plan_are_pooled_among_themselves(plan: Plan) -> None:
    """The demo's cells: E15 over them, no pair with a published study."""
    rows = table(plan, planted(np.random.default_rng(2), models=["toy"], questions=200))
    assert not any(row.replication == THIS_RUN for row in rows)
    assert {row.hypothesis for row in rows if row.quantity == "pooled_effect"} == {"H1", "H2", "H3"}


@pytest.mark.parametrize("outcome", [True, False])
def test_one_outcome_has_reasons_and_no_numbers(plan: Plan, outcome: bool) -> None:
    """All right, or all wrong: every number is left out with a reason, none is infinite."""
    cells = [
        replace(cell, correct=np.full(len(cell.correct), outcome)) for cell in panel(MODELS[:1])
    ]
    for row in table(plan, cells):
        if row.id == "E15" and row.hypothesis == "H1" and row.estimate is None and not row.p_value:
            assert row.reason
        assert row.estimate is None or math.isfinite(row.estimate)


def test_nothing_monotone(plan: Plan) -> None:
    """The distilled model's cells: no group, no pooled gap, no odds ratio, and no failure."""
    cells = [
        replace(cell, monotone=np.zeros(400, dtype=bool), violations=np.ones(400))
        for cell in panel(("r1-distill-qwen-7b",))
    ]
    rows = {(row.hypothesis, row.scale, row.quantity): row for row in table(plan, cells)}
    assert rows["H4a", "accuracy_gap_pp", "pooled_effect"].estimate is None
    assert rows["H4a", "odds_ratio", "gee_odds_ratio"].estimate is None


def test_no_run_at_all(plan: Plan) -> None:
    """Only the published studies; E15 counts the tests that there are."""
    rows = table(plan, [])
    assert {row.id for row in rows} == {"E14", "E15"}
    assert not any(row.quantity == "pooled_effect" for row in rows)


def test_closed_testing_disagrees_where_holm_is_stricter(plan: Plan) -> None:
    """Six cells with p = 0.02: Holm's 0.12, Simes's closure 0.02, and both are said."""
    verdicts = [
        Estimate(
            id="H1", cell=cell, quantity="accuracy_gap_pp", kind="exploratory", p_value=0.02,
            p_holm=0.12, verdict="inconclusive",
        )
        for cell in plan.cells_of(plan.hypotheses[0])
    ]  # fmt: skip
    rows = [row for row in table(plan, [], *verdicts) if row.quantity == "closed_testing"]
    assert len(rows) == 6
    assert all(row.p_value == pytest.approx(0.02) and row.met for row in rows)
    assert {row.reason for row in rows} == {"disagrees with Holm: 0.12"}


def test_untested_cells_count_as_one(plan: Plan) -> None:
    """One tested cell of six: its p by closure is that of Holm's first step."""
    cells = plan.cells_of(plan.hypotheses[0])
    verdicts = [
        Estimate(
            id="H1", cell=cell, quantity="accuracy_gap_pp", kind="exploratory",
            p_value=0.001 if cell == cells[0] else None, p_holm=0.006 if cell == cells[0] else None,
            verdict="supported" if cell == cells[0] else "not run",
        )
        for cell in cells
    ]  # fmt: skip
    (row,) = [row for row in table(plan, [], *verdicts) if row.quantity == "closed_testing"]
    assert row.p_value == pytest.approx(0.006)
    assert row.reason == "as Holm"


def test_rows_survive_the_file(plan: Plan, tmp_path: Path) -> None:
    """What is read is what was written."""
    rows = table(plan, panel(MODELS[:1]))
    write_replication(tmp_path / "replication.csv", rows)
    assert list(read_replication(tmp_path / "replication.csv")) == rows


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("quantity", "kwantity", r"replication.csv:1: the columns are not id, "),
        ("E14,", "E99,", r"replication.csv:2: id"),
        ("matched", "nearly", r"replication.csv:2: design"),
    ],
)
def test_a_damaged_table_is_refused_with_its_line(
    plan: Plan, tmp_path: Path, old: str, new: str, message: str
) -> None:
    """One line: file, line, column."""
    path = tmp_path / "replication.csv"
    write_replication(path, table(plan, []))
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(DataError, match=message):
        read_replication(path)


def test_no_table() -> None:
    """A run without one says so."""
    with pytest.raises(DataError, match="no such file; run the analysis first"):
        read_replication(Path("nowhere/replication.csv"))
