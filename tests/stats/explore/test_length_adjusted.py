"""E6: strata by loops, the regression against scikit-learn and 2x2 arithmetic, separation."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from cot_entropy.plan.entries.length_adjusted import LengthAdjusted
from cot_entropy.stats.estimators.length_adjusted import estimate
from cot_entropy.stats.explore.separation import separated

from .simulated import by_quantity, entry_of, random_rows

COVARIATES = ["n_units_chain", "chain_tokens", "chain_truncated"]
ENTRY = entry_of(
    LengthAdjusted,
    "E6",
    "length_adjusted",
    strata=3,
    stratify_by=["n_units_chain", "chain_tokens"],
    covariates=COVARIATES,
)


def run(cell, settings):
    return by_quantity(estimate(cell, ENTRY, settings))


def test_strata_are_disjoint_and_cover_the_cell(cell, settings):
    """Every question with a shape is in one stratum of each kind."""
    rows = [row for name, row in run(cell, settings).items() if name.startswith("accuracy_gap_pp")]
    for kind in ("chain_tokens", "n_units_chain", "truncated"):
        assert sum(row.n for row in rows if kind in row.quantity) == cell.shape_defined.sum()


def test_gap_within_a_stratum_equals_a_loop(cell, settings):
    """The stratum is named by its range; the gap is that of the questions in it."""
    name = next(name for name in run(cell, settings) if name.startswith("accuracy_gap_pp[chain_t"))
    low, high = map(int, name.removesuffix("]").split()[1].split(".."))
    tokens = cell.values("chain_tokens")
    inside = (tokens >= low) & (tokens <= high) & cell.shape_defined
    yes, no = inside & cell.monotone, inside & ~cell.monotone
    gap = 100 * (cell.correct[yes].mean() - cell.correct[no].mean())
    assert run(cell, settings)[name].estimate == pytest.approx(gap)


def test_unadjusted_odds_ratio_is_the_cross_product(cell, settings):
    """A logistic regression on one flag gives ad / bc of the 2x2 table."""
    kept = cell.shape_defined
    flag, right = cell.monotone[kept], cell.correct[kept]
    cross = ((flag & right).sum() * (~flag & ~right).sum()) / (
        (flag & ~right).sum() * (~flag & right).sum()
    )
    assert run(cell, settings)["odds_ratio[shape_flag]"].estimate == pytest.approx(cross, rel=1e-5)


def test_adjusted_odds_ratio_equals_sklearn(cell, settings):
    """Unpenalised logistic regression of scikit-learn on the same, unscaled covariates."""
    kept = cell.shape_defined
    columns = [cell.monotone[kept].astype(float), *(cell.values(name)[kept] for name in COVARIATES)]
    design = np.column_stack([columns[0], *((c - c.mean()) / c.std() for c in columns[1:])])
    fitted = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(design, cell.correct[kept])
    row = run(cell, settings)["adjusted_odds_ratio[shape_flag]"]
    assert row.estimate == pytest.approx(np.exp(fitted.coef_[0, 0]), rel=1e-4)
    assert row.ci_low < row.estimate < row.ci_high


def test_separation_is_stated_instead_of_a_coefficient(make_cell, settings):
    """Every monotone chain right: a zero cell, no odds ratio."""
    rows = [row | {"correct": True} if row["monotone"] else row for row in random_rows(80)]
    row = run(make_cell(rows), settings)["adjusted_odds_ratio[shape_flag]"]
    assert row.estimate is None
    assert row.reason.startswith("separation")


def test_constant_covariate_is_left_out_and_named(make_cell, settings):
    """No truncated chain: the covariate cannot be adjusted for."""
    cell = make_cell([row | {"chain_truncated": False} for row in random_rows(100)])
    row = run(cell, settings)["adjusted_odds_ratio[shape_flag]"]
    assert "left out as constant or collinear: chain_truncated" in row.reason
    assert row.estimate is not None


@pytest.mark.parametrize("change", [{"correct": True}, {"monotone": True, "violations": 0}])
def test_one_class_or_one_flag_is_not_assessable(make_cell, settings, change):
    """Nothing to regress."""
    cell = make_cell([row | change for row in random_rows(30)])
    assert run(cell, settings)["odds_ratio[shape_flag]"].verdict == "not assessable"


@pytest.mark.parametrize("n", [1, 2, 3])
def test_tiny_cells_are_defined(make_cell, settings, n):
    """A row for the regression, never a warning or a NaN."""
    rows = run(make_cell(random_rows(n, seed=9)), settings)
    assert "adjusted_odds_ratio[shape_flag]" in rows


@pytest.mark.parametrize(
    ("scores", "outcome", "expected"),
    [
        ([-2.0, -1, 1, 2], [0, 0, 1, 1], True),
        ([-2.0, 0, 0, 2], [0, 0, 1, 1], True),
        ([-2.0, 1, -1, 2], [0, 0, 1, 1], False),
    ],
)
def test_separation_on_a_line(scores, outcome, expected):
    """One covariate: separated, separated but for a tie, overlapping."""
    design = np.column_stack([np.ones(4), scores])
    assert separated(design, np.array(outcome, dtype=bool)) is expected
