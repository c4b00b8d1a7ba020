"""Parts of a cell, each with an engine of its own, and the file that they are gathered into."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from tests.generate.test_checkpoint import header
from tests.generate.test_checkpoint import record as record_of
from tests.generate.test_completions import Line
from tests.generation import chains_job, probe_block, scripted_settings

from cot_entropy.base.digest import reachable_modules
from cot_entropy.base.errors import DataError
from cot_entropy.engine.stream import Engine
from cot_entropy.formats.records import ChainRecord, read_header, read_records, read_shard_header
from cot_entropy.formats.run_summary import read_summary
from cot_entropy.generate.chains import generate_chains
from cot_entropy.generate.checkpoint import Checkpoint
from cot_entropy.generate.completions import sample_completions
from cot_entropy.generate.self_consistency import sample_chains
from cot_entropy.generate.shards import gather, own_header
from cot_entropy.protocol.baseline import SelfConsistencyJob
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.protocol.probe import CompletionsJob
from cot_entropy.protocol.shard import Shard

Stage = Callable[[Line, Shard | None, Path], object]


def chains(line: Line, shard: Shard | None, out: Path) -> object:
    job = chains_job(shard=shard)
    return generate_chains(job, model=line.model, questions=line.questions, out=out)


def completions(line: Line, shard: Shard | None, out: Path) -> object:
    job = CompletionsJob(
        probe=probe_block(), engine=scripted_settings(), code_digest="k", shard=shard
    )
    return sample_completions(
        job, model=line.model, chains=line.chains, prefixes=line.prefixes, out=out
    )


def self_consistency(line: Line, shard: Shard | None, out: Path) -> object:
    job = SelfConsistencyJob(
        chains=3, temperature=0.7, engine=scripted_settings(), code_digest="s", shard=shard
    )
    return sample_chains(job, model=line.model, chains=line.chains, out=out)


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Line:
    """Six questions with their chains and prefixes."""
    made = Line(tmp_path_factory.mktemp("line"))
    made.cut(probe_block())
    return made


def in_shards(line: Line, stage: Stage, of: int, folder: Path) -> list[Path]:
    paths = [folder / f"{number}-of-{of}.jsonl.zst" for number in range(1, of + 1)]
    for number, path in enumerate(paths, start=1):
        stage(line, Shard(number=number, of=of), path)
    return paths


@pytest.mark.parametrize(("questions", "of"), [(0, 2), (1, 1), (5, 2), (6, 3), (3, 7)])
def test_every_question_is_in_exactly_one_shard(questions: int, of: int) -> None:
    parts = [Shard(number=number, of=of).positions(questions) for number in range(1, of + 1)]
    assert sorted(position for part in parts for position in part) == [*range(questions)]
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize("stage", [chains, completions, self_consistency])
@pytest.mark.parametrize("of", [1, 2, 3, 8])
def test_any_number_of_shards_gives_the_bytes_of_a_whole_run(
    line: Line, tmp_path: Path, stage: Stage, of: int
) -> None:
    """Eight shards of six questions: two are empty."""
    stage(line, None, tmp_path / "whole.jsonl.zst")
    shards = in_shards(line, stage, of, tmp_path)
    gather(shards, out=tmp_path / "gathered.jsonl.zst")
    whole = (tmp_path / "whole.jsonl.zst").read_bytes()
    assert (tmp_path / "gathered.jsonl.zst").read_bytes() == whole


def test_a_shard_holds_every_third_question(line: Line, tmp_path: Path) -> None:
    shards = in_shards(line, chains, 3, tmp_path)
    ids = [one.question_id for one in read_records(shards[1], ChainRecord)]
    assert ids == ["q1", "q4"]
    assert read_shard_header(shards[1]).shard == Shard(number=2, of=3)


def test_the_order_in_which_shards_are_given_does_not_matter(line: Line, tmp_path: Path) -> None:
    shards = in_shards(line, chains, 3, tmp_path)
    gather([shards[2], shards[0], shards[1]], out=tmp_path / "out.jsonl.zst")
    ids = [one.question_id for one in read_records(tmp_path / "out.jsonl.zst", ChainRecord)]
    assert ids == [f"q{index}" for index in range(6)]


def test_what_the_shards_took_adds_up(line: Line, tmp_path: Path) -> None:
    """Six questions in three shards: tokens and starts are sums, and the shards' own notes go."""
    shards = in_shards(line, chains, 3, tmp_path)
    parts = [read_summary(path) for path in shards]
    out = tmp_path / "chains.jsonl.zst"
    gather(shards, out=out)
    whole = read_summary(out)
    assert [read_summary(path) for path in shards] == [None, None, None]
    records = list(read_records(out, ChainRecord))
    assert whole is not None
    assert (whole.questions, whole.engine_starts, whole.attempts) == (6, 3, 3)
    assert whole.generated_tokens == sum(len(one.chain.token_ids) for one in records if one.chain)
    assert whole.wall_seconds == sum(part.wall_seconds for part in parts if part)


def test_an_empty_shard_starts_no_engine(line: Line, tmp_path: Path) -> None:
    def engine(settings: EngineSettings, folder: Path) -> Engine:
        def refuse() -> NoReturn:
            raise AssertionError(folder)

        return Engine(refuse, settings)

    job = chains_job(shard=Shard(number=7, of=7))
    summary = generate_chains(
        job, model=line.model, questions=line.questions, out=tmp_path / "out", engine=engine
    )
    assert summary.questions == 0


def test_a_shards_file_is_not_taken_for_a_whole_cell(line: Line, tmp_path: Path) -> None:
    (path,) = in_shards(line, chains, 1, tmp_path)
    with pytest.raises(DataError, match="shard: unknown key"):
        read_header(path)


def test_a_whole_file_is_not_taken_for_a_shard(line: Line, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="shard: Field required"):
        gather([line.chains], out=tmp_path / "out")


@pytest.mark.parametrize("given", [[0, 1], [0, 1, 1], [0, 1, 2, 2]])
def test_shards_that_are_not_all_or_come_twice_are_refused(
    line: Line, tmp_path: Path, given: list[int]
) -> None:
    shards = in_shards(line, chains, 3, tmp_path)
    with pytest.raises(DataError, match="give each shard once"):
        gather([shards[index] for index in given], out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_shards_of_two_settings_are_refused(line: Line, tmp_path: Path) -> None:
    """One made by other code."""
    first, _ = in_shards(line, chains, 2, tmp_path)
    job = chains_job(code_digest="other", shard=Shard(number=2, of=2))
    other = tmp_path / "other.jsonl.zst"
    generate_chains(job, model=line.model, questions=line.questions, out=other)
    with pytest.raises(DataError, match=r"other\.jsonl\.zst: made with another setting"):
        gather([first, other], out=tmp_path / "out")


@pytest.mark.parametrize(
    ("there", "now", "key"),
    [
        (Shard(number=1, of=3), Shard(number=2, of=3), "shard.number: 1 there, 2 now"),
        (Shard(number=1, of=3), Shard(number=1, of=2), "shard.of: 3 there, 2 now"),
        (Shard(number=1, of=3), None, "shard.number: 1 there, None now"),
    ],
)
def test_a_checkpoint_belongs_to_one_shard(
    tmp_path: Path, there: Shard, now: Shard | None, key: str
) -> None:
    whole = header()
    kind = type(record_of(0))
    with Checkpoint(tmp_path / "out", own_header(there, whole), kind, 1) as checkpoint:
        checkpoint.append(0, record_of(0))
    again = whole if now is None else own_header(now, whole)
    with pytest.raises(DataError, match=key):
        Checkpoint(tmp_path / "out", again, kind, 1)


@pytest.mark.parametrize("stage", ["chains", "completions", "self_consistency"])
def test_the_code_that_gathers_counts_as_the_stages_code(stage: str) -> None:
    assert "cot_entropy.generate.shards" in reachable_modules(stage)
