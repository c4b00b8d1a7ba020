"""One small audited run, made once; tests work on copies of it.

What mutation tests catch is counted, and the last lines of the session state the number.
"""

import gc
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.projects import commit, forget_digests, make_project
from tests.runs import CONFIG, RESULTS, Tiny, copy_run, run_tiny, write_tiny_study

from cot_entropy.registration.freeze import freeze

Caught = Callable[[str, int], None]
COUNTS = pytest.StashKey[Counter[str]]()


@pytest.fixture
def caught(request: pytest.FixtureRequest) -> Caught:
    """Count changes that were made and named: of what, how many."""
    counts = request.config.stash.setdefault(COUNTS, Counter())

    def count(kind: str, number: int) -> None:
        counts[kind] += number

    return count


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """State how many mutations this session's tests made and saw named."""
    counts = config.stash.get(COUNTS, Counter())
    if counts:
        kinds = ", ".join(f"{kind} {number}" for kind, number in sorted(counts.items()))
        terminalreporter.write_line(f"mutations made and named: {counts.total()} ({kinds})")


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
