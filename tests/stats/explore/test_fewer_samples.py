"""E8 against plain loops over all subsets."""

from itertools import combinations

import numpy as np
import pytest

from cot_entropy.plan.entries.fewer_samples import FewerSamples
from cot_entropy.stats.estimators.fewer_samples import estimate

from .simulated import (
    M,
    by_quantity,
    entropy_of,
    entry_of,
    first_of_majority,
    random_rows,
    resampled,
    rises,
)


def run(cell, settings, sizes=(3, 4)):
    entry = entry_of(FewerSamples, "E8", "fewer_samples", sizes=list(sizes))
    return by_quantity(estimate(cell, entry, settings))


def subset_views(rows, size):
    """(flag or None, right) of each question, for every subset of the samples."""
    views = []
    for subset in combinations(range(M), size):
        view = []
        for row in rows:
            seen = [[answers[i] for i in subset] for answers in row["answer_clusters"]]
            count = rises([entropy_of(answers) for answers in seen])
            winner = seen[-1][first_of_majority(seen[-1])]
            view.append((None if count is None else count == 0, winner == 0))
        views.append(view)
    return views


def gap(view, drawn):
    yes = [view[i][1] for i in drawn if view[i][0]]
    no = [view[i][1] for i in drawn if view[i][0] is False]
    return 100 * (np.mean(yes) - np.mean(no)) if yes and no else np.nan


@pytest.mark.parametrize("size", [3, 4])
def test_mean_and_range_over_every_subset(make_cell, settings, size):
    """All 10 subsets of three, all 5 of four; flag and majority from the subset alone."""
    rows = random_rows(80, seed=3)
    cell = make_cell(rows)
    views = subset_views(rows, size)
    gaps = [gap(view, range(len(rows))) for view in views]
    found = run(cell, settings)
    label = f"{size} of 5"
    assert found[f"accuracy_gap_pp[{label}]"].estimate == pytest.approx(np.mean(gaps))
    assert found[f"accuracy_gap_pp_min[{label}]"].estimate == pytest.approx(min(gaps))
    assert found[f"accuracy_gap_pp_max[{label}]"].estimate == pytest.approx(max(gaps))
    assert found[f"accuracy_gap_pp[{label}]"].reason == f"mean over {len(gaps)} subsets"


def test_interval_is_of_the_mean_within_each_resample(make_cell, settings):
    """Subsets share the resample's questions."""
    rows = random_rows(60, seed=3)
    cell = make_cell(rows)
    views = subset_views(rows, 4)
    row = run(cell, settings)["accuracy_gap_pp[4 of 5]"]
    expected = resampled(cell, settings, lambda drawn: np.mean([gap(v, drawn) for v in views]))
    assert (row.ci_low, row.ci_high) == pytest.approx(expected)


def test_without_classes_it_is_not_run(make_cell, settings):
    """The column it needs is named."""
    found = run(make_cell(random_rows(5), without=("answer_clusters",)), settings)
    assert {row.verdict for row in found.values()} == {"not run"}
    assert "answer_clusters" in found["accuracy_gap_pp[3 of 5]"].reason


def test_more_samples_than_there_are(cell, settings):
    """Six of five cannot be drawn."""
    assert run(cell, settings, [6])["accuracy_gap_pp[6 of 5]"].verdict == "not assessable"
