"""Every registered exploratory entry, on ordinary and degenerate cells."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cot_entropy.plan.exploratory import ENTRIES, ESTIMATORS
from cot_entropy.plan.load import load_plan

from .simulated import M, random_rows, row_of

PLAN = load_plan(Path(__file__).parents[3] / "preregistration" / "plan.yaml").plan
BOUNDS = ("estimate", "ci_low", "ci_high", "p_value")


def without_prefixes(row):
    """A question whose chain never came: no prefix, nothing defined."""
    lists = (
        "entropies answers_missing completions_empty answer_clusters final_samples_correct "
        "probe_tokens_by_prefix completion_mean_logprobs samples_correct"
    )
    undefined = "violations monotone coherence final_entropy final_confidence majority_answer"
    return (
        row
        | {key: [] for key in lists.split()}
        | dict.fromkeys(undefined.split())
        | {"n_units": 0, "correct": False, "chain_tokens": 0, "probe_tokens": 0}
    )


def agreeing(n, prefixes, answers):
    rng = np.random.default_rng(0)
    return [row_of(index, [list(answers)] * prefixes, rng) for index in range(n)]


CELLS = {
    "ordinary": random_rows(60),
    "one question": random_rows(1),
    "two questions": random_rows(2),
    "all right, all certain": agreeing(20, 4, [0] * M),
    "all wrong": agreeing(20, 4, [1] * M),
    "no answer anywhere": agreeing(20, 4, [-1] * M),
    "no units": agreeing(20, 1, [0, 0, 1, 2, -1]),
    "one unit": agreeing(20, 2, [0, 0, 1, 2, -1]),
    "no prefixes": [without_prefixes(row) for row in random_rows(5)],
    "some without prefixes": [
        without_prefixes(row) if index % 3 == 0 else row
        for index, row in enumerate(random_rows(40))
    ],
}


def test_every_estimator_of_the_plan_has_code():
    """Each registered name is implemented, E1 to E15."""
    assert [entry.id for entry in PLAN.exploratory] == [f"E{i}" for i in range(1, 16)]
    assert {entry.estimator for entry in PLAN.exploratory} == set(ESTIMATORS.names)
    assert ESTIMATORS.names == ENTRIES.names


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("entry", PLAN.exploratory, ids=lambda entry: entry.id)
@pytest.mark.filterwarnings("error")
def test_rows_are_whole(make_cell, settings, name, entry):
    """Each row: named once, exploratory, finite or with a verdict and its reason; no warning."""
    rows = ESTIMATORS.load(entry.estimator).estimate(make_cell(CELLS[name]), entry, settings)
    assert rows
    assert len({row.quantity for row in rows}) == len(rows)
    for row in rows:
        assert (row.id, row.kind) == (entry.id, "exploratory")
        values = [getattr(row, field) for field in BOUNDS]
        assert all(value is None or math.isfinite(value) for value in values)
        assert not any(
            value == 0 and math.copysign(1, value) < 0 for value in values if value is not None
        )
        if row.estimate is None:
            assert row.verdict in {"not run", "not assessable"}
            assert row.reason


@pytest.mark.parametrize("entry", PLAN.exploratory, ids=lambda entry: entry.id)
def test_required_columns_alone_are_enough_for_a_row(make_cell, settings, entry):
    """Without any optional column every entry still answers, if only `not run`."""
    optional = (
        "answer_clusters",
        "final_samples_correct",
        "probe_tokens_by_prefix",
        "completion_mean_logprobs",
        "samples_correct",
        "chain_mean_logprob",
        "chain_token_entropy",
        "chain_token_remainder",
        "chain_entropy_instability",
        "unit_tokens",
        "unit_mean_logprobs",
        "unit_token_entropies",
        "stratum",
    )
    rows = ESTIMATORS.load(entry.estimator).estimate(
        make_cell(random_rows(60), without=optional), entry, settings
    )
    complete = {"E1", "E2", "E4", "E6", "E9", "E12"}
    rest_on_optional = (
        "mean_token_logprob",
        "perplexity",
        "token_entropy",
        "semantic_entropy",
        "p_majority",
        "entropy_instability",
        "prefix_baseline",
    )
    missing = [
        row
        for row in rows
        if row.verdict == "not run" and not any(name in row.quantity for name in rest_on_optional)
    ]
    assert bool(missing) == (entry.id not in complete)


@pytest.mark.parametrize("entry", PLAN.exploratory, ids=lambda entry: entry.id)
def test_same_cell_same_rows(make_cell, settings, entry):
    """Bit for bit, from one file read twice."""
    estimator = ESTIMATORS.load(entry.estimator).estimate
    first = estimator(make_cell(random_rows(40)), entry, settings)
    assert first == estimator(make_cell(random_rows(40)), entry, settings)


@pytest.mark.parametrize("identifier", ["E3", "E7", "E8", "E10"])
def test_another_m_than_the_plans_is_not_run(make_cell, settings, identifier):
    """Trajectories of a variant with other m: the samples cannot be used, the rest still comes."""
    entry = next(entry for entry in PLAN.exploratory if entry.id == identifier)
    four = replace(settings, m=4)
    rows = ESTIMATORS.load(entry.estimator).estimate(make_cell(random_rows(40)), entry, four)
    refused = [row for row in rows if row.verdict == "not run"]
    assert refused
    assert all("5 samples at a prefix; the plan says m = 4" in row.reason for row in refused)
