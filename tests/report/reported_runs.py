"""What the tests of the report share: which runs are made, and a run with its report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.report.synthetic_run import registration_of

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
