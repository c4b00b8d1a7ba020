"""E15's multiplicity: how many tests, and closed testing beside Holm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cot_entropy.plan.model import Plan
from cot_entropy.stats.replication.multiplicity import closed_testing, true_discoveries
from cot_entropy.stats.replication.rows import EVERY_CELL, ReplicationRow
from cot_entropy.stats.rows import Estimate

UNTESTED = frozenset({"not assessable", "not run", "failed"})


def family_rows(plan: Plan, verdicts: Sequence[Estimate]) -> Iterator[ReplicationRow]:
    """Per hypothesis: each tested cell's p by closed testing, and how many effects are certain.

    Cells without a test count as p = 1 in both adjustments, as the plan has it.
    """
    registered = [row for row in verdicts if row.cell in plan.cells]
    tested = [row for row in registered if row.verdict not in UNTESTED]
    yield ReplicationRow(
        id="E15",
        hypothesis="all",
        cell=EVERY_CELL,
        quantity="registered_tests",
        estimate=float(len(registered)),
        n=len(tested),
        reason=(
            f"{len(plan.hypotheses)} hypotheses over {len(plan.cells)} cells, {len(tested)} tested;"
            " adjusted over the cells of each hypothesis, not over the hypotheses"
        ),
    )
    for hypothesis in plan.hypotheses:
        family = [row for row in registered if row.id == hypothesis.id]
        p_values = [row.p_value if row.verdict not in UNTESTED else None for row in family]
        if all(p is None for p in p_values):
            continue
        for row, p in zip(family, closed_testing(p_values), strict=True):
            if p is not None:
                yield _closed(row, p, plan.alpha)
        yield ReplicationRow(
            id="E15",
            hypothesis=hypothesis.id,
            cell=EVERY_CELL,
            quantity="cells_with_an_effect_at_least",
            estimate=float(true_discoveries(p_values, alpha=plan.alpha)),
            n=len(family),
            reason=f"Simes closure, confidence {1 - plan.alpha:.0%}; n is the cells registered",
        )


def _closed(row: Estimate, p: float, alpha: float) -> ReplicationRow:
    by_holm = row.p_holm is not None and row.p_holm < alpha
    agrees = (p < alpha) is by_holm
    holm = "none" if row.p_holm is None else f"{row.p_holm:.3g}"
    return ReplicationRow(
        id="E15",
        hypothesis=row.id,
        cell=row.cell,
        quantity="closed_testing",
        p_value=p,
        met=p < alpha,
        n=row.n,
        reason="as Holm" if agrees else f"disagrees with Holm: {holm}",
    )
