"""vLLM's flat log-probabilities, on its own class."""

from __future__ import annotations

from typing import Any

import pytest

from cot_entropy.engine.flat_logprobs import LOWEST_LOGPROB, most_probable, sampled

logprobs = pytest.importorskip("vllm.logprobs", reason="the engine is not installed")


def flat(k: int, *positions: list[float]) -> Any:
    """Positions as vLLM appends them: the sampled token, then the k most probable."""
    made = logprobs.FlatLogprobs()
    for values in positions:
        logprobs.append_logprobs_for_next_position(
            made, list(range(len(values))), values, [None] * len(values), 1, k
        )
    return made


def test_the_sampled_token_stands_first_and_the_most_probable_after_it() -> None:
    """Also where the sampled token is one of them."""
    made = flat(2, [-0.1, -0.1, -2.4], [-5.0, -0.2, -1.8])
    assert sampled(made) == [-0.1, -5.0]
    assert most_probable(made) == [[-0.1, -2.4], [-0.2, -1.8]]


def test_none_asked_for_is_none() -> None:
    made = flat(0, [-0.1], [-5.0])
    assert sampled(made) == [-0.1, -5.0]
    assert most_probable(made) == []


def test_minus_infinity_is_a_number() -> None:
    """No file holds an infinity."""
    made = flat(1, [float("-inf"), -0.2])
    assert sampled(made) == [LOWEST_LOGPROB]
    assert most_probable(made) == [[-0.2]]
