"""E3 against plain loops over samples, questions and resamples."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from cot_entropy.plan.entries.coupling import Coupling
from cot_entropy.stats.estimators.coupling import estimate

from .simulated import M, by_quantity, entropy_of, entry_of, random_rows, resampled, rises

OUTCOMES = ["majority", "chain", "held_out"]
ENTRY = entry_of(
    Coupling, "E3", "coupling", outcomes=OUTCOMES, signals=["final_entropy", "shape_flag"]
)


def run(cell, settings, entry=ENTRY):
    return by_quantity(estimate(cell, entry, settings))


def held_out(rows):
    """Entropies of the other samples and the left-out outcome, `[left out][question]`."""
    found = []
    for j in range(M):
        others = [
            [entropy_of([a for i, a in enumerate(p) if i != j]) for p in row["answer_clusters"]]
            for row in rows
        ]
        found.append((others, [row["answer_clusters"][-1][j] == 0 for row in rows]))
    return found


def gap(entropies, right, drawn):
    groups = {True: [], False: []}
    for index in drawn:
        count = rises(entropies[index])
        if count is not None:
            groups[count == 0].append(right[index])
    if not groups[True] or not groups[False]:
        return np.nan
    return 100 * (np.mean(groups[True]) - np.mean(groups[False]))


def test_held_out_gap_is_averaged_over_the_left_out_samples(make_cell, settings):
    """m gaps by plain loops, averaged within each resample."""
    rows = random_rows(90, seed=2)
    cell = make_cell(rows)
    views = held_out(rows)

    def mean_gap(drawn):
        return np.mean([gap(entropies, right, drawn) for entropies, right in views])

    row = run(cell, settings)["accuracy_gap_pp[held_out]"]
    assert row.estimate == pytest.approx(mean_gap(np.arange(cell.n)))
    assert (row.ci_low, row.ci_high) == pytest.approx(resampled(cell, settings, mean_gap))


def test_held_out_auroc_equals_sklearn(make_cell, settings):
    """Final entropy of m - 1 samples against the left-out sample, averaged over m."""
    rows = random_rows(90, seed=2)
    areas = []
    for entropies, right in held_out(rows):
        pairs = [(-h[-1], r) for h, r in zip(entropies, right, strict=True) if h[-1] is not None]
        areas.append(roc_auc_score([r for _, r in pairs], np.round([h for h, _ in pairs], 9)))
    found = run(make_cell(rows), settings)["auroc[final_entropy, held_out]"]
    assert found.estimate == pytest.approx(np.mean(areas))


def test_chain_outcome_is_the_chains_own_answer(cell, settings):
    """The flag of all m samples against `chain_correct`."""
    kept = cell.shape_defined
    truth = cell.flags("chain_correct")[kept]
    found = run(cell, settings)["auroc[shape_flag, chain]"]
    assert found.estimate == pytest.approx(roc_auc_score(truth, cell.monotone[kept]))


def test_differences_are_paired_with_the_majority(cell, settings):
    """Majority less the other outcome, on the same resamples."""
    found = run(cell, settings)
    row = found["accuracy_gap_pp_difference[majority - chain]"]
    parts = found["accuracy_gap_pp[majority]"], found["accuracy_gap_pp[chain]"]
    assert row.estimate == pytest.approx(parts[0].estimate - parts[1].estimate)
    chain = cell.flags("chain_correct")
    shape = [
        [0.0, 0.0 if flag else 1.0] if known else [None]
        for flag, known in zip(cell.monotone, cell.shape_defined, strict=True)
    ]
    expected = resampled(
        cell, settings, lambda drawn: gap(shape, cell.correct, drawn) - gap(shape, chain, drawn)
    )
    assert (row.ci_low, row.ci_high) == pytest.approx(expected)


def test_without_classes_held_out_is_not_run_and_the_rest_comes(make_cell, settings):
    """Optional columns absent: majority and chain stand."""
    found = run(make_cell(random_rows(60), without=("final_samples_correct",)), settings)
    row = found["accuracy_gap_pp[held_out]"]
    assert (row.verdict, row.reason) == (
        "not run",
        "trajectories have no `final_samples_correct`",
    )
    assert found["accuracy_gap_pp[chain]"].estimate is not None


@pytest.mark.parametrize("n", [1, 2])
def test_tiny_cells_are_not_assessable(make_cell, settings, n):
    """No groups to compare: rows with the reason, no warning."""
    assert run(make_cell(random_rows(n)), settings)["accuracy_gap_pp[held_out]"].estimate is None
