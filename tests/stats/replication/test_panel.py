"""The question bootstrap: a question keeps all of its models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tests.stats.replication.planted_panel import planted

from cot_entropy.stats.replication.panel import PanelCell, draw_panel
from cot_entropy.stats.replication.stratified import cell_gaps, cell_z


def test_the_data_itself_comes_first() -> None:
    """Row 0 is the data: its counts and its rho are scipy's."""
    cells = planted(np.random.default_rng(1))
    found = draw_panel(cells, resamples=10, seed=1, signals=("violations",))
    for cell, drawn in zip(cells, found, strict=True):
        assert drawn.shape[0].sum() == len(cell.question_ids)
        right, wrong = drawn.ranks["violations"]
        expected = stats.spearmanr(cell.violations, cell.correct).statistic
        assert np.tanh(cell_z(right, wrong)[0]) == pytest.approx(expected)


def test_copies_of_a_model_move_together() -> None:
    """Two models that gave the same chains have the same draws: questions are drawn, not rows."""
    (cell,) = planted(np.random.default_rng(2), models=["a"], datasets=["easy"])
    twin = replace(cell, name="b/easy")
    first, second = draw_panel([cell, twin], resamples=50, seed=3, signals=())
    assert np.array_equal(first.shape, second.shape)


def test_order_of_rows_does_not_matter() -> None:
    """Cells are matched by question id, not by place."""
    (cell,) = planted(np.random.default_rng(3), models=["a"], datasets=["easy"])
    back = np.arange(len(cell.question_ids))[::-1]
    twin = replace(
        cell,
        name="b/easy",
        question_ids=tuple(cell.question_ids[i] for i in back),
        correct=cell.correct[back],
        monotone=cell.monotone[back],
        violations=cell.violations[back],
    )
    first, second = draw_panel([cell, twin], resamples=50, seed=3, signals=())
    assert np.array_equal(first.shape, second.shape)


def test_datasets_are_drawn_apart() -> None:
    """The same columns under another dataset get draws of their own."""
    (cell,) = planted(np.random.default_rng(4), models=["a"], datasets=["easy"])
    first, second = draw_panel(
        [cell, replace(cell, name="a/hard")], resamples=50, seed=3, signals=()
    )
    assert not np.array_equal(first.shape, second.shape)


def pair(rng: np.random.Generator) -> list[PanelCell]:
    """Two models whose chains have the same shapes on questions of very unequal difficulty."""
    first, second = planted(rng, models=["a", "b"], datasets=["easy"], difficulty=3.0)
    return [first, replace(second, monotone=first.monotone, violations=first.violations)]


def gaps(cells: list[PanelCell], *, resamples: int, seed: int) -> np.ndarray:
    found = draw_panel(cells, resamples=resamples, seed=seed, signals=())
    return cell_gaps(np.stack([one.shape for one in found], axis=1))


def test_covariance_of_cells_is_that_of_repeated_studies() -> None:
    """The bootstrap's errors and correlation of two cells' gaps, against new studies."""
    rng = np.random.default_rng(5)
    truth = np.cov(np.array([gaps(pair(rng), resamples=1, seed=1)[0] for _ in range(800)]).T)
    drawn = [np.cov(gaps(pair(rng), resamples=500, seed=seed)[1:].T) for seed in range(10)]
    found = np.mean(drawn, axis=0)
    assert found[0, 0] == pytest.approx(truth[0, 0], rel=0.12)
    correlation = truth[0, 1] / np.sqrt(truth[0, 0] * truth[1, 1])
    assert correlation > 0.3
    assert found[0, 1] / np.sqrt(found[0, 0] * found[1, 1]) == pytest.approx(correlation, abs=0.08)


def test_a_question_that_a_model_lacks() -> None:
    """Its row counts nothing in that cell, and the others keep it."""
    first, second = planted(np.random.default_rng(6), models=["a", "b"], datasets=["easy"])
    short = replace(
        second,
        question_ids=second.question_ids[10:],
        correct=second.correct[10:],
        monotone=second.monotone[10:],
        violations=second.violations[10:],
        coherence=second.coherence[10:],
        chain_units=second.chain_units[10:],
    )
    found = draw_panel([first, short], resamples=5, seed=1, signals=())
    assert found[0].shape[0].sum() == 300
    assert found[1].shape[0].sum() == 290
