"""A judge on this machine: vLLM's OpenAI-compatible server on loopback, for one block of code.

The server and every process that it starts end with the block, and also when the process that
runs the block is killed (`supervise`).
"""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.model import GenerateConfig, Model, get_model

from cot_entropy.base.errors import ModelError
from cot_entropy.base.files import sha256_file
from cot_entropy.consistency import supervise

HOST = "127.0.0.1"
SERVED_NAME = "judge"
START_SECONDS = 300.0
_LOG_TAIL = 500


@dataclass(frozen=True)
class LocalJudge:
    """A running server and how to reach it; `model` is ready for `scan_transcripts`.

    `name` says which weights judge: the folder's name and the first 12 digits of `weights_sha256`.
    """

    name: str
    base_url: str
    model: Model
    pid: int


@contextmanager
def local_judge(
    folder: Path,
    *,
    log: Path,
    max_model_len: int,
    connections: int = 8,
    start_seconds: float = START_SECONDS,
) -> Iterator[LocalJudge]:
    """Serve the model in `folder` while the block runs; the server's output goes to `log`.

    `max_model_len` is in tokens; `connections` requests are answered at a time. Raises
    ModelError, quoting the log's end, where the server ends or does not answer within
    `start_seconds`.
    """
    if not (folder / "config.json").is_file():
        raise ModelError(f"{folder}: no model there (config.json is missing)")
    name = f"local/{folder.name}@{weights_sha256(folder)[:12]}"
    port = _free_port()
    key = secrets.token_hex(16)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603  # fixed program, no shell
            [
                sys.executable,
                "-P",
                supervise.__file__,
                *server_command(
                    folder, port=port, max_model_len=max_model_len, connections=connections
                ),
            ],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=server_environment(key),
        )
        base_url = f"http://{HOST}:{port}/v1"
        try:
            _await(process, f"{base_url}/models", key=key, log=log, seconds=start_seconds)
            yield LocalJudge(
                name=name,
                base_url=base_url,
                model=get_model(
                    f"openai-api/local/{SERVED_NAME}",
                    base_url=base_url,
                    api_key=key,
                    config=GenerateConfig(max_retries=1),
                    memoize=False,
                ),
                pid=process.pid,
            )
        finally:
            _stop(process)


def weights_sha256(folder: Path) -> str:
    """One hash over the model's configuration, tokenizer and weight files, by name."""
    digest = hashlib.sha256()
    for path in sorted([*folder.glob("*.json"), *folder.glob("*.safetensors")]):
        digest.update(f"{path.name} {sha256_file(path)}\n".encode())
    return digest.hexdigest()


def server_command(
    folder: Path, *, port: int, max_model_len: int, connections: int = 8
) -> list[str]:
    """The server's command line, from the running Python's environment.

    Replies in a schema hold no free white space: a small model could write nothing else.
    """
    return [
        sys.executable,
        "-m",
        "vllm.entrypoints.openai.api_server",
        "--model",
        str(folder),
        "--served-model-name",
        SERVED_NAME,
        "--host",
        HOST,
        "--port",
        str(port),
        "--dtype",
        "bfloat16",
        "--max-model-len",
        str(max_model_len),
        "--max-num-batched-tokens",
        str(max_model_len),
        "--max-num-seqs",
        str(connections),
        "--structured-outputs-config",
        '{"backend": "xgrammar", "disable_any_whitespace": true}',
        "--no-enable-chunked-prefill",
        "--enforce-eager",
        "--no-enable-log-requests",
    ]


def server_environment(key: str) -> dict[str, str]:
    """The environment: offline, with the key out of the process list.

    One core is left to the server's other processes, and the threads move between cores freely:
    bound, vLLM 0.32 puts more threads on a core than one, where each waits for the other.
    """
    return {
        "VLLM_CPU_KVCACHE_SPACE": "1",
        **os.environ,
        "OMP_NUM_THREADS": str(max(1, len(os.sched_getaffinity(0)) - 1)),
        "VLLM_CPU_OMP_THREADS_BIND": "nobind",
        "VLLM_API_KEY": key,
        "VLLM_NO_USAGE_STATS": "1",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


def _await(
    process: subprocess.Popen[bytes], url: str, *, key: str, log: Path, seconds: float
) -> None:
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"})  # noqa: S310  # loopback http, ours
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise ModelError(f"the judge's server ended ({process.returncode}): {_tail(log)}")
        try:
            with urllib.request.urlopen(request, timeout=5):  # noqa: S310
                return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.5)
    raise ModelError(f"the judge's server did not answer within {seconds:.0f} s: {_tail(log)}")


def _tail(log: Path) -> str:
    return " ".join(log.read_text(errors="replace")[-_LOG_TAIL:].split()) + f" (see {log})"


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Close the supervisor's input, upon which it ends the server's session."""
    if process.stdin is not None:
        process.stdin.close()
    process.wait()
