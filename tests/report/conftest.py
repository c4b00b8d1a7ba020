"""Two synthetic runs, written and reported once for all tests of the report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from synthetic_run import registration_of, write_run

from cot_entropy.report.page import write_report

HOSTILE = '</script><img src=x onerror="alert(1)"><script>alert(2)</script>'
TOY = {"toy/wordproblems": 40, "toy/algebra": 12}
REGISTERED = {"qwen2.5-7b/gsm8k": 80}


@dataclass(frozen=True)
class Reported:
    """A run with its report."""

    results: Path
    plan: Path
    html: str


def report(results: Path) -> Reported:
    plan = registration_of(results)
    write_report(results, plan=plan, out=results / "report.html")
    return Reported(results, plan, (results / "report.html").read_text(encoding="utf-8"))


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
