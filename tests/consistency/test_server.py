"""The local judge's server: started, reached, stopped, with a small program in vLLM's place."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cot_entropy.base.errors import ModelError
from cot_entropy.consistency import server
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.scan import scan_transcripts
from cot_entropy.consistency.server import local_judge, server_command, server_environment
from cot_entropy.consistency.settings import JudgeSettings
from cot_entropy.consistency.transcript import Transcript

from .scripted import verdict

SERVE = textwrap.dedent(
    """
    import json, os, subprocess, sys
    from http.server import BaseHTTPRequestHandler, HTTPServer
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    print("child", child.pid, flush=True)
    class Handler(BaseHTTPRequestHandler):
        def answer(self, value):
            if self.headers["Authorization"] != "Bearer " + os.environ["VLLM_API_KEY"]:
                self.send_error(401)
                return
            data = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        def do_GET(self):
            self.answer({"data": []})
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            message = {"role": "assistant", "content": sys.argv[2]}
            self.answer({"id": "x", "object": "chat.completion", "created": 0, "model": "judge",
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})
    HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
    """
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    return tmp_path / "model"


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Put a Python program in the server's place; it gets the port and a verdict as arguments."""

    def use(code: str) -> None:
        def command(folder: Path, *, port: int, max_model_len: int, connections: int) -> list[str]:
            return [sys.executable, "-c", code, str(port), verdict()]

        monkeypatch.setattr(server, "server_command", command)

    return use


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie that waits for its parent does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def all_ended(pids: list[int]) -> bool:
    """Whether all processes end within 30 s."""
    deadline = time.monotonic() + 30
    while any(alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not any(alive(pid) for pid in pids)


def child_of(log: Path) -> int:
    return int(log.read_text().split("child ")[1].split()[0])


def test_a_scan_through_the_served_model(
    folder: Path, program: Callable[[str], None], tmp_path: Path
) -> None:
    """The model that the block yields judges transcripts, with the server's own key."""
    program(SERVE)
    item = Transcript(
        id="q", source="s", question="Stop?", reasoning="The notice is clear.", answer="I stop."
    )
    with local_judge(folder, log=tmp_path / "log", max_model_len=512) as local:
        found: list[Judgement] = scan_transcripts(
            [item],
            folder=tmp_path / "scan",
            settings=JudgeSettings(model="openai-api/local/judge"),
            model=local.model,
        )
    assert found[0].outcome == "consistent"


def test_nothing_is_left_running(
    folder: Path, program: Callable[[str], None], tmp_path: Path
) -> None:
    """The server and the process that it started end with the block."""
    program(SERVE)
    with local_judge(folder, log=tmp_path / "log", max_model_len=512) as local:
        pids = [local.pid, child_of(tmp_path / "log")]
        assert all(alive(pid) for pid in pids)
    assert all_ended(pids)


def test_an_error_in_the_block_stops_the_server(
    folder: Path, program: Callable[[str], None], tmp_path: Path
) -> None:
    """The error passes through."""
    program(SERVE)
    pids: list[int] = []

    def fail() -> None:
        with local_judge(folder, log=tmp_path / "log", max_model_len=512) as local:
            pids.append(local.pid)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert not alive(pids[0])


def test_a_server_that_ends_is_reported_with_its_log(
    folder: Path, program: Callable[[str], None], tmp_path: Path
) -> None:
    """The last words of the log stand in the one line."""
    program("print('out of memory'); raise SystemExit(3)")
    with (
        pytest.raises(ModelError, match=r"server ended \(3\): out of memory \(see .*log\)"),
        local_judge(folder, log=tmp_path / "log", max_model_len=512),
    ):
        pass


def test_a_server_that_never_answers_is_stopped(
    folder: Path, program: Callable[[str], None], tmp_path: Path
) -> None:
    """After the time given, with nothing left behind."""
    program("import os, time; print('child', os.getpid(), flush=True); time.sleep(600)")
    with (
        pytest.raises(ModelError, match="did not answer within 3 s"),
        local_judge(folder, log=tmp_path / "log", max_model_len=512, start_seconds=3),
    ):
        pass
    if "child" in (tmp_path / "log").read_text():
        assert not alive(child_of(tmp_path / "log"))


def test_a_killed_parent_takes_the_server_with_it(folder: Path, tmp_path: Path) -> None:
    """SIGKILL leaves no time for clean-up; the server and its child end all the same."""
    code = f"""
import sys, time
from pathlib import Path
from cot_entropy.consistency import server
server.server_command = lambda folder, *, port, max_model_len, connections: [sys.executable, "-c", {SERVE!r}, str(port), "x"]
with server.local_judge(Path({str(folder)!r}), log=Path({str(tmp_path / "log")!r}), max_model_len=512) as local:
    print(local.pid, flush=True)
    time.sleep(600)
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(server.__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment
    ) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.kill()
    assert all_ended([pid, child_of(tmp_path / "log")])


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    """Before anything is started."""
    with (
        pytest.raises(ModelError, match="no model there"),
        local_judge(tmp_path, log=tmp_path / "log", max_model_len=512),
    ):
        pass


def test_the_server_listens_on_loopback_only(folder: Path) -> None:
    """No other machine can reach the judge."""
    command = server_command(folder, port=1234, max_model_len=512)
    assert command[command.index("--host") + 1] == "127.0.0.1"


def test_the_key_is_not_in_the_process_list(folder: Path) -> None:
    """It travels in the environment."""
    assert "k3y" not in " ".join(server_command(folder, port=1234, max_model_len=512))
    assert server_environment("k3y")["VLLM_API_KEY"] == "k3y"


def test_the_server_leaves_a_core_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever Snakemake sets: as many threads as cores would wait for each other."""
    monkeypatch.setenv("OMP_NUM_THREADS", "64")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    assert server_environment("k")["OMP_NUM_THREADS"] == "3"
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    assert server_environment("k")["OMP_NUM_THREADS"] == "1"


def test_the_server_never_looks_for_a_network() -> None:
    """Neither models nor usage statistics."""
    environment = server_environment("k")
    assert (environment["HF_HUB_OFFLINE"], environment["VLLM_NO_USAGE_STATS"]) == ("1", "1")
    assert (
        environment.items()
        >= {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("VLLM", "HF", "TRANS", "OMP_NUM"))
        }.items()
    )
