"""What a run's generations took."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.report.reported_runs import Reported
from tests.report.synthetic_run import PROTOCOL

from cot_entropy.formats.run_summary import RunSummary, write_summary
from cot_entropy.report.costs import Cost, costs
from cot_entropy.report.inputs import ReportInputs, cell_files, read_inputs

HOST = {"system": "Linux x86_64", "cores": 2, "python": "3.11.7"}
STARTED = "2026-11-30T01:00:00.000000Z"


def inputs_with(run: Reported, folder: Path, attempts: list[dict[str, object]]) -> ReportInputs:
    """A copy of the run whose chains have these attempts."""
    results = folder / "copy"
    shutil.copytree(run.results, results)
    path = cell_files(results, "qwen2.5-7b/gsm8k", PROTOCOL).chains
    lines = "".join(json.dumps(one) + "\n" for one in attempts)
    path.with_name("chains.attempts.jsonl").write_text(lines, encoding="utf-8")
    return read_inputs(results, plan=run.plan, differences=run.plan.with_name("differences.yaml"))


SUMMARY = RunSummary(
    stage="chains",
    questions=80,
    questions_resumed=20,
    questions_failed=0,
    attempts=2,
    engine_starts=3,
    restarts=1,
    generated_tokens=36_000,
    prompt_tokens_computed=3_000,
    prompt_tokens_reused=1_000,
    wall_seconds=7_200.0,
    start_seconds=60.0,
    busy_share=0.9,
)


def noted(started: str, ended: str | None) -> dict[str, object]:
    return {"started": started, "ended": ended, "host": HOST}


def chains(inputs: ReportInputs) -> Cost:
    return next(one for one in costs(inputs) if one.stage == "chains")


def entropies(inputs: ReportInputs) -> list[list[float]]:
    """Of the cell's questions; an error leaves none."""
    return list(inputs.cells["qwen2.5-7b/gsm8k"].frame["entropies"])


def test_hours_are_from_start_to_end(registered: Reported, tmp_path: Path) -> None:
    """Ninety minutes are 1.50 hours, and tokens are spread over their 5,400 seconds."""
    inputs = inputs_with(registered, tmp_path, [noted(STARTED, "2026-11-30T02:30:00.000000Z")])
    found = chains(inputs)
    assert int(found.errors) == sum(len(one) == 0 for one in entropies(inputs))
    tokens = int(np.sum(inputs.cells["qwen2.5-7b/gsm8k"].frame["chain_tokens"]))
    assert (found.hours, found.starts) == ("1.50", "1")
    assert found.tokens == f"{tokens:,}"
    assert float(found.tokens_per_second) == pytest.approx(tokens / 5400, abs=0.5)


def test_a_killed_attempt_is_counted_without_its_time(registered: Reported, tmp_path: Path) -> None:
    """Nobody noted when it ended."""
    later = noted("2026-11-30T03:00:00.000000Z", "2026-11-30T04:00:00.000000Z")
    found = chains(inputs_with(registered, tmp_path, [noted(STARTED, None), later]))
    assert (found.hours, found.starts) == ("1.00", "2, 1 killed")


def test_a_run_that_noted_nothing_says_so(registered: Reported, tmp_path: Path) -> None:
    """A dash, not a zero."""
    found = chains(inputs_with(registered, tmp_path, []))
    assert (found.hours, found.tokens_per_second, found.starts) == ("–", "–", "not noted")


def test_a_summary_is_shown_in_place_of_what_is_stored(
    registered: Reported, tmp_path: Path
) -> None:
    """36,000 tokens in two hours are 5 a second, 450 a question; a quarter of the prompts reused."""
    inputs = inputs_with(registered, tmp_path, [])
    path = cell_files(inputs.results, "qwen2.5-7b/gsm8k", PROTOCOL).chains
    write_summary(path, SUMMARY)
    found = chains(inputs)
    assert (found.tokens, found.tokens_per_question) == ("36,000", "450")
    assert (found.hours, found.tokens_per_second) == ("2.00", "5")
    assert found.prompts == "3,000, 25 % reused"
    assert found.starts == "2, engine restarts: 1"
