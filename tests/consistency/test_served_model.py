"""The real thing: vLLM serves the bundled model on loopback and it judges two transcripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from cot_entropy.consistency import benchmark
from cot_entropy.consistency.scan import scan_transcripts
from cot_entropy.consistency.server import local_judge
from cot_entropy.consistency.settings import JudgeSettings

from .test_server import all_ended


def session(pid: int) -> list[int]:
    """All processes below a process, itself included."""
    found = [pid]
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except FileNotFoundError:
            continue
        if parent == pid:
            found += session(int(path.parent.name))
    return found


@pytest.mark.engine
def test_the_bundled_model_judges_through_vllm(smollm2: Path, tmp_path: Path) -> None:
    """Every transcript has an outcome, the server counted tokens, and no process is left.

    Which outcome is not asserted: a model of 135 M parameters judges badly.
    """
    items = sorted(benchmark.select(split="dev"), key=lambda one: len(one.reasoning))[:2]
    with local_judge(smollm2, log=tmp_path / "log", max_model_len=8192) as local:
        pids = session(local.pid)
        settings = JudgeSettings(model=local.name, max_chars=12_000, max_tokens=150, attempts=1)
        found = scan_transcripts(items, folder=tmp_path, settings=settings, model=local.model)
    assert len(pids) >= 2
    assert all_ended(pids)
    assert [judgement.id for judgement in found] == [item.id for item in items]
    asked = [judgement for judgement in found if judgement.decided_by == "judge"]
    assert all(judgement.failure != "unreachable" for judgement in asked)
    assert all(judgement.output_tokens > 0 for judgement in asked)
