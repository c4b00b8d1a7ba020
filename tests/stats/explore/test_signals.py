"""Signals: orientation, missing values, and one place for each."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import entropy

from cot_entropy.plan.exploratory import SIGNALS
from cot_entropy.stats.explore.class_probabilities import class_probabilities
from cot_entropy.stats.explore.signals import SignalSource, missing, scores

from .simulated import SIGNAL_NAMES, random_rows


@pytest.mark.parametrize("name", SIGNAL_NAMES)
def test_every_module_of_the_folder_is_a_signal(name):
    assert isinstance(SIGNALS.load(name).SIGNAL, SignalSource)


def test_mean_entropy_is_over_defined_prefixes(cell):
    """Against pandas' mean, which skips missing values."""
    expected = -cell.frame["entropies"].map(lambda h: pd.Series(h, dtype=float).mean()).to_numpy()
    np.testing.assert_allclose(scores(cell, "mean_entropy"), expected, atol=1e-9)


def test_shape_flag_is_missing_where_the_shape_is(cell):
    """No shape, no score: never counted as non-monotone."""
    found = np.isnan(scores(cell, "shape_flag"))
    assert found.any()
    np.testing.assert_array_equal(found, cell.frame["monotone"].isna().to_numpy())


def test_scores_are_never_minus_zero(cell):
    """A negated 0 is 0."""
    for name in SIGNAL_NAMES:
        values = scores(cell, name)
        assert not np.signbit(values[values == 0]).any()


def test_class_probabilities_of_equal_completions_are_their_shares():
    """Four alike and one other, each as probable: 0.8 and 0.2."""
    assert class_probabilities([0, 0, 0, 0, 3], [-0.5] * 5) == pytest.approx([0.8, 0.2])


def test_a_more_probable_completion_weighs_more():
    """ln 3 - ln 1 in mean log-probability is three to one; an empty completion weighs 1."""
    found = class_probabilities([0, 1], [float(np.log(0.75)), float(np.log(0.25))])
    assert found == pytest.approx([0.75, 0.25])
    assert class_probabilities([0, 1], [None, float(np.log(0.25))]) == pytest.approx([0.8, 0.2])


def test_no_answer_is_one_class_and_nothing_but_it_is_undefined():
    assert class_probabilities([-1, -1, 0], [0.0, 0.0, 0.0]) == pytest.approx([2 / 3, 1 / 3])
    assert class_probabilities([-1, -1], [0.0, 0.0]) == []


def test_with_equal_probabilities_the_semantic_signals_are_the_counted_ones(make_cell):
    """Unweighted, semantic entropy is H_N and P(majority) the share of the majority."""
    rows = random_rows(40)
    for row in rows:
        row["completion_mean_logprobs"] = [[-1.0] * len(one) for one in row["answer_clusters"]]
    cell = make_cell(rows)
    np.testing.assert_allclose(scores(cell, "semantic_entropy"), scores(cell, "final_entropy"))
    defined = ~np.isnan(cell.final_entropy)
    np.testing.assert_allclose(
        scores(cell, "p_majority")[defined], scores(cell, "final_confidence")[defined]
    )


def test_semantic_entropy_is_scipys_of_the_normalised_weights(cell):
    """The first question with an answer at its last prefix, class by class."""
    index = int(np.flatnonzero(~np.isnan(cell.final_entropy))[0])
    clusters = cell.frame["answer_clusters"].iloc[index][-1]
    logprobs = cell.frame["completion_mean_logprobs"].iloc[index][-1]
    weights = pd.Series(np.exp(np.nan_to_num(np.asarray(logprobs, dtype=float))))
    expected = entropy(weights.groupby(list(clusters)).sum())
    assert scores(cell, "semantic_entropy")[index] == pytest.approx(-expected)


def test_perplexity_is_the_exponential_and_ranks_as_the_mean_does(cell):
    """exp(-mean): the same order, so the same AUROC; both are listed because both are reported."""
    mean = cell.frame["chain_mean_logprob"].to_numpy(dtype=float)
    np.testing.assert_allclose(scores(cell, "perplexity"), -np.exp(-mean))
    np.testing.assert_array_equal(
        np.argsort(scores(cell, "perplexity")), np.argsort(scores(cell, "mean_token_logprob"))
    )


def test_without_its_column_a_signal_has_no_scores(make_cell):
    cell = make_cell(random_rows(5), without=("chain_mean_logprob", "answer_clusters"))
    for name in ("mean_token_logprob", "perplexity", "semantic_entropy", "p_majority"):
        assert np.isnan(scores(cell, name)).all()


def test_less_token_entropy_ranks_higher(cell):
    """The column with its sign turned: a more certain chain is more likely right."""
    np.testing.assert_allclose(
        scores(cell, "token_entropy"), -cell.values("chain_token_entropy"), atol=1e-9
    )


def test_token_entropy_that_was_not_asked_for_names_the_setting(make_cell):
    """A column of nulls, as scoring writes it without `engine.top_logprobs`."""
    cell = make_cell([row | {"chain_token_entropy": None} for row in random_rows(5)])
    assert missing(cell, "token_entropy") == (
        "trajectories have no `chain_token_entropy`; needs engine.top_logprobs"
    )
