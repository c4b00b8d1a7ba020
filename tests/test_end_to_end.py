"""The whole line on the real vLLM engine, on the CPU, from questions to report."""

from __future__ import annotations

import csv
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from cot_entropy.base.files import read_jsonl, sha256_file
from cot_entropy.formats.records import ChainRecord, CompletionRecord, read_header, read_records
from cot_entropy.formats.trajectories import REQUIRED, read_trajectories

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared/data"
BIN = Path(sys.executable).parent

pytestmark = pytest.mark.engine

ENGINE = {
    "device": "cpu",
    "dtype": "float32",
    "max_model_len": 2048,
    "max_num_seqs": 64,
    "enforce_eager": True,
    "in_process": True,
    "cpu_cache_gb": 2,
}


def run(folder: Path, study: dict[str, Any]) -> Path:
    """Run the project's Snakefile on a study in a folder of its own; its results folder."""
    folder.mkdir(exist_ok=True)
    (folder / "requirements").symlink_to(ROOT / "requirements")
    (folder / "models").symlink_to(ROOT / "models")
    (ROOT / "models").mkdir(exist_ok=True)
    study = {
        "study": "real",
        "seed": 7,
        "plan": str(ROOT / "preregistration/plan.yaml"),
        "protocols": str(ROOT / "config/protocols.yaml"),
        "engine": ENGINE,
        **study,
    }
    (folder / "study.yaml").write_text(yaml.safe_dump(study, sort_keys=False))
    command = [
        str(BIN / "snakemake"),
        "--snakefile", str(ROOT / "Snakefile"),
        "--directory", str(folder),
        "--profile", str(ROOT / "profiles/default"),
        "--configfile", str(folder / "study.yaml"),
    ]  # fmt: skip
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:]
    return folder / "results/real"


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from numbers(item)
    elif isinstance(value, list):
        for item in value:
            yield from numbers(item)


def odd(value: float) -> bool:
    return not math.isfinite(value) or (value == 0 and math.copysign(1, value) < 0)


def odd_numbers(results: Path) -> list[tuple[str, object]]:
    """Every NaN, infinity and negative zero in any file of the results."""
    found: list[tuple[str, object]] = []
    for path in results.rglob("*"):
        if path.name.endswith((".jsonl.zst", ".jsonl")):
            found += [(path.name, n) for _, row in read_jsonl(path) for n in numbers(row) if odd(n)]
        elif path.suffix == ".parquet":
            rows = pq.read_table(path).to_pylist()
            found += [(path.name, n) for row in rows for n in numbers(row) if odd(n)]
        elif path.suffix == ".csv":
            with path.open(newline="") as stream:
                cells = [cell for row in csv.reader(stream) for cell in row]
            words = {"nan", "inf", "-inf", "-0.0", "-0"}
            found += [(path.name, cell) for cell in cells if cell.lower() in words]
        elif path.suffix == ".json":
            found += [(path.name, n) for n in numbers(json.loads(path.read_text())) if odd(n)]
    return found


def local(path: Path, **fields: object) -> dict[str, object]:
    return {"source": "local", "path": str(path), "sha256": sha256_file(path), **fields}


@pytest.fixture(scope="module")
def benchmarks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first four questions of the two real benchmarks, on the 135M model as it comes."""
    if not SHARED.is_dir():
        pytest.skip("../shared/data is not here: the benchmarks are no part of the project")
    return run(
        tmp_path_factory.mktemp("benchmarks") / "run",
        {
            "models": {"smollm2-135m": {"source": "bundled", "name": "smollm2-135m"}},
            "datasets": {
                "gsm8k": local(
                    SHARED / "gsm8k_test.jsonl", answer="number", questions=4, gold_marker="#### "
                ),
                "math500": local(
                    SHARED / "math500_test.jsonl",
                    answer="math",
                    questions=4,
                    question_field="problem",
                    id_field="unique_id",
                    stratum_field="level",
                ),
            },
        },
    )


CELLS = ["smollm2-135m/gsm8k", "smollm2-135m/math500"]
FILES = {
    "chains": "registered/chains.jsonl.zst",
    "prefixes": "registered/registered/prefixes.jsonl.zst",
    "completions": "registered/registered/completions.jsonl.zst",
    "trajectories": "registered/registered/registered/trajectories.parquet",
}


@pytest.mark.parametrize("cell", CELLS)
def test_real_benchmarks_give_every_contract_file(benchmarks: Path, cell: str) -> None:
    folder = benchmarks / cell
    chains = list(read_records(folder / FILES["chains"], ChainRecord))
    completions = list(read_records(folder / FILES["completions"], CompletionRecord))
    frame = read_trajectories(folder / FILES["trajectories"])
    assert len(chains) == len(completions) == len(frame) == 4
    assert list(frame["question_id"]) == [record.question_id for record in chains]
    assert {field.name for field in REQUIRED} <= set(frame.columns)
    for name in ("verdicts.csv", "estimates.csv", "report.html", "provenance/manifest.json"):
        assert (benchmarks / name).stat().st_size > 0


@pytest.mark.parametrize("cell", CELLS)
def test_every_prefix_has_five_completions_and_an_entropy(benchmarks: Path, cell: str) -> None:
    """Registered: N+1 prefixes, m = 5."""
    frame = read_trajectories(benchmarks / cell / FILES["trajectories"])
    completions = read_records(benchmarks / cell / FILES["completions"], CompletionRecord)
    for units, entropies, record in zip(
        frame["n_units"], frame["entropies"], completions, strict=True
    ):
        assert len(record.prefixes) == len(entropies) == units + 1
        assert all(len(prefix.samples) == 5 for prefix in record.prefixes)


@pytest.mark.parametrize("cell", CELLS)
def test_the_real_engine_signs_every_generation(benchmarks: Path, cell: str) -> None:
    for name in ("chains", "completions"):
        header = read_header(benchmarks / cell / FILES[name])
        assert header.engine.name == "vllm"
        assert header.engine.version.startswith("0.32.0")
        assert header.cell == cell


def test_four_questions_are_not_assessable(benchmarks: Path) -> None:
    """Groups under 30: every hypothesis says so, with its row there."""
    with (benchmarks / "verdicts.csv").open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["cell"] in CELLS]
    assert {row["id"] for row in rows} >= {"H1", "H2", "H3", "H5"}
    assert {row["verdict"] for row in rows} == {"not assessable"}
    assert all(row["reason"] for row in rows)
    assert {row["kind"] for row in rows} == {"exploratory"}


def test_no_file_holds_nan_infinity_or_negative_zero(benchmarks: Path) -> None:
    assert odd_numbers(benchmarks) == []


@pytest.mark.full
def test_two_fresh_runs_write_the_same_bytes(tmp_path: Path) -> None:
    """Same config, fresh processes: generations and trajectories to the byte, on the CPU."""
    study = {
        "models": {"demo": {"source": "bundled", "name": "smollm2-135m-demo"}},
        "datasets": {
            "wordproblems": {
                "source": "embedded",
                "name": "wordproblems",
                "answer": "number",
                "questions": 6,
                "seed": 3,
            }
        },
    }
    first, second = (run(tmp_path / name, study) for name in ("first", "second"))
    for name in FILES.values():
        path = Path("demo/wordproblems") / name
        assert (first / path).read_bytes() == (second / path).read_bytes(), name
    frame = read_trajectories(first / "demo/wordproblems" / FILES["trajectories"])
    assert len(frame) == 6
    assert (frame["n_units"] >= 1).all()
    assert (first / "verdicts.csv").read_bytes() == (second / "verdicts.csv").read_bytes()
    assert odd_numbers(first) == []
