"""One stream of resamples, whatever the block size."""

from __future__ import annotations

import numpy as np
import pytest

from cot_entropy.stats.resampling import bootstrap, resample_counts


@pytest.mark.parametrize("block", [1, 7, 100, 1000])
@pytest.mark.parametrize("n", [1, 2, 31])
def test_block_size_does_not_change_the_resamples(block: int, n: int) -> None:
    """The draws of the generator in one piece."""
    draws = np.random.default_rng(5).integers(n, size=(100, n))
    expected = np.array([np.bincount(row, minlength=n) for row in draws])
    blocks = list(resample_counts(n, resamples=100, seed=5, block=block))
    assert np.array_equal(np.vstack(blocks), expected)


def test_several_statistics_share_one_pass() -> None:
    """Each gets every resample, in order."""
    blocks = list(resample_counts(9, resamples=20, seed=0, block=6))
    first, sums = bootstrap(
        blocks, [lambda c: c[:, 0].astype(float), lambda c: c.sum(axis=1) * 1.0]
    )
    assert np.array_equal(first, np.vstack(blocks)[:, 0])
    assert (sums == 9).all()
