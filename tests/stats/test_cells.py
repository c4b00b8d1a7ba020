"""What a statistic is given: arrays with undefined values marked, and one stream of resamples."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from tests.stats.explore.simulated import random_rows

from cot_entropy.base.files import sha256_file
from cot_entropy.formats.trajectories import write_trajectories
from cot_entropy.stats.cells import Cell, Settings, derive_seed, read_cell

SETTINGS = Settings(resamples=40, seed=3, level=0.95, eps=0.01, m=5)
ROWS = random_rows(80, seed=2)


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory) -> Cell:
    path = tmp_path_factory.mktemp("cells") / "t.parquet"
    write_trajectories(path, ROWS)
    cell = read_cell(path)
    assert cell.trajectories_sha256 == sha256_file(path)
    return cell


def test_undefined_values_are_nan(cell: Cell) -> None:
    """Null violations and coherence, and an undefined shape."""
    for question, row in enumerate(ROWS):
        assert cell.shape_defined[question] == (row["monotone"] is not None)
        assert np.isnan(cell.violations[question]) == (row["violations"] is None)
        assert np.isnan(cell.coherence[question]) == (row["coherence"] is None)
        assert not cell.monotone[question] or row["monotone"]


def test_entropies_are_padded_past_each_chain(cell: Cell) -> None:
    """Row by row; NaN also where all answers failed."""
    for padded, row in zip(cell.entropies, ROWS, strict=True):
        values = [np.nan if h is None else h for h in row["entropies"]]
        assert np.array_equal(padded[: len(values)], values, equal_nan=True)
        assert np.isnan(padded[len(values) :]).all()


def test_resamples_are_the_same_for_every_statistic(cell: Cell) -> None:
    """Two passes, one stream."""
    first, second = (np.vstack(list(cell.counts(SETTINGS))) for _ in range(2))
    assert np.array_equal(first, second)
    assert (first.sum(axis=1) == cell.n).all()


def test_seed_is_derived_by_name() -> None:
    """The first eight bytes of sha256 of the labels."""
    expected = int.from_bytes(hashlib.sha256(b"7/model/data").digest()[:8], "big")
    assert derive_seed(7, "model/data") == expected


def test_absent_optional_column_is_known(cell: Cell) -> None:
    """Neither absent nor all-null columns are there."""
    assert cell.has("answer_clusters")
    assert not cell.has("no_such_column")
