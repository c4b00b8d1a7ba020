"""The real engine under faults: what becomes of its processes, and of what was finished."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml
from tests.engine.test_vllm import settings
from tests.generation import write_manifest, write_questions
from tests.killing import ROOT, await_end, run, session, snakemake, whole_lines

from cot_entropy.engine.base import Request, RequestRejectedError
from cot_entropy.engine.vllm import VllmBackend
from cot_entropy.formats.records import ChainRecord, CompletionRecord, read_records

pytestmark = [pytest.mark.engine, pytest.mark.full]

TESTS = Path(__file__).parents[1]
QUESTIONS = 30
STAGE = """
import sys
from pathlib import Path

from tests.engine.test_vllm import settings
from tests.generation import chain_block

from cot_entropy.generate.chains import generate_chains
from cot_entropy.base.errors import UserError
from cot_entropy.protocol.chain import ChainsJob

folder = Path(sys.argv[1])
try:
    print(generate_chains(
        ChainsJob(
            cell="smollm2/tiny",
            study_seed=1,
            chain=chain_block(budget=100),
            engine=settings(
                in_process=sys.argv[2] == "in_process", max_num_seqs=4, stall_timeout_s=20
            ),
            code_digest="c",
        ),
        model=folder / "model.json",
        questions=folder / "questions.jsonl.zst",
        out=folder / "chains.jsonl.zst",
    ).model_dump_json())
except UserError as error:
    print(error, file=sys.stderr)
    sys.exit(error.exit_code)
"""


@pytest.fixture
def folder(smollm2: Path, tmp_path: Path) -> Path:
    write_manifest(tmp_path / "model.json", smollm2)
    texts = [f"Ann has {n} apples and buys {n + 2} more. How many?" for n in range(QUESTIONS)]
    write_questions(tmp_path / "questions.jsonl.zst", texts)
    return tmp_path


@contextmanager
def worker(folder: Path, mode: str = "child_processes") -> Iterator[subprocess.Popen[str]]:
    """A stage in a session of its own; the engine in it, or in child processes."""
    with (folder / "stderr").open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", STAGE, str(folder), mode],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, "PYTHONPATH": f"{TESTS.parent / 'src'}:{TESTS.parent}"},
            start_new_session=True,
        )
    try:
        yield process
    finally:
        for one in session(process.pid):
            one.kill()
        process.communicate()


def await_questions(folder: Path, process: subprocess.Popen[str], count: int) -> list[bytes]:
    """Wait until so many questions are on disk; their lines."""
    path = folder / "chains.jsonl.zst.partial"
    deadline = time.monotonic() + 900
    while time.monotonic() < deadline:
        assert process.poll() is None, (folder / "stderr").read_text()
        lines = whole_lines(path)
        if len(lines) > count:
            return lines
        time.sleep(0.1)
    raise AssertionError("no question finished in time")


def engine_processes(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """The children that compute: vLLM names them so."""
    children = psutil.Process(process.pid).children(recursive=True)
    return [one for one in children if "EngineCore" in " ".join(one.cmdline())]


def assert_gone(processes: list[psutil.Process]) -> None:
    """No process of the engine outlives its worker for long."""
    assert processes
    _, alive = psutil.wait_procs(processes, timeout=60)
    assert not [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]


def finish(folder: Path, process: subprocess.Popen[str]) -> dict[str, Any]:
    output, _ = process.communicate(timeout=1800)
    assert process.returncode == 0, (folder / "stderr").read_text()
    summary: dict[str, Any] = json.loads(output.splitlines()[-1])
    return summary


def assert_kept(folder: Path, before: list[bytes]) -> None:
    """The final file has every question once, and what was finished before as it was."""
    records = list(read_records(folder / "chains.jsonl.zst", ChainRecord))
    assert [one.question_id for one in records] == [f"q{index}" for index in range(QUESTIONS)]
    for line in before[1:]:
        entry = json.loads(line)
        assert records[entry["position"]].model_dump(mode="json") == entry["record"]


@pytest.mark.parametrize("fault", [signal.SIGKILL, signal.SIGSTOP])
def test_a_lost_engine_is_restarted(folder: Path, fault: signal.Signals) -> None:
    """Killed, or alive and silent for longer than `stall_timeout_s`: it is started once more,
    nothing is lost, and nothing is left of the first one."""
    with worker(folder) as process:
        before = await_questions(folder, process, 2)
        lost = engine_processes(process)
        for one in lost:
            one.send_signal(fault)
        summary = finish(folder, process)
        assert_gone(lost)
    assert (summary["restarts"], summary["engine_starts"], summary["attempts"]) == (1, 2, 1)
    assert_kept(folder, before)


def test_a_killed_worker_leaves_no_engine_and_continues(folder: Path) -> None:
    """SIGKILL of the worker: the engine's process ends by itself; the next run goes on."""
    with worker(folder) as process:
        before = await_questions(folder, process, 2)
        engine = engine_processes(process)
        process.kill()
        assert_gone(engine)
    with worker(folder, "in_process") as process:
        process.communicate(timeout=600)
        assert process.returncode == 2
    assert "engine.settings.in_process" in (folder / "stderr").read_text()
    with worker(folder) as process:
        summary = finish(folder, process)
    assert summary["questions_resumed"] >= len(before) - 1
    assert summary["attempts"] == 2
    assert_kept(folder, before)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_stop_signal_leaves_no_engine(folder: Path, number: signal.Signals, code: int) -> None:
    """SIGTERM and Ctrl-C: one line, the shell's exit code, and the device is free."""
    with worker(folder) as process:
        await_questions(folder, process, 1)
        engine = engine_processes(process)
        process.send_signal(number)
        process.communicate(timeout=120)
        assert process.returncode == code
        assert_gone(engine)
    assert "stopped by" in (folder / "stderr").read_text().splitlines()[-1]


def test_vllm_rejects_a_request_and_goes_on(smollm2: Path) -> None:
    """A token outside the vocabulary is the fault of that request alone."""
    backend = VllmBackend(settings(), smollm2)
    good = Request("good", [1, 2, 3], 0.7, max_tokens=3, seed=1)
    try:
        with pytest.raises(RequestRejectedError, match=r"(?i)vocab"):
            backend.add(Request("bad", [1, 10**6], 0.7, max_tokens=3, seed=1))
        backend.add(good)
        finished = []
        while not finished:
            finished = backend.step()
    finally:
        backend.close()
    assert [one.id for one in finished] == ["good"]


CELL = "results/real/smollm2/wordproblems/short"
CHAINS = f"{CELL}/chains.jsonl.zst"
COMPLETIONS = f"{CELL}/short/completions.jsonl.zst"
ASKED = 40
KILLS_OF_EACH = 7


def project(folder: Path) -> Path:
    """One cell on the real engine in child processes: short chains, two sequences at a time."""
    folder.mkdir()
    (folder / "requirements").symlink_to(ROOT / "requirements")
    (folder / "models").symlink_to(ROOT / "models")
    (ROOT / "models").mkdir(exist_ok=True)
    protocols = {
        "chain": {
            "short": {"system_prompt": "Solve it step by step.", "temperature": 0.7, "budget": 64}
        },
        "probe": {
            "short": {
                "segmentation": "newlines",
                "cap": 2,
                "cap_policy": "truncate",
                "m": 3,
                "temperature": 0.7,
                "budget": 24,
            }
        },
        "scoring": {
            "registered": yaml.safe_load((ROOT / "config/protocols.yaml").read_text())["scoring"][
                "registered"
            ]
        },
        "protocols": {"short": {"chain": "short", "probe": "short", "scoring": "registered"}},
    }
    (folder / "protocols.yaml").write_text(yaml.safe_dump(protocols))
    study = {
        "study": "real",
        "seed": 7,
        "plan": str(ROOT / "preregistration/plan.yaml"),
        "protocols": "protocols.yaml",
        "protocol": "short",
        "engine": settings(in_process=False, max_num_seqs=2).model_dump(mode="json"),
        "models": {"smollm2": {"source": "bundled", "name": "smollm2-135m"}},
        "datasets": {
            "wordproblems": {
                "source": "embedded",
                "name": "wordproblems",
                "answer": "number",
                "questions": ASKED,
                "seed": 3,
            }
        },
    }
    (folder / "study.yaml").write_text(yaml.safe_dump(study, sort_keys=False))
    return folder


def command(process: psutil.Process) -> str:
    """Its words; none of one that has ended."""
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


def targets(process: subprocess.Popen[bytes]) -> dict[str, psutil.Process]:
    """Who can be killed just now: Snakemake, the worker, the engine."""
    found = {"snakemake": psutil.Process(process.pid)}
    for one in session(process.pid):
        words = command(one)
        if "EngineCore" in words:
            found["engine"] = one
        elif "cot-entropy" in words and one.pid != process.pid:
            found["worker"] = one
    return found


def test_a_worker_killed_while_its_engine_starts_leaves_none(smollm2: Path, tmp_path: Path) -> None:
    """The engine's process has not yet loaded vLLM, whose handshake would wait five minutes."""
    assert smollm2.is_dir()
    with snakemake(project(tmp_path / "killed"), "--", CHAINS) as process:
        starting: list[psutil.Process] = []
        deadline = time.monotonic() + 300
        while not starting:
            assert time.monotonic() < deadline, "no engine process was started"
            starting = [one for one in session(process.pid) if "spawn_main" in command(one)]
            time.sleep(0.02)
        targets(process)["worker"].kill()
        await_end(process)


def texts(folder: Path) -> dict[tuple[str, int], list[str]]:
    """The texts of every record: chains as prefix -1, completions by prefix."""
    found = {
        (one.question_id, -1): [one.chain.text if one.chain else ""]
        for one in read_records(folder / CHAINS, ChainRecord)
    }
    for record in read_records(folder / COMPLETIONS, CompletionRecord):
        for prefix in record.prefixes:
            found[record.question_id, prefix.k] = [one.text for one in prefix.samples]
    return found


def assert_only_added(name: str, before: list[bytes], after: list[bytes]) -> None:
    """What was on disk is still there, unchanged, and no question twice."""
    assert after[: len(before)] == before, name
    positions = [json.loads(line)["position"] for line in after[1:]]
    assert len(positions) == len(set(positions)), name


def finished(folder: Path) -> int:
    """How many questions are on disk, chains and completions counted apart."""
    partial = {name: whole_lines(folder / f"{name}.partial") for name in (CHAINS, COMPLETIONS)}
    return sum(
        ASKED if (folder / name).exists() else len(lines[1:]) for name, lines in partial.items()
    )


def strike(
    process: subprocess.Popen[bytes], name: str, folder: Path, *, above: int, after: float
) -> bool:
    """Kill one of the run's processes, so many seconds after more questions than `above` are on
    disk, or as soon as it is there then; False where the run has ended before."""
    moment = inf
    while process.poll() is None:
        if moment == inf and finished(folder) > above:
            moment = time.monotonic() + after
        victim = targets(process).get(name) if time.monotonic() >= moment else None
        if victim:
            with suppress(psutil.NoSuchProcess):
                victim.kill()
                return True
        time.sleep(0.1)
    return False


def test_twenty_kills_at_random_moments_lose_nothing(smollm2: Path, tmp_path: Path) -> None:
    """SIGKILL of Snakemake, worker and engine over one run, by turns while they start and after
    another question was finished: every question once, none changed after it was finished. The
    share of equal texts is measured; other questions in flight at a continuation make other
    batches, and those may round to other tokens."""
    assert smollm2.is_dir()
    folder = project(tmp_path / "killed")
    draw = random.Random(5)
    victims = ["snakemake", "worker", "engine"] * KILLS_OF_EACH
    draw.shuffle(victims)
    kept: dict[str, list[bytes]] = {CHAINS: [], COMPLETIONS: []}

    def check() -> None:
        for name, before in kept.items():
            path = folder / f"{name}.partial"
            if path.exists():
                kept[name] = whole_lines(path)
                assert_only_added(name, before, kept[name])

    while victims:
        with snakemake(folder, "--", COMPLETIONS) as process:
            while victims:
                starting = len(victims) % 2 == 0
                above = -1 if starting else finished(folder)
                after = draw.uniform(1, 30) if starting else draw.uniform(0, 5)
                if not strike(process, victims[-1], folder, above=above, after=after):
                    break
                if victims.pop() != "engine":
                    await_end(process)
                check()
        check()
        assert not (folder / COMPLETIONS).exists(), f"done before {victims}: ask more questions"
        run(folder, "--unlock")
    run(folder, "--", COMPLETIONS)
    for name, kind in ((CHAINS, ChainRecord), (COMPLETIONS, CompletionRecord)):
        records = list(read_records(folder / name, kind))
        assert len({one.question_id for one in records}) == len(records) == ASKED
        for line in kept[name][1:]:
            entry = json.loads(line)
            assert records[entry["position"]].model_dump(mode="json") == entry["record"]
    calm = project(tmp_path / "calm")
    run(calm, "--", COMPLETIONS)
    undisturbed, killed = texts(calm), texts(folder)
    for kind, is_chain in (("chains", True), ("prefixes", False)):
        shared = [key for key in undisturbed if key in killed and (key[1] == -1) == is_chain]
        same = sum(undisturbed[key] == killed[key] for key in shared)
        print(f"{kind}: the texts of {same} of {len(shared)} are those of the undisturbed run")
