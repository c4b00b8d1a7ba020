"""The smallest gap that a cell of the run detects."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep
from tests.report.synthetic_run import PLAN

from cot_entropy.plan.load import load_plan
from cot_entropy.report.figures.detectable import detectable_by_cell
from cot_entropy.stats.read_tables import Row

GROUP, RIGHT = 32, 40
"""Two groups of 32 chains, 40 of all right: accuracy 0.625."""
CELL = Row(
    id="H1",
    cell="m/d",
    kind="exploratory",
    verdict="supported",
    n=2 * GROUP,
    n_monotone=GROUP,
    n_correct=RIGHT,
)


def power(gap: float) -> float:
    """The registered rule over every pair of counts, by SciPy and statsmodels.

    Supported: at least 10 right and 10 wrong, Agresti-Caffo interval above 0, Fisher's p < 0.05.
    """
    accuracy = RIGHT / (2 * GROUP)
    right = [
        stats.binom.pmf(np.arange(GROUP + 1), GROUP, accuracy + s * gap / 200) for s in (1, -1)
    ]
    supported = assessable = 0.0
    for a in range(GROUP + 1):
        for b in range(GROUP + 1):
            if not 10 <= a + b <= 2 * GROUP - 10:
                continue
            weight = right[0][a] * right[1][b]
            assessable += weight
            if a <= b:
                continue
            low, _ = confint_proportions_2indep(a, GROUP, b, GROUP, method="agresti-caffo")
            table = [[a, GROUP - a], [b, GROUP - b]]
            if low > 0 and stats.fisher_exact(table).pvalue < 0.05:
                supported += weight
    return supported / assessable


def test_a_gap_of_that_size_has_80_percent_power() -> None:
    """Independent arithmetic over all 33 x 33 outcomes gives 0.8 at the gap found."""
    figure = detectable_by_cell(load_plan(PLAN).plan, [CELL])
    assert figure is not None
    gap = figure.rows[0][figure.columns.index("gap_pp")]
    assert isinstance(gap, float)
    assert power(gap) == pytest.approx(0.8, abs=1e-3)


def test_holms_first_step_needs_a_larger_gap() -> None:
    """Alpha over the two cells of the family asks for more than alpha."""
    figure = detectable_by_cell(load_plan(PLAN).plan, [CELL, replace(CELL, cell="m/e")])
    assert figure is not None
    last, first = (figure.rows[0][figure.columns.index(f"gap_pp{s}")] for s in ("", "_first_step"))
    assert isinstance(last, float)
    assert isinstance(first, float)
    assert first > last


@pytest.mark.parametrize("monotone", [0, 2 * GROUP, 10])
def test_a_group_that_is_too_small_detects_nothing(monotone: int) -> None:
    """30 chains are the registered minimum; the cell's line says `not defined`."""
    figure = detectable_by_cell(load_plan(PLAN).plan, [replace(CELL, n_monotone=monotone)])
    assert figure is not None
    assert figure.rows[0][figure.columns.index("gap_pp")] is None
    assert "not defined" in figure.panels[0]


def test_a_cell_that_was_not_run_has_no_line() -> None:
    """It has no sizes."""
    absent = Row(id="H1", cell="m/d", kind="confirmatory", verdict="not run")
    assert detectable_by_cell(load_plan(PLAN).plan, [absent]) is None
