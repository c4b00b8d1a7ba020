"""One small audited run, made once; tests work on copies of it."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from projects import commit, forget_digests, make_project
from runs import CONFIG, RESULTS, Tiny, copy_run, run_tiny, write_tiny_study

from cot_entropy.prereg.freeze import freeze


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tiny]:
    """A frozen project of two scripted models, and its results."""
    root = tmp_path_factory.mktemp("tiny")
    with pytest.MonkeyPatch.context() as patch:
        make_project(root, patch)
        write_tiny_study(root)
        commit(root)
        freeze(CONFIG)
        commit(root)
        run_tiny()
        forget_digests()
    forget_digests()
    # statsmodels collects garbage in every Holm adjustment; leave out what the imports brought
    gc.freeze()
    yield Tiny(root=root, results=root / RESULTS)
    gc.unfreeze()


@pytest.fixture
def tiny(tiny_run: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tiny:
    """The project as the working folder, and a copy of its results that a test may change."""
    monkeypatch.chdir(tiny_run.root)
    return Tiny(root=tiny_run.root, results=copy_run(tiny_run.results, tmp_path / "tiny"))
