"""E5 by hand and against plain loops."""

import numpy as np
import pytest

from cot_entropy.plan.entries.trajectory_budget import TrajectoryBudget
from cot_entropy.stats.estimators.trajectory_budget import estimate

from .simulated import by_quantity, entry_of, random_rows, resampled, rises


def run(cell, settings, transitions=(1, 2, 7)):
    entry = entry_of(TrajectoryBudget, "E5", "trajectory_budget", transitions=list(transitions))
    return by_quantity(estimate(cell, entry, settings))


def gap_of_first(cell, j, drawn):
    """Gap in percentage points by the first j transitions of the drawn questions."""
    right = {True: [], False: []}
    for index in drawn:
        entropies = [None if np.isnan(h) else h for h in cell.frame["entropies"].iloc[index]]
        count = rises(entropies[: j + 1])
        if count is not None:
            right[count == 0].append(cell.correct[index])
    if not right[True] or not right[False]:
        return None
    return 100 * (np.mean(right[True]) - np.mean(right[False]))


def test_share_of_the_gap_is_of_the_same_resample(cell, settings):
    """Both gaps of the ratio come from one resample."""

    def share(drawn):
        first, whole = gap_of_first(cell, 2, drawn), gap_of_first(cell, 99, drawn)
        return None if not first or not whole else 100 * first / whole

    row = run(cell, settings)["gap_share_percent[first 2]"]
    assert row.estimate == pytest.approx(share(np.arange(cell.n)))
    assert (row.ci_low, row.ci_high) == pytest.approx(resampled(cell, settings, share))


def test_token_share_by_hand(make_cell, settings):
    """(10 + 20 + 5) of (10 + 20 + 30 + 5 + 5) tokens: a short chain has spent all its own."""
    rows = random_rows(2)
    for row, tokens in zip(rows, ([10, 20, 30], [5, 5]), strict=True):
        row["entropies"] = [0.0] * len(tokens)
        row["probe_tokens_by_prefix"] = tokens
    found = run(make_cell(rows), settings, [1, 2])
    assert found["token_share_percent[first 1]"].estimate == pytest.approx(100 * 40 / 70)
    assert found["token_share_percent[first 2]"].estimate == pytest.approx(100)


def test_tokens_absent_are_not_run_and_gaps_still_come(make_cell, settings):
    """The optional column is missing: its rows say so, the others stand."""
    found = run(make_cell(random_rows(80), without=("probe_tokens_by_prefix",)), settings)
    row = found["token_share_percent[first 1]"]
    assert row.verdict == "not run"
    assert "probe_tokens_by_prefix" in row.reason
    assert found["accuracy_gap_pp[first 1]"].estimate is not None


def test_more_transitions_than_any_chain_has(cell, settings):
    """Past the longest chain there is nothing to report, and the row says why."""
    row = run(cell, settings)["accuracy_gap_pp[first 7]"]
    assert row.verdict == "not assessable"
    assert row.reason == "the longest chain has 6 units"
