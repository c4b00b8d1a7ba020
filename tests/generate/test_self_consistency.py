"""Further whole chains for a vote, on the scripted engine, in a file of their own."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.generate.test_completions import Line
from tests.generation import scripted_settings
from tests.stats.explore.simulated import random_rows

from cot_entropy.base.errors import DataError
from cot_entropy.formats.records import (
    CompletionRecord,
    Prefix,
    Sample,
    read_header,
    read_records,
    write_records,
)
from cot_entropy.formats.trajectories import write_trajectories
from cot_entropy.generate.self_consistency import sample_chains
from cot_entropy.protocol.baseline import BaselineJob, SelfConsistencyJob
from cot_entropy.protocol.scoring import ScoringBlock
from cot_entropy.stats.baseline import compare_baseline, read_votes, vote

PLAN = Path(__file__).parents[2] / "preregistration/plan.yaml"
SCORING = ScoringBlock(
    extraction="registered",
    searched="units_and_completion",
    equivalence="normalised",
    no_answer="shared_class",
    eps=0.01,
    outcome="majority",
)
JOB = BaselineJob(cell="model/data", scoring=SCORING, code_digest="")
CHAINS = 4


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Line:
    line = Line(tmp_path_factory.mktemp("line"))
    line.before = line.chains.read_bytes()
    job = SelfConsistencyJob(
        chains=CHAINS, temperature=0.7, engine=scripted_settings(), code_digest="s"
    )
    sample_chains(job, model=line.model, chains=line.chains, out=line.folder / "sc.jsonl.zst")
    return line


def test_each_question_has_k_chains_and_the_reference_chain_is_untouched(sampled: Line) -> None:
    records = list(read_records(sampled.folder / "sc.jsonl.zst", CompletionRecord))
    assert [len(one.prefixes[0].samples) for one in records] == [CHAINS] * 6
    assert sampled.chains.read_bytes() == sampled.before
    assert read_header(sampled.folder / "sc.jsonl.zst").stage == "self_consistency"


def test_the_reference_chain_is_none_of_them(sampled: Line) -> None:
    """Another role, another seed."""
    records = read_records(sampled.folder / "sc.jsonl.zst", CompletionRecord)
    for chain, one in zip(sampled.records(), records, strict=True):
        assert chain.seed not in range(one.prefixes[0].seed, one.prefixes[0].seed + CHAINS)


def record(*answers: str) -> CompletionRecord:
    samples = [
        Sample(text=f"The answer is {one}.", token_ids=[1, 2], logprobs=[-1.0, -1.0],
               finish_reason="stop")
        for one in answers
    ]  # fmt: skip
    return CompletionRecord(question_id="q0", prefixes=[Prefix(k=0, seed=1, samples=samples)])


def test_the_majority_answers_with_its_share() -> None:
    found = vote(record("7", "7.0", "8", "7"), "7", JOB, "number")
    assert (found.share, found.correct, found.tokens) == (0.75, True, 8)


def test_a_tie_goes_to_the_answer_seen_first() -> None:
    assert not vote(record("8", "7"), "7", JOB, "number").correct


def test_no_chain_is_a_wrong_answer_of_no_confidence() -> None:
    failed = CompletionRecord(question_id="q0", prefixes=[], error="rejected")
    found = vote(failed, "7", JOB, "number")
    assert (found.share, found.correct, found.tokens) == (0.0, False, 0)


@pytest.mark.parametrize("change", ["one more", "one less", "another order"])
def test_chains_of_other_questions_are_refused(sampled: Line, tmp_path: Path, change: str) -> None:
    """Whichever file goes on after the other has ended."""
    source = sampled.folder / "sc.jsonl.zst"
    records = list(read_records(source, CompletionRecord))
    changed = {
        "one more": [*records, records[-1]],
        "one less": records[:-1],
        "another order": records[::-1],
    }
    path = tmp_path / "sc.jsonl.zst"
    write_records(path, read_header(source), changed[change])
    with pytest.raises(DataError, match="sc.jsonl.zst: not the questions of"):
        read_votes(JOB, chains=sampled.chains, self_consistency=path)


def test_the_table_sets_the_vote_beside_the_signals(sampled: Line, tmp_path: Path) -> None:
    """Accuracy and tokens by a loop over the stored chains; at full coverage, the accuracy."""
    rows = random_rows(6)
    write_trajectories(tmp_path / "t.parquet", rows)
    compare_baseline(
        JOB,
        chains=sampled.chains,
        self_consistency=sampled.folder / "sc.jsonl.zst",
        trajectories=tmp_path / "t.parquet",
        plan=PLAN,
        out=tmp_path / "sc.csv",
    )
    with (tmp_path / "sc.csv").open() as stream:
        table = {row["quantity"]: row for row in csv.DictReader(stream)}
    records = list(read_records(sampled.folder / "sc.jsonl.zst", CompletionRecord))
    tokens = [sum(len(s.token_ids) for s in one.prefixes[0].samples) for one in records]
    right = [vote(one, "1", JOB, "number").correct for one in records]

    def number(name: str) -> float:
        return float(table[name]["estimate"])

    assert number("tokens_per_question[self_consistency]") == pytest.approx(sum(tokens) / 6)
    assert number("accuracy[self_consistency]") == pytest.approx(sum(right) / 6)
    assert number("accuracy_at_coverage_1[self_consistency]") == pytest.approx(sum(right) / 6)
    assert number("accuracy[final_entropy]") == pytest.approx(sum(r["correct"] for r in rows) / 6)
    assert {row["kind"] for row in table.values()} == {"exploratory"}


def test_signals_that_no_question_defines_have_no_number(sampled: Line, tmp_path: Path) -> None:
    """No prefix has an answer: the vote keeps its numbers, the signals say why they have none."""
    write_trajectories(tmp_path / "t.parquet", random_rows(6, missing=1.0))
    compare_baseline(
        JOB,
        chains=sampled.chains,
        self_consistency=sampled.folder / "sc.jsonl.zst",
        trajectories=tmp_path / "t.parquet",
        plan=PLAN,
        out=tmp_path / "sc.csv",
    )
    with (tmp_path / "sc.csv").open() as stream:
        table = {row["quantity"]: row for row in csv.DictReader(stream)}
    assert table["accuracy[self_consistency]"]["estimate"]
    missing = table["auroc[final_entropy]"]
    assert (missing["estimate"], missing["reason"]) == ("", "one outcome class, or no question")
