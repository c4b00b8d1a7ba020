"""The ledger of a study: what is noted, and what it says of files that are gone."""

import hashlib
import multiprocessing
import os
import signal
from pathlib import Path

import pytest
from tests.generation import chains_job, model_folder, write_manifest, write_questions

from cot_entropy.base.errors import DataError
from cot_entropy.formats.ledger import (
    FIRST,
    LEDGER,
    Work,
    attempts,
    line_sha256,
    read_ledger,
    read_lines,
)
from cot_entropy.formats.ledger_writing import begin, close, noted
from cot_entropy.generate.chains import generate_chains

CELL = "tiny/tiny"
OUT = Path(f"{CELL}/registered/chains.jsonl.zst")
WORK = Work(cell=CELL, seed=1, code="c", settings=None, device="cpu")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    write_questions(tmp_path / "questions.jsonl.zst", ["One?", "Two?"])
    write_manifest(tmp_path / "model.json", model_folder(tmp_path / "model"))
    return tmp_path / "results"


def make(results: Path) -> Path:
    """Generate the chains of a cell, noted."""
    out = results / OUT
    with noted(out, Work.of(chains_job(), cell=CELL, seed=1)):
        generate_chains(
            chains_job(),
            model=results.parent / "model.json",
            questions=results.parent / "questions.jsonl.zst",
            out=out,
        )
    return out


def events(results: Path) -> list[str]:
    return [entry.event for entry in read_ledger(results)]


def test_a_start_and_an_end_are_noted(results: Path) -> None:
    out = make(results)
    start, end = read_ledger(results)
    assert (start.event, end.event, end.file) == ("start", "end", OUT.as_posix())
    assert end.sha256 == hashlib.sha256(out.read_bytes()).hexdigest()
    assert end.size == out.stat().st_size
    assert end.work is not None
    assert (end.work.seed, end.work.code) == (1, "c")


def test_each_line_holds_the_hash_of_the_one_before(results: Path) -> None:
    make(results)
    lines = read_lines(results / LEDGER)
    hashes = [FIRST, *(hashlib.sha256(line).hexdigest() for line in lines)]
    assert [entry.previous for entry in read_ledger(results)] == hashes[:-1]


def test_a_failed_job_is_noted_as_killed(results: Path) -> None:
    with pytest.raises(KeyboardInterrupt), noted(results / OUT, WORK):
        raise KeyboardInterrupt
    assert events(results) == ["start", "kill"]
    assert read_ledger(results)[-1].detail == "KeyboardInterrupt"


def killed(results: Path) -> None:
    """A job that SIGKILL ends: nothing of its own is noted after its start."""
    with noted(results / OUT, WORK):
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_job_is_noted_by_the_next_one(results: Path) -> None:
    process = multiprocessing.get_context("fork").Process(target=killed, args=(results,))
    process.start()
    process.join()
    assert events(results) == ["start"]
    make(results)
    assert events(results) == ["start", "kill", "discard", "start", "end"]


def test_a_job_that_goes_on_is_noted_as_resumed(results: Path) -> None:
    out = results / OUT
    with pytest.raises(RuntimeError), noted(out, WORK):
        raise RuntimeError
    out.parent.mkdir(parents=True)
    out.with_name(f"{out.name}.partial").write_text("half")
    with pytest.raises(RuntimeError), noted(out, WORK):
        raise RuntimeError
    assert events(results) == ["start", "kill", "resume", "kill"]


def test_a_file_made_again_leaves_an_entry_that_names_what_was_there(results: Path) -> None:
    was = hashlib.sha256(make(results).read_bytes()).hexdigest()
    make(results)
    discard = read_ledger(results)[2]
    assert (discard.event, discard.sha256, discard.detail) == ("discard", was, "to be made again")


def test_a_deleted_cell_is_named_when_the_run_is_sealed(results: Path) -> None:
    out = make(results)
    was = hashlib.sha256(out.read_bytes()).hexdigest()
    out.unlink()
    close(results)
    last = read_ledger(results)[-1]
    assert (last.event, last.sha256, last.detail) == ("discard", was, "deleted")


def test_a_replaced_file_is_named_when_the_run_is_sealed(results: Path) -> None:
    make(results).write_bytes(b"another")
    close(results)
    assert read_ledger(results)[-1].detail == "replaced"


def test_sealing_twice_adds_nothing(results: Path) -> None:
    make(results).unlink()
    assert close(results) == close(results)


def test_the_head_is_the_hash_of_the_last_line(results: Path) -> None:
    make(results)
    assert close(results) == line_sha256(read_lines(results / LEDGER)[-1])


def test_a_study_without_a_ledger_has_no_head(tmp_path: Path) -> None:
    assert close(tmp_path) is None


def test_half_a_line_of_a_killed_writer_is_cut(results: Path) -> None:
    make(results)
    with (results / LEDGER).open("ab") as stream:
        stream.write(b'{"number": 3, "ev')
    make(results)
    assert events(results) == ["start", "end", "discard", "start", "end"]


def test_a_broken_line_stops_the_next_job_with_its_number(results: Path) -> None:
    make(results)
    with (results / LEDGER).open("ab") as stream:
        stream.write(b"no entry\n")
    with pytest.raises(DataError, match=r"ledger\.jsonl:3: "):
        make(results)


def add(results: Path, number: int) -> None:
    """One job beside others."""
    with pytest.raises(RuntimeError), noted(results / f"{CELL}/{number}/chains.jsonl.zst", WORK):
        raise RuntimeError


def test_jobs_that_run_beside_each_other_make_one_chain(results: Path) -> None:
    context = multiprocessing.get_context("fork")
    jobs = [context.Process(target=add, args=(results, number)) for number in range(8)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert [entry.number for entry in read_ledger(results)] == list(range(1, 17))
    lines = read_lines(results / LEDGER)
    hashes = [FIRST, *(hashlib.sha256(line).hexdigest() for line in lines)]
    assert [entry.previous for entry in read_ledger(results)] == hashes[:-1]


def test_a_ledger_begins_with_the_freeze(results: Path) -> None:
    line = begin(results, "f" * 64)
    assert begin(results, "f" * 64) == line
    assert read_ledger(results)[0].detail == f"freeze {'f' * 64}"


def test_a_file_outside_of_any_results_is_not_noted(tmp_path: Path) -> None:
    """A verb may be called by hand, anywhere."""
    with noted(tmp_path / "chains.jsonl.zst", WORK):
        pass
    assert not list(tmp_path.rglob("ledger.jsonl"))


def test_attempts_are_counted_by_file_abandoned_ones_too(results: Path) -> None:
    with pytest.raises(RuntimeError), noted(results / OUT, WORK):
        raise RuntimeError
    make(results)
    make(results)
    (line,) = attempts(read_ledger(results))
    assert line == f"{OUT}: 3 attempts, 1 killed, 2 discarded"
