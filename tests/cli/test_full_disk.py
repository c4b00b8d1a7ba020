"""A disk that takes no more: one line that names the file, exit code 4, whatever the verb.

The limit is the system's own on the size of a file (RLIMIT_FSIZE): a write past it fails as on a
full disk, for any user and without a file system of our own.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.forge import Said, command
from tests.generation import chains_job
from tests.projects import forget_digests, make_project
from tests.runs import Tiny, generations

from cot_entropy.audit.archive import archive
from cot_entropy.base.errors import StorageError
from cot_entropy.base.files import atomic, write_text
from cot_entropy.registration.provenance import RUN, RunRecord, read_record, run_job

BYTES = 300


@contextmanager
def full(size: int = BYTES) -> Iterator[None]:
    """No file grows past `size` bytes in this block."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_an_atomic_write_to_a_full_disk_names_the_file_and_leaves_the_old_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")
    with pytest.raises(StorageError, match=r"a\.json: cannot be written"), full():
        write_text(path, "x" * 10 * BYTES)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_that_is_not_the_disks_stays_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), atomic(tmp_path / "a"):
        raise ZeroDivisionError


def _job(model: Any) -> str:
    return str(model.model_dump_json())


def _arguments(tiny: Tiny) -> dict[str, tuple[object, ...]]:
    """A call of each verb that writes, whose file does not fit."""
    out, results = tiny.results.parent / "out", tiny.results
    files = generations("alpha/sums", results)
    stored = [one for stage, path in files.items() for one in (f"--{stage}", path)]
    configuration = read_record(results / "provenance" / RUN, RunRecord).configuration
    study, scoring = configuration.study, configuration.protocols.scoring["registered"]
    model = ("--model", results / "inputs/alpha.model.json")
    trajectories = files["completions"].parent / "registered/trajectories.parquet"
    plan = ("--plan", results / "provenance/registration/plan.yaml")
    dump = json.dumps
    scored = {"cell": "alpha/sums", "scoring": scoring.model_dump(mode="json"), "code_digest": ""}
    engine = study.engine.model_dump(mode="json")
    probe = configuration.protocols.probe["registered"].model_dump(mode="json")
    return {
        "model": (
            "--job",
            dump({"name": "a", "model": study.models["alpha"].model_dump(), "code_digest": ""}),
            "--out",
            out / "a.model.json",
        ),
        "questions": (
            "--job",
            dump({"name": "s", "dataset": study.datasets["sums"].model_dump(), "code_digest": ""}),
            "--out",
            out / "s.questions.jsonl.zst",
        ),
        "prefixes": (
            "--job",
            dump({"probe": probe, "code_digest": ""}),
            *stored[:2],
            "--out",
            out / "prefixes.jsonl.zst",
        ),
        "chains": (
            "--job",
            _job(chains_job(cell="alpha/sums", engine=study.engine)),
            *model,
            "--questions",
            results / "inputs/sums.questions.jsonl.zst",
            "--out",
            out / "chains.jsonl.zst",
        ),
        "completions": (
            "--job",
            dump({"probe": probe, "engine": engine, "code_digest": ""}),
            *model,
            *stored[:4],
            "--out",
            out / "completions.jsonl.zst",
        ),
        "score": ("--job", dump(scored), *stored, "--out", out / "trajectories.parquet"),
        "sensitivity": ("--job", dump(scored), *stored, "--out", out / "sensitivity.csv"),
        "analyse": (*plan, "--out", out, "--jobs", 1, trajectories),
        "report": (results, *plan, "--out", out / "report.html"),
        "record-run": ("--job", _job(run_job(configuration)), "--out", out / "run.json"),
        "record-cell": ("alpha/sums", "--results", results, "--out", out / "cell.json"),
        "seal": (results, "--out", out / "manifest.json"),
        "archive": (results, out / "a.zip"),
        "audit": (results, "--jobs", 1),
    }


VERBS = (
    "model", "questions", "prefixes", "chains", "completions", "score", "sensitivity", "analyse",
    "report", "record-run", "record-cell", "seal", "archive", "audit",
)  # fmt: skip


def _refused(said: Said) -> None:
    assert said.code == 4, said.errors or said.out
    (line,) = [one for one in said.errors.splitlines() if one.startswith("error: ")]
    assert "cannot be written (File too large)" in line


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_on_a_full_disk_names_the_file_and_exits_with_4(tiny: Tiny, verb: str) -> None:
    arguments = _arguments(tiny)[verb]
    with full():
        said = command(verb, *arguments)
    _refused(said)


def test_every_verb_that_writes_is_tried(tiny: Tiny) -> None:
    assert set(_arguments(tiny)) == set(VERBS)


def test_an_archive_that_does_not_fit_unpacked(tiny: Tiny, tmp_path: Path) -> None:
    archive(tiny.results, tmp_path / "a.zip")
    with full():
        _refused(command("audit", tmp_path / "a.zip"))


def test_a_freeze_that_does_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_project(tmp_path, monkeypatch)
    with full():
        said = command("freeze")
    forget_digests()
    _refused(said)
    assert not (tmp_path / "preregistration/freeze.json").exists()


def test_a_standard_output_that_takes_no_more(tiny: Tiny) -> None:
    code = "from cot_entropy.cli import main; main()"
    with Path("/dev/full").open("w", encoding="utf-8") as nowhere:
        done = subprocess.run(
            [sys.executable, "-c", code, "show", str(tiny.results)],
            stdout=nowhere,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 4, done.stderr
    assert "standard output: cannot be written" in done.stderr
