"""Reference chains, on the scripted engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.generation import (
    THINKING,
    chain_block,
    model_folder,
    scripted_settings,
    write_manifest,
    write_questions,
)

from cot_entropy.engine.scripted import Faults, ScriptedBackend
from cot_entropy.engine.stream import Engine
from cot_entropy.formats.records import ChainRecord, read_header, read_records
from cot_entropy.generate.chains import generate_chains
from cot_entropy.generate.prompts import ChatTokenizer
from cot_entropy.protocol.chain import ChainsJob
from cot_entropy.protocol.engine import EngineSettings

TEXTS = [f"How many apples does Ann have on day {day}?" for day in range(12)]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_manifest(tmp_path / "model.json", model_folder(tmp_path / "model"))


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    return write_questions(tmp_path / "questions.jsonl.zst", TEXTS)


def job(**changes: object) -> ChainsJob:
    values = {
        "cell": "tiny/tiny",
        "study_seed": 1,
        "chain": chain_block(),
        "engine": scripted_settings(),
        "code_digest": "c",
        **changes,
    }
    return ChainsJob.model_validate(values)


def chains(job: ChainsJob, model: Path, questions: Path, out: Path) -> list[ChainRecord]:
    generate_chains(job, model=model, questions=questions, out=out)
    return list(read_records(out, ChainRecord))


def test_one_chain_per_question_in_order(model: Path, questions: Path, tmp_path: Path) -> None:
    """Every question has its chain, in dataset order."""
    got = chains(job(), model, questions, tmp_path / "c.jsonl.zst")
    assert [one.question_id for one in got] == [f"q{index}" for index in range(len(TEXTS))]
    assert all(one.error is None and one.chain for one in got)


def test_the_most_probable_tokens_are_kept_if_asked_for(
    model: Path, questions: Path, tmp_path: Path
) -> None:
    """1/2 and 1/4 at each token, four decimals; the chains are the same without them."""
    asked = job(engine=scripted_settings(top_logprobs=2))
    got = chains(asked, model, questions, tmp_path / "asked.jsonl.zst")
    plain = chains(job(), model, questions, tmp_path / "plain.jsonl.zst")
    for one, other in zip(got, plain, strict=True):
        assert one.chain is not None
        assert one.top_logprobs == [[-0.6931, -1.3863]] * len(one.chain.token_ids)
        assert one.model_copy(update={"top_logprobs": []}) == other


def test_chain_text_is_its_tokens(model: Path, questions: Path, tmp_path: Path) -> None:
    """Text, tokens, ends and log-probabilities of a chain fit each other."""
    tokenizer = ChatTokenizer(tmp_path / "model", chain_block().system_prompt)
    for one in chains(job(), model, questions, tmp_path / "c.jsonl.zst"):
        assert one.chain is not None
        assert one.chain.finish_reason == "stop"
        assert tokenizer.decode(one.chain.token_ids[:-1]) == one.chain.text
        assert tokenizer.decode(one.chain.token_ids[-1:]) == "<|end|>"
        assert len(one.token_ends) == len(one.chain.token_ids) == len(one.chain.logprobs)
        assert one.token_ends[-2:] == [len(one.chain.text)] * 2


def test_a_chain_at_its_budget_is_marked(model: Path, questions: Path, tmp_path: Path) -> None:
    """A truncated chain has exactly its budget and no end-of-text token."""
    got = chains(job(chain=chain_block(budget=5)), model, questions, tmp_path / "c.jsonl.zst")
    assert {one.chain.finish_reason for one in got if one.chain} == {"length"}
    assert {len(one.chain.token_ids) for one in got if one.chain} == {5}
    assert all(one.chain and one.token_ends[-1] == len(one.chain.text) for one in got)


def test_a_prompt_too_long_is_recorded_and_the_cell_goes_on(model: Path, tmp_path: Path) -> None:
    """The question that does not fit has a reason, the others have chains."""
    questions = write_questions(tmp_path / "q.jsonl.zst", ["a?", "b " * 900, "c?"])
    out = tmp_path / "c.jsonl.zst"
    summary = generate_chains(job(), model=model, questions=questions, out=out)
    got = list(read_records(out, ChainRecord))
    assert summary.questions_failed == 1
    assert [one.chain is None for one in got] == [False, True, False]
    assert got[1].error is not None
    assert "exceed the context of 1024" in got[1].error


def test_a_rejected_question_is_recorded(model: Path, questions: Path, tmp_path: Path) -> None:
    """The engine's objection to one request is that question's error."""
    tokenizer = ChatTokenizer(tmp_path / "model", chain_block().system_prompt)
    only_in_day_7 = set(tokenizer.prompt(TEXTS[7])) - set(tokenizer.prompt(TEXTS[6]))
    faults = Faults(reject_prompts_with=only_in_day_7.pop())

    def engine(settings: EngineSettings, folder: Path) -> Engine:
        return Engine(lambda: ScriptedBackend(folder, faults=faults), settings)

    out = tmp_path / "c.jsonl.zst"
    generate_chains(job(), model=model, questions=questions, out=out, engine=engine)
    got = list(read_records(out, ChainRecord))
    assert [one.question_id for one in got if one.error] == ["q7"]
    assert "rejected by the engine" in str(got[7].error)


def test_header_names_the_scripted_engine(model: Path, questions: Path, tmp_path: Path) -> None:
    """A file made without a model says so."""
    chains(job(), model, questions, tmp_path / "c.jsonl.zst")
    assert read_header(tmp_path / "c.jsonl.zst").engine.name == "scripted"


def test_seed_depends_on_the_question_alone(model: Path, tmp_path: Path) -> None:
    """A question's chain is the same whichever questions stand beside it."""
    both = write_questions(tmp_path / "both.jsonl.zst", TEXTS)
    alone = write_questions(tmp_path / "alone.jsonl.zst", TEXTS[:1])
    first = chains(job(), model, both, tmp_path / "both-c.jsonl.zst")[0]
    second = chains(job(), model, alone, tmp_path / "alone-c.jsonl.zst")[0]
    assert first == second


@pytest.mark.parametrize(
    "changes", [{"study_seed": 2}, {"cell": "tiny/other"}, {"chain": chain_block(seed=1)}]
)
def test_another_run_draws_other_seeds(
    model: Path, questions: Path, tmp_path: Path, changes: dict[str, object]
) -> None:
    """Study seed, cell and the chain block's seed each reach every request."""
    one = chains(job(), model, questions, tmp_path / "a.jsonl.zst")
    other = chains(job(**changes), model, questions, tmp_path / "b.jsonl.zst")
    assert not {record.seed for record in one} & {record.seed for record in other}


def test_opened_thinking_goes_through_the_same_path(questions: Path, tmp_path: Path) -> None:
    """A template that opens `<think>` leaves its text to the prompt and its name to the record."""
    folder = model_folder(tmp_path / "thinker", template=THINKING)
    model = write_manifest(tmp_path / "thinker.json", folder)
    got = chains(job(), model, questions, tmp_path / "c.jsonl.zst")
    tokenizer = ChatTokenizer(folder, chain_block().system_prompt)
    assert all(one.response_start == "<think>\n" for one in got)
    assert all(tokenizer.decode(one.prompt_token_ids).endswith("<think>\n") for one in got)
    assert all(one.chain and not one.chain.text.startswith("<think>") for one in got)
