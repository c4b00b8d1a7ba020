"""Two synthetic runs, written and reported once for all tests of the report."""

import pytest
from tests.report.reported_runs import HOSTILE, REGISTERED, TOY, Reported, report
from tests.report.synthetic_run import write_run


@pytest.fixture(scope="session")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Reported:
    """Cells outside the plan, from the scripted engine, with markup in a question and a chain."""
    results = tmp_path_factory.mktemp("runs") / "toys"
    write_run(results, TOY, engine="scripted", hostile=HOSTILE)
    return report(results)


@pytest.fixture(scope="session")
def registered(tmp_path_factory: pytest.TempPathFactory) -> Reported:
    """A cell of the plan whose headers name the real engine."""
    results = tmp_path_factory.mktemp("runs") / "study"
    write_run(results, REGISTERED, engine="vllm")
    return report(results)
