"""GEE on the panel: against statsmodels' other routes, and planted effects."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from tests.stats.replication.planted_panel import planted

from cot_entropy.stats.replication.clustered import Fitted, fit_clustered, panel_rows


def fitted(found: Fitted | str) -> Fitted:
    assert isinstance(found, Fitted), found
    return found


def test_it_is_the_generalised_estimating_equation() -> None:
    """statsmodels' GEE with an independence working correlation: the same flag and error."""
    rows = panel_rows(*[planted(np.random.default_rng(1))] * 2)
    found = fitted(fit_clustered(rows, [rows.flag], kept=np.ones(len(rows.flag))))
    theirs = sm.GEE(
        rows.correct,
        rows.design([rows.flag]),
        groups=rows.question,
        family=sm.families.Binomial(),
        cov_struct=sm.cov_struct.Independence(),
    ).fit()
    assert found.effect(0).estimate == pytest.approx(theirs.params[-1], abs=1e-6)
    assert found.effect(0).error == pytest.approx(theirs.bse[-1], abs=1e-6)


def test_shared_questions_widen_the_error_of_a_shared_cause() -> None:
    """A flag that all models share by question: the clustered error exceeds the naive one."""
    cells = planted(np.random.default_rng(2), models=list("abcd"), datasets=["easy"])
    shared = [
        type(cell)(**{**vars(cell), "monotone": cells[0].monotone}) if index else cell
        for index, cell in enumerate(cells)
    ]
    rows = panel_rows(shared, shared)
    found = fitted(fit_clustered(rows, [rows.flag], kept=np.ones(len(rows.flag))))
    naive = sm.GLM(rows.correct, rows.design([rows.flag]), family=sm.families.Binomial()).fit()
    assert found.effect(0).error > 1.3 * naive.bse[-1]


@pytest.mark.parametrize("log_odds", [0.0, 0.8, -0.5])
def test_planted_effect_given_equal_difficulty(log_odds: float) -> None:
    """Without differences in difficulty the odds ratio is the planted one."""
    cells = planted(np.random.default_rng(3), questions=4000, log_odds=log_odds, difficulty=0.0)
    rows = panel_rows(cells, cells)
    effect = fitted(fit_clustered(rows, [rows.flag], kept=np.ones(len(rows.flag)))).effect(0)
    assert abs(effect.estimate - log_odds) < 3.5 * effect.error


def test_planted_interaction_with_the_dataset() -> None:
    """An effect larger by 1.0 in one dataset is found there."""
    cells = planted(np.random.default_rng(4), questions=4000, difficulty=0.0, slope={"hard": 1.0})
    rows = panel_rows(cells, cells)
    hard = np.array([name.endswith("/hard") for name in rows.names], dtype=float)[rows.cell]
    found = fitted(fit_clustered(rows, [rows.flag, rows.flag * hard], kept=np.ones(len(rows.flag))))
    effect = found.effect(1)
    assert abs(effect.estimate - 1.0) < 3.5 * effect.error
    assert found.wald_p([1]) == pytest.approx(effect.p_value)


def test_accuracy_of_the_others_leaves_the_model_out() -> None:
    """Three models: the others of a question are two, and their mean is one of 0, 1/2, 1."""
    cells = planted(np.random.default_rng(5), questions=20)
    rows = panel_rows(cells, cells)
    assert set(rows.others) <= {0.0, 0.5, 1.0}
    first = [cell.correct[0] for cell in cells if cell.dataset == "easy"]
    assert rows.others[0] == pytest.approx(np.mean(first[1:]))


def test_alone_there_are_no_others() -> None:
    """One model: undefined."""
    cells = planted(np.random.default_rng(6), models=["a"], questions=20)
    assert np.isnan(panel_rows(cells, cells).others).all()


def test_all_chains_of_one_shape() -> None:
    """A flag without variation is said, not fitted."""
    cells = planted(np.random.default_rng(7), questions=50)
    rows = panel_rows(cells, cells)
    found = fit_clustered(rows, [np.ones(len(rows.flag))], kept=np.ones(len(rows.flag)))
    assert found == "the flag and the cells are collinear, or no question is left"


def test_separation() -> None:
    """A flag that is the outcome has no finite odds ratio."""
    cells = planted(np.random.default_rng(8), questions=50)
    rows = panel_rows(cells, cells)
    found = fit_clustered(rows, [rows.correct], kept=np.ones(len(rows.flag)))
    assert found == "separation: no finite odds ratio exists"


def test_nothing_kept() -> None:
    """No rows: said."""
    cells = planted(np.random.default_rng(9), questions=20)
    rows = panel_rows(cells, cells)
    assert isinstance(fit_clustered(rows, [rows.flag], kept=np.zeros(len(rows.flag))), str)
