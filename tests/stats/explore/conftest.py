"""Fixtures of the exploratory tests."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cot_entropy.formats.trajectories import write_trajectories
from cot_entropy.stats.cells import Cell, Settings, read_cell

from .simulated import EPS, M, random_rows

Make = Callable[..., Cell]


@pytest.fixture
def make_cell(tmp_path: Path) -> Make:
    """A cell of the given rows, without the optional columns named."""

    def make(rows: list[dict[str, Any]], *, without: tuple[str, ...] = ()) -> Cell:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.parquet"
        write_trajectories(
            path, [{k: v for k, v in row.items() if k not in without} for row in rows]
        )
        return read_cell(path)

    return make


@pytest.fixture(scope="session")
def cell(tmp_path_factory: pytest.TempPathFactory) -> Cell:
    """150 random questions with ties and missing values; read only."""
    path = tmp_path_factory.mktemp("cell") / "trajectories.parquet"
    write_trajectories(path, random_rows(150))
    return read_cell(path)


@pytest.fixture
def settings() -> Settings:
    """The registered settings, with fewer resamples."""
    return Settings(resamples=100, seed=3, level=0.95, eps=EPS, m=M)
