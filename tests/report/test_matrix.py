"""The verdict matrix and its words."""

from tests.report.reported_runs import Reported

from cot_entropy.report.inputs import read_inputs
from cot_entropy.report.matrix import Matrix, shared_reasons, tally, verdict_matrix
from cot_entropy.stats.read_tables import Row
from cot_entropy.stats.rows import Kind, Verdict


def row(
    verdict: Verdict, *, kind: Kind = "confirmatory", reason: str = "", cell: str = "m/d"
) -> Row:
    return Row(id="H1", cell=cell, kind=kind, verdict=verdict, reason=reason)


def matrix(run: Reported) -> Matrix:
    differences = run.plan.with_name("differences.yaml")
    return verdict_matrix(read_inputs(run.results, plan=run.plan, differences=differences))


def test_a_tally_counts_cells_by_verdict() -> None:
    """The reader's first sentence about a hypothesis."""
    rows = [row("supported"), row("inconclusive"), row("supported"), row("not run")]
    assert tally(rows) == "Supported in 2 of 4 cells, inconclusive in 1, not run in 1."


def test_exploratory_verdicts_are_tallied_apart() -> None:
    """They never add to what was confirmed."""
    rows = [row("supported"), row("refuted", kind="exploratory")]
    assert tally(rows) == "Supported in 1 of 1 cell. Exploratory: refuted in 1 of 1 cell."


def test_a_reason_that_all_share_is_said_once() -> None:
    """Only the part that differs stays with its row."""
    rows = [row("supported", reason="a; unverified"), row("refuted", reason="unverified")]
    assert shared_reasons(rows) == ("unverified",)


def test_cells_without_any_run_have_no_column(scripted: Reported) -> None:
    """They are named beside the matrix: none is left out."""
    found = matrix(scripted)
    assert found.cells == ("toy/wordproblems", "toy/algebra")
    assert len(found.not_run) == 8
    assert "qwen2.5-7b/gsm8k" in found.not_run


def test_a_run_without_a_freeze_confirms_nothing(registered: Reported) -> None:
    """A cell of the plan does not make its verdict confirmatory."""
    assert matrix(registered).sentence.startswith("No verdict here is confirmatory.")
