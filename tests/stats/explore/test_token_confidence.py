"""E10 against pandas.cut and by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from cot_entropy.plan.entries.token_confidence import TokenConfidence
from cot_entropy.stats.estimators.token_confidence import estimate

from .simulated import by_quantity, entry_of, random_rows, resampled

ENTRY = entry_of(TokenConfidence, "E10", "token_confidence", bins=10)


def run(cell, settings):
    return by_quantity(estimate(cell, ENTRY, settings))


def completions(row, depth):
    """(confidence, right) of the completions of one question at one prefix."""
    if depth >= len(row["samples_correct"]):
        return []
    pairs = zip(row["completion_mean_logprobs"][depth], row["samples_correct"][depth], strict=True)
    return [(math.exp(log), right) for log, right in pairs if log is not None]


def ece(rows, depth, drawn):
    """Expected calibration error with pandas' right-closed bins."""
    frame = pd.DataFrame(
        [pair for i in drawn for pair in completions(rows[i], depth)], columns=["p", "right"]
    )
    if frame.empty:
        return None
    edges = np.linspace(0, 1, 11)
    groups = frame.astype(float).groupby(pd.cut(frame["p"], edges), observed=True)
    return sum(len(g) / len(frame) * abs(g["right"].mean() - g["p"].mean()) for _, g in groups)


@pytest.mark.parametrize("depth", [0, 3, 6])
def test_ece_by_depth_equals_pandas(make_cell, settings, depth):
    """Estimate and interval, resampling questions and not completions."""
    rows = random_rows(60)
    cell = make_cell(rows)
    row = run(cell, settings)[f"ece[step {depth}]"]
    assert row.estimate == pytest.approx(ece(rows, depth, range(60)))
    expected = resampled(cell, settings, lambda drawn: ece(rows, depth, drawn))
    assert (row.ci_low, row.ci_high) == pytest.approx(expected)
    assert row.n == sum(bool(completions(r, depth)) for r in rows)


def test_sure_and_half_right_by_hand(make_cell, settings):
    """Confidence 1 throughout and every second completion right: ECE 0.5."""
    rows = random_rows(4)
    for row in rows:
        row["completion_mean_logprobs"] = [[0.0] * 5]
        row["samples_correct"] = [[True, False, True, False, True]]
    rows[0]["samples_correct"] = [[False, True, False, True, False]]
    rows[1]["samples_correct"] = [[False, True, False, True, False]]
    found = run(make_cell(rows), settings)["ece[step 0]"]
    assert found.estimate == pytest.approx(0.5)


def test_empty_completions_alone_are_not_assessable(make_cell, settings):
    """No confidence at a step: the reason instead of a number."""
    rows = random_rows(3)
    for row in rows:
        row["completion_mean_logprobs"] = [[None] * 5 for _ in row["samples_correct"]]
    rows[0]["completion_mean_logprobs"][0] = [-0.1] * 5
    longest = max(len(row["samples_correct"]) for row in rows) - 1
    found = run(make_cell(rows), settings)[f"ece[step {longest}]"]
    assert found.verdict == "not assessable"


def test_without_log_probabilities_it_is_not_run(make_cell, settings):
    """The absent column is named."""
    found = run(make_cell(random_rows(4), without=("completion_mean_logprobs",)), settings)
    assert found["ece"].verdict == "not run"
    assert "completion_mean_logprobs" in found["ece"].reason
