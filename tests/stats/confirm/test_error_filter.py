"""The filter of H5: features, folds, and equality with scikit-learn in every resample."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.stats.explore.simulated import random_rows

from cot_entropy.formats.trajectories import write_trajectories
from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Filter, FilterFeature
from cot_entropy.stats.cells import Cell, Settings, read_cell
from cot_entropy.stats.confirm.error_filter import (
    FilterSample,
    deal_folds,
    filter_sample,
    filter_statistics,
)
from cot_entropy.stats.confirm.error_filter_evidence import FilterSampleOfCell
from cot_entropy.stats.resampling import bootstrap

ROOT = Path(__file__).parents[3]
FEATURES: tuple[FilterFeature, ...] = (
    "first_entropy",
    "last_entropy",
    "mean_entropy",
    "largest_drop",
    "n_units",
)
MODEL = Filter(features=list(FEATURES), penalty=1.0, folds=5, coverages=[0.9, 0.5])


def cell_of(tmp_path: Path, rows: list[dict]) -> Cell:
    path = tmp_path / "t.parquet"
    write_trajectories(path, rows)
    return read_cell(path)


@pytest.fixture
def sample(tmp_path: Path) -> FilterSample:
    return filter_sample(cell_of(tmp_path, random_rows(600, seed=2)), FEATURES)


def test_only_monotone_chains_are_in(tmp_path: Path) -> None:
    """A plain loop over the rows."""
    rows = random_rows(100, seed=1)
    sample = filter_sample(cell_of(tmp_path, rows), FEATURES)
    expected = [index for index, row in enumerate(rows) if row["monotone"]]
    assert 0 < len(expected) < 100
    assert sample.questions.tolist() == expected
    assert sample.wrong.tolist() == [not rows[index]["correct"] for index in expected]


def test_features_by_a_plain_loop(tmp_path: Path) -> None:
    """First, last, mean, largest drop over the defined entropies, and N."""
    rows = random_rows(200, seed=3)
    sample = filter_sample(cell_of(tmp_path, rows), FEATURES)
    for question, got in zip(sample.questions, sample.features, strict=True):
        defined = [h for h in rows[question]["entropies"] if h is not None]
        drops = [a - b for a, b in pairwise(defined)]
        expected = [
            *(defined[0], defined[-1], np.mean(defined), max(drops)),
            rows[question]["n_units"],
        ]
        assert got == pytest.approx(expected, abs=1e-8)


def test_folds_are_balanced_within_each_outcome(sample: FilterSample) -> None:
    """Any two folds differ by at most one question of an outcome, and by one in all."""
    rng = np.random.default_rng(0)
    drawn = rng.random((20, len(sample.wrong))) < 0.63
    folds = deal_folds(drawn, sample.wrong, folds=5, rng=rng)
    for row, present in zip(folds, drawn, strict=True):
        for chosen in (present & sample.wrong, present & ~sample.wrong, present):
            sizes = np.bincount(row[chosen], minlength=5)
            assert sizes.max() - sizes.min() <= 1


def test_folds_differ_between_resamples(sample: FilterSample) -> None:
    """They are dealt anew."""
    drawn = np.ones((2, len(sample.wrong)), dtype=bool)
    folds = deal_folds(drawn, sample.wrong, folds=5, rng=np.random.default_rng(0))
    assert not np.array_equal(folds[0], folds[1])


def test_every_pair_of_questions_can_share_a_fold() -> None:
    """Six questions of one outcome, two folds of three: a given pair shares one in 2 of 5 deals."""
    drawn = np.ones((4000, 6), dtype=bool)
    folds = deal_folds(drawn, np.zeros(6, dtype=bool), folds=2, rng=np.random.default_rng(1))
    share = (folds[:, 0] == folds[:, 1]).mean()
    assert share == pytest.approx(0.4, abs=4 * np.sqrt(0.24 / 4000))


def by_sklearn(sample: FilterSample, counts: np.ndarray, folds: np.ndarray) -> float:
    """One resample written out: every copy a row, fold by fold."""
    scores = []
    for fold in range(5):
        train = np.repeat(np.arange(len(counts)), np.where(folds != fold, counts, 0))
        test = np.repeat(np.arange(len(counts)), np.where(folds == fold, counts, 0))
        model = make_pipeline(
            StandardScaler(), LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-12)
        )
        model.fit(sample.features[train], sample.wrong[train])
        risk = np.round(model.decision_function(sample.features[test]), 9)
        scores.append(roc_auc_score(sample.wrong[test], risk))
    return float(np.mean(scores))


def test_batched_auroc_is_scikit_learns_in_every_resample(sample: FilterSample) -> None:
    """Eight resamples with their copies, ties and folds."""
    rng = np.random.default_rng(4)
    n = len(sample.wrong)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=8).astype(np.int32)
    folds = deal_folds(counts > 0, sample.wrong, folds=5, rng=rng)
    got = filter_statistics(sample, counts, folds, MODEL).auroc
    expected = [by_sklearn(sample, *pair) for pair in zip(counts, folds, strict=True)]
    assert got == pytest.approx(expected, abs=1e-9)


def test_point_estimate_is_the_batched_one_on_its_folds(tmp_path: Path) -> None:
    """scikit-learn's cross-validation and ours, each question once."""
    cell = cell_of(tmp_path, random_rows(600, seed=2))
    evidence = FilterSampleOfCell(cell, MODEL, seed=1).evidence(np.zeros((1, 3)))
    once = np.ones((1, len(evidence.folds)), dtype=np.int32)
    batched = filter_statistics(evidence.sample.chains, once, evidence.folds[None], MODEL)
    assert evidence.estimate == pytest.approx(batched.auroc[0], abs=1e-9)


def test_stored_coefficients_are_those_of_scikit_learn(tmp_path: Path) -> None:
    """Fitted to all monotone chains, per standard deviation."""
    cell = cell_of(tmp_path, random_rows(600, seed=2))
    sample = FilterSampleOfCell(cell, MODEL, seed=1)
    details = {d.quantity: d for d in sample.evidence(np.zeros((1, 3))).details(level=0.95)}
    scaled = StandardScaler().fit_transform(sample.chains.features)
    model = LogisticRegression(C=1.0, tol=1e-10, solver="newton-cholesky")
    model.fit(scaled, sample.chains.wrong)
    got = [details[f"coefficient_{name}"].estimate for name in FEATURES]
    assert got == pytest.approx(model.coef_[0].tolist(), abs=1e-6)


def test_accuracy_gained_keeps_the_least_risky_and_splits_ties() -> None:
    """One feature, two folds: the risk order is known, the tied edge is kept in proportion."""
    wrong = np.array([0, 0, 0, 1, 0, 1, 1, 1] * 10, dtype=bool)
    values = np.array([0, 0, 1, 1, 2, 2, 3, 3] * 10, dtype=float)
    patterns, pattern_of = np.unique(values[:, None], axis=0, return_inverse=True)
    sample = FilterSample(np.arange(80), patterns, pattern_of.reshape(-1), wrong)
    model = Filter(features=["n_units"], penalty=1.0, folds=2, coverages=[0.5, 0.375])
    folds = (np.arange(80) >= 40).astype(np.intp)[None]
    gained = filter_statistics(sample, np.ones((1, 80), dtype=np.int32), folds, model).gained[0]
    # accuracy is 1/2; the lower half (values 0 and 1) is right in 3 of 4
    assert gained[0] == pytest.approx(100 * (3 / 4 - 1 / 2))
    # of every 8, 3 are kept: both 0s (right) and half of the two 1s (one right, one wrong)
    assert gained[1] == pytest.approx(100 * (2.5 / 3 - 1 / 2))


def test_unlearnable_outcome_has_an_auroc_of_one_half() -> None:
    """A constant feature ties all scores."""
    wrong = np.arange(50) % 2 == 0
    sample = FilterSample(np.arange(50), np.zeros((1, 1)), np.zeros(50, dtype=np.intp), wrong)
    model = Filter(features=["n_units"], penalty=1.0, folds=5, coverages=[0.5])
    folds = (np.arange(50) // 2 % 5)[None]
    result = filter_statistics(sample, np.ones((1, 50), dtype=np.int32), folds, model)
    assert result.auroc[0] == 0.5
    assert result.gained[0, 0] == pytest.approx(0.0)


def test_a_fold_without_an_outcome_is_undefined() -> None:
    """One wrong answer, two folds."""
    wrong = np.arange(10) == 0
    sample = FilterSample(np.arange(10), np.arange(10.0)[:, None], np.arange(10), wrong)
    model = Filter(features=["n_units"], penalty=1.0, folds=2, coverages=[0.5])
    folds = (np.arange(10) % 2)[None]
    result = filter_statistics(sample, np.ones((1, 10), dtype=np.int32), folds, model)
    assert np.isnan(result.auroc[0])
    assert np.isnan(result.gained).all()


@pytest.mark.parametrize("kind", ["all right", "no monotone chain", "one chain"])
def test_degenerate_cells_have_no_estimate_and_say_so(tmp_path: Path, kind: str) -> None:
    """Nothing to learn: reasons, no numbers, no warnings."""
    rows = random_rows(1 if kind == "one chain" else 40, seed=5)
    for row in rows:
        if kind == "all right":
            row["correct"] = True
        if kind == "no monotone chain":
            row |= {"monotone": False, "violations": 1}
    cell = cell_of(tmp_path, rows)
    sample = FilterSampleOfCell(cell, MODEL, seed=1)
    settings = Settings(resamples=30, seed=1, level=0.95, eps=0.01, m=5)
    (draws,) = bootstrap(cell.counts(settings), [sample.statistic])
    evidence = sample.evidence(draws)
    assert evidence.estimate is None
    assert evidence.interval("normal_clipped", level=0.95) is None
    assert all(detail.estimate is None and detail.reason for detail in evidence.details(level=0.95))


def test_registered_features_are_those_tested_here() -> None:
    """The plan's filter is the one above, coverages aside."""
    filters = [h.filter for h in load_plan(ROOT / "preregistration/plan.yaml").plan.hypotheses]
    (registered,) = [one for one in filters if one]
    assert tuple(registered.features) == FEATURES
    assert (registered.penalty, registered.folds) == (MODEL.penalty, MODEL.folds)
