"""Scout's own command on the scanner by its name, as the guide says, with two models and tasks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_scout import scan_results_df, scan_status

from cot_entropy.consistency import benchmark
from cot_entropy.consistency.scanner import NAME
from cot_entropy.consistency.validating import export_benchmark

from .endpoint import Endpoint, endpoint
from .scripted import output, verdict

FULL = f"cot_entropy/{NAME}"
STOPS = "The notice is clear, so I stop.\nThe answer is: I stop."
GOES_ON = "The notice is clear, so I stop.\nThe answer is: I go on."


def reply(body: dict[str, Any]) -> str:
    user = body["messages"][-1]["content"]
    return verdict("inconsistent", "reasoning_reversal") if "I go on." in user else verdict()


def scout(folder: Path, served: Endpoint, *arguments: str) -> tuple[str, Any]:
    """What `scout scan` printed, and where its results lie."""
    program = Path(sys.executable).with_name("scout")
    done = subprocess.run(
        [
            *(str(program), "scan", FULL, "--scans", str(folder / "scans"), "--display", "plain"),
            *("--max-processes", "1", *arguments),
        ],
        env={
            **os.environ,
            **{f"{name}_BASE_URL": served.url for name in ("LOCAL", "OTHER")},
            **{f"{name}_API_KEY": "k" for name in ("LOCAL", "OTHER")},
        },
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, str(max((folder / "scans").iterdir(), key=lambda one: one.stat().st_mtime))


def frame_of(location: str) -> pd.DataFrame:
    return scan_results_df(location).scanners[NAME]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks by two models: one reversal in four, and a bare reply."""
    folder = tmp_path_factory.mktemp("logs")
    for model, replies in (
        ("mockllm/first", [STOPS, STOPS, "Yes"]),
        ("mockllm/second", [STOPS, GOES_ON, "Yes"]),
    ):
        made = get_model(model, custom_outputs=[output(one) for one in replies], memoize=False)
        eval(
            [
                Task(dataset=[Sample(id="s", input="Stop?")], name="safety"),
                Task(dataset=[Sample(id=n, input="Stop?") for n in range(2)], name="odd"),
            ],
            model=made,
            log_dir=str(folder),
            display="none",
            max_samples=1,
            max_tasks=1,
        )
    return folder


@pytest.fixture(scope="module")
def scanned(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("scanned")
    with endpoint(reply) as served:
        return scout(folder, served, "-T", str(logs), "--model", "openai-api/local/judge")


def test_the_scanner_is_found_by_name_and_its_version_recorded(scanned: tuple[str, str]) -> None:
    """Through the package's entry point."""
    frame = frame_of(scanned[1])
    assert set(frame["scanner_package_version"]) == {version("cot-entropy")}
    assert len(frame) == 6


def test_the_frame_holds_findings_by_model_and_task(scanned: tuple[str, str]) -> None:
    """The value is the subtype or the outcome, the answer the outcome."""
    frame = frame_of(scanned[1])
    reversed_ = frame[frame["value"] == "reasoning_reversal"]
    assert set(reversed_["answer"]) == {"inconsistent"}
    assert set(reversed_["transcript_model"]) == {"mockllm/second"}
    assert sorted(frame["value"]) == [
        *["consistent"] * 3, *["no_reasoning_recorded"] * 2, "reasoning_reversal",
    ]  # fmt: skip


def test_results_refer_to_the_messages_that_were_judged(scanned: tuple[str, str]) -> None:
    """The viewer links `[M2]` to the reply."""
    row = frame_of(scanned[1]).query("value == 'reasoning_reversal'").iloc[0]
    (reference,) = json.loads(row["message_references"])
    assert reference["cite"] == "[M2]"
    assert row["explanation"].startswith("whole [M2]: reasoning_reversal.")


def test_scout_shows_rates_and_what_is_outside_them(scanned: tuple[str, str]) -> None:
    """1 of 4 decided; two without reasoning."""
    (metrics,) = scan_status(scanned[1]).summary.scanners[NAME].metrics.values()
    assert metrics["inconsistent"] == 0.25
    assert metrics["reasoning_reversal"] == 0.25
    assert (metrics["decided"], metrics["no_reasoning_recorded"], metrics["judge_error"]) == (
        4,
        2,
        0,
    )


def test_limit_and_model_role(logs: Path, tmp_path: Path) -> None:
    """A role names the judge, and so many transcripts are scanned."""
    with endpoint(reply) as served:
        _, location = scout(
            *(tmp_path, served, "-T", str(logs), "--limit", "2", "-S", "judge_role=judge"),
            *("--model-role", "judge=openai-api/other/strong"),
        )
    frame = frame_of(location)
    judges = {json.loads(one)["judgement"]["judge"] for one in frame["metadata"]}
    assert (len(frame), judges) == (2, {"openai-api/other/strong"})


def test_the_benchmark_validates_in_scout(tmp_path: Path) -> None:
    """Every clear item has its case; a judge that clears all is right about the consistent ones."""
    export_benchmark(tmp_path / "bench", version=1, split="dev")
    with endpoint(lambda body: verdict()) as served:
        _, location = scout(
            *(tmp_path, served, "-T", str(tmp_path / "bench/store")),
            *("-V", str(tmp_path / "bench/validation.csv"), "--model", "openai-api/local/judge"),
        )
    frame = frame_of(location)
    labels = benchmark.load_labels(1)
    checked = {
        json.loads(metadata)["judgement"]["id"]: str(valid).lower() == "true"
        for metadata, valid in zip(frame["metadata"], frame["validation_result"], strict=True)
        if not pd.isna(valid)
    }
    clear = {id: one for id, one in labels.items() if one.split == "dev" and not one.borderline}
    assert checked == {id: one.label != "inconsistent" for id, one in clear.items()}
