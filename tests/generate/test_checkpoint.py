"""Finished records on disk while a stage runs."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import pytest
from tests.generation import chain_block, scripted_settings

from cot_entropy.base.errors import DataError, StorageError
from cot_entropy.engine.identity import engine_identity
from cot_entropy.formats.records import (
    CompletionRecord,
    DatasetIdentity,
    Header,
    ModelIdentity,
    read_header,
    read_records,
)
from cot_entropy.generate.checkpoint import Checkpoint
from cot_entropy.protocol.engine import FILL


def header(**changes: Any) -> Header:
    values = {
        "stage": "completions",
        "cell": "tiny/tiny",
        "study_seed": 1,
        "model": ModelIdentity(
            name="tiny",
            source="local",
            revision="r1",
            weights_sha256="0" * 64,
            tokenizer_sha256="0" * 64,
            chat_template_sha256="0" * 64,
        ),
        "dataset": DatasetIdentity(
            name="tiny",
            source="local",
            revision="r1",
            sha256="1" * 64,
            questions_sha256="2" * 64,
            answer="number",
            questions=3,
        ),
        "engine": engine_identity(scripted_settings()),
        "system_role": "native",
        "chain": chain_block(),
        "code_digest": "c",
        "inputs": {},
        **changes,
    }
    return Header.model_validate(values)


def record(position: int) -> CompletionRecord:
    return CompletionRecord(
        question_id=f"q{position}", prefixes=[], error="e" if position else None
    )


def opened(out: Path, **changes: Any) -> Checkpoint[CompletionRecord]:
    return Checkpoint(out, header(**changes), CompletionRecord, 3)


def test_final_file_is_in_question_order(tmp_path: Path) -> None:
    """Records finish in any order; the file is in dataset order, and the partial one is gone."""
    out = tmp_path / "out.jsonl.zst"
    with opened(out) as checkpoint:
        for position in (2, 0, 1):
            checkpoint.append(position, record(position))
        assert checkpoint.finish() == 2
    assert [one.question_id for one in read_records(out, CompletionRecord)] == ["q0", "q1", "q2"]
    assert read_header(out) == header()
    assert list(tmp_path.iterdir()) == [out]


def test_a_reopened_checkpoint_knows_what_is_done(tmp_path: Path) -> None:
    """After a kill, finished positions are held and others are not."""
    with opened(tmp_path / "out") as checkpoint:
        checkpoint.append(2, record(2))
    with opened(tmp_path / "out") as checkpoint:
        assert [checkpoint.holds(position) for position in range(3)] == [False, False, True]
        assert checkpoint.finished == 1


def test_every_torn_length_is_recovered(tmp_path: Path) -> None:
    """Whatever byte a kill stops at, whole lines are kept and the torn one is dropped."""
    path = tmp_path / "out.partial"
    with opened(tmp_path / "out") as checkpoint:
        checkpoint.append(0, record(0))
        kept = path.stat().st_size
        checkpoint.append(1, record(1))
    whole = path.read_bytes()
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        with opened(tmp_path / "out") as checkpoint:
            assert checkpoint.holds(1) == (length == len(whole))
            assert checkpoint.holds(0) == (length >= kept)
            checkpoint.append(2, record(2))
        with opened(tmp_path / "out") as checkpoint:
            assert checkpoint.holds(2)


def test_a_torn_line_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Dropping a question's work is said."""
    with opened(tmp_path / "out") as checkpoint:
        checkpoint.append(0, record(0))
    path = tmp_path / "out.partial"
    path.write_bytes(path.read_bytes()[:-3])
    with opened(tmp_path / "out"):
        pass
    assert "last line torn" in caplog.text


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"study_seed": 2}, "study_seed"),
        ({"code_digest": "d"}, "code_digest"),
        ({"chain": chain_block(temperature=0.1)}, "chain.temperature"),
        ({"engine": engine_identity(scripted_settings(dtype="float32"))}, "engine.settings.dtype"),
        ({"inputs": {"chains": "5"}}, "inputs.chains"),
        ({"model": header().model.model_copy(update={"revision": "r2"})}, "model.revision"),
        ({"dataset": header().dataset.model_copy(update={"sha256": "2" * 64})}, "dataset.sha256"),
    ],
)
def test_another_setting_is_refused(tmp_path: Path, changes: dict[str, Any], key: str) -> None:
    """Records of different settings never mix; the message names what differs."""
    with opened(tmp_path / "out") as checkpoint:
        checkpoint.append(0, record(0))
    before = (tmp_path / "out.partial").read_bytes()
    with pytest.raises(DataError, match=rf"another setting \({key}: .* there, .* now"):
        opened(tmp_path / "out", **changes)
    assert (tmp_path / "out.partial").read_bytes() == before


def test_a_setting_under_which_nothing_was_finished_binds_nobody(tmp_path: Path) -> None:
    """An engine that did not start for lack of memory may be given another setting."""
    with opened(tmp_path / "out"):
        pass
    with opened(tmp_path / "out", study_seed=2) as checkpoint:
        assert not checkpoint.continued
        checkpoint.append(0, record(0))
    with opened(tmp_path / "out", study_seed=2) as checkpoint:
        assert checkpoint.holds(0)


OTHER_FILL = {
    "max_num_seqs": 2,
    "max_num_batched_tokens": 2048,
    "memory_share": 0.8,
    "cpu_cache_gb": 2,
    "enforce_eager": True,
    "in_process": True,
    "stall_timeout_s": 7,
}


def test_every_way_to_fill_a_device_is_tried_here() -> None:
    assert OTHER_FILL.keys() == FILL


@pytest.mark.parametrize("key", sorted(OTHER_FILL))
def test_another_fill_may_continue(tmp_path: Path, key: str) -> None:
    """What says only how full the device is binds no checkpoint; the file's header says both."""
    with opened(tmp_path / "out.zst") as checkpoint:
        checkpoint.append(0, record(0))
    other = engine_identity(scripted_settings(**{key: OTHER_FILL[key]}))
    with opened(tmp_path / "out.zst", engine=other) as checkpoint:
        assert checkpoint.continued
        assert checkpoint.holds(0)
        checkpoint.append(1, record(1))
        checkpoint.append(2, record(2))
    with opened(tmp_path / "out.zst", engine=other) as checkpoint:
        checkpoint.finish()
    found = read_header(tmp_path / "out.zst")
    assert found.engine == other
    assert found.other_fills == [header().engine.settings.fill]


def test_a_fill_under_which_nothing_was_finished_is_not_recorded(tmp_path: Path) -> None:
    """Lowered after an engine that did not start: one way throughout."""
    with opened(tmp_path / "out.zst"):
        pass
    lower = engine_identity(scripted_settings(memory_share=0.5))
    with opened(tmp_path / "out.zst", engine=lower) as checkpoint:
        assert checkpoint.continued
        for position in range(3):
            checkpoint.append(position, record(position))
        checkpoint.finish()
    found = read_header(tmp_path / "out.zst")
    assert found.engine == lower
    assert found.other_fills == []


def test_damage_before_the_last_line_is_refused(tmp_path: Path) -> None:
    """A kill tears the end only; other damage names its line."""
    with opened(tmp_path / "out") as checkpoint:
        checkpoint.append(0, record(0))
    path = tmp_path / "out.partial"
    path.write_bytes(path.read_bytes() + b"garbage\n")
    with pytest.raises(DataError, match=r"out.partial:3: damaged"):
        opened(tmp_path / "out")


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        ("3", "no such question"),
        ("-1", "no such question"),
        ("true", "position"),
        ("null", "position"),
    ],
)
def test_a_position_outside_the_dataset_is_refused(
    tmp_path: Path, position: str, reason: str
) -> None:
    """Lines of another file do not pass as records of this one."""
    with opened(tmp_path / "out"):
        pass
    line = f'{{"position":{position},"record":{{}}}}\n'
    with (tmp_path / "out.partial").open("a") as stream:
        stream.write(line)
    with pytest.raises(DataError, match=rf"out.partial:2: {reason}"):
        opened(tmp_path / "out")


def test_two_writers_are_refused(tmp_path: Path) -> None:
    """A worker that outlived its scheduler keeps the file to itself."""
    with opened(tmp_path / "out"), pytest.raises(StorageError, match=r"another process"):
        opened(tmp_path / "out")


def test_a_full_disk_keeps_what_is_finished(tmp_path: Path) -> None:
    """A write that fails half-way is one clear line, and the next run continues before it."""
    with opened(tmp_path / "out") as checkpoint:
        checkpoint.append(0, record(0))
        size = (tmp_path / "out.partial").stat().st_size
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, hard))
        try:
            with pytest.raises(StorageError, match=r"cannot be written .* finished questions"):
                checkpoint.append(1, record(1))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    with opened(tmp_path / "out") as checkpoint:
        assert [checkpoint.holds(position) for position in range(3)] == [True, False, False]


def test_a_folder_that_cannot_be_written_is_a_clear_error() -> None:
    """/proc takes no files from anyone."""
    with pytest.raises(StorageError, match=r"/proc/results/out.partial: cannot be written"):
        opened(Path("/proc/results/out"))


def test_missing_questions_are_not_passed_over(tmp_path: Path) -> None:
    """A final file with fewer records than the dataset has questions is never written."""
    with opened(tmp_path / "out") as checkpoint:
        checkpoint.append(0, record(0))
        with pytest.raises(DataError, match=r"fewer questions"):
            checkpoint.finish()
    assert not (tmp_path / "out").exists()
