"""Next-token entropy from the top of the vocabulary: exact where all is given, else a bound."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from scipy.stats import entropy

from cot_entropy.signal.token_entropy import mean_token_entropy


def test_a_whole_vocabulary_gives_scipys_entropy() -> None:
    """Nothing outside the k: the mean over positions of scipy's entropy."""
    shares = np.random.default_rng(1).dirichlet(np.ones(6), size=9)
    found = mean_token_entropy(np.log(shares).tolist())
    assert found is not None
    assert found.entropy == pytest.approx(entropy(shares, axis=1).mean())
    assert found.remainder == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("k", [1, 3, 20])
def test_the_vocabularys_entropy_lies_between_the_bounds(k: int) -> None:
    """A thousand tokens, k of them given: the rest adds at most r ln(V - k)."""
    shares = np.sort(np.random.default_rng(k).dirichlet(np.full(1000, 0.02), size=50))[:, ::-1]
    found = mean_token_entropy(np.log(shares[:, :k]).tolist())
    whole = entropy(shares, axis=1).mean()
    assert found is not None
    assert found.entropy < whole < found.entropy + found.remainder * log(1000 - k)
    assert found.remainder == pytest.approx(shares[:, k:].sum(axis=1).mean())


def test_certainty_has_no_entropy_and_no_minus_zero() -> None:
    found = mean_token_entropy([[0.0, -9999.0]])
    assert found == (0.0, 0.0)
    assert not np.signbit(found).any()


def test_rounding_above_one_is_no_negative_remainder() -> None:
    """Log-probabilities are stored with four decimals; 1.00005 in sum is 1."""
    found = mean_token_entropy([[0.00005]])
    assert found is not None
    assert found.remainder == 0


def test_without_log_probabilities_there_is_none() -> None:
    """None were asked for, or the chain is empty."""
    assert mean_token_entropy([]) is None
