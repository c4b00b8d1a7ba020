"""Prefixes and completions, on the scripted engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from tests.generation import (
    THINKING,
    chain_block,
    chains_job,
    model_folder,
    probe_block,
    scripted_settings,
    write_manifest,
    write_questions,
)

from cot_entropy.base.errors import DataError
from cot_entropy.engine.base import Finished, Output, Request
from cot_entropy.engine.scripted import ScriptedBackend
from cot_entropy.engine.stream import Engine
from cot_entropy.formats.records import (
    ChainRecord,
    CompletionRecord,
    PrefixRecord,
    read_header,
    read_records,
)
from cot_entropy.generate.chains import generate_chains
from cot_entropy.generate.completions import sample_completions
from cot_entropy.generate.prefixes import cut_prefixes
from cot_entropy.generate.prompts import ChatTokenizer
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.protocol.probe import SEGMENTATIONS, CompletionsJob, PrefixesJob, ProbeBlock

TEXTS = [f"How many apples does Ann have on day {day}?" for day in range(6)]


class Line:
    """A cell with its chains, ready to be probed; keeps the requests of its completions."""

    def __init__(self, folder: Path, *, texts: list[str] = TEXTS, template: str | None = None):
        self.folder = folder
        templates = {} if template is None else {"template": template}
        self.model_folder = model_folder(folder / "model", **templates)
        self.model = write_manifest(folder / "model.json", self.model_folder)
        self.questions = write_questions(folder / "questions.jsonl.zst", texts)
        self.chains = folder / "chains.jsonl.zst"
        self.prefixes = folder / "prefixes.jsonl.zst"
        self.completions = folder / "completions.jsonl.zst"
        self.requests: list[Request] = []
        job = chains_job()
        generate_chains(job, model=self.model, questions=self.questions, out=self.chains)

    def cut(self, probe: ProbeBlock) -> list[PrefixRecord]:
        job = PrefixesJob(probe=probe, code_digest="p")
        cut_prefixes(job, chains=self.chains, out=self.prefixes)
        return list(read_records(self.prefixes, PrefixRecord))

    def sample(self, probe: ProbeBlock, **settings: object) -> list[CompletionRecord]:
        self.requests = []
        job = CompletionsJob(probe=probe, engine=scripted_settings(**settings), code_digest="k")
        sample_completions(
            job,
            model=self.model,
            chains=self.chains,
            prefixes=self.prefixes,
            out=self.completions,
            engine=self._recording,
        )
        return list(read_records(self.completions, CompletionRecord))

    def records(self) -> list[ChainRecord]:
        return list(read_records(self.chains, ChainRecord))

    def _recording(self, settings: EngineSettings, folder: Path) -> Engine:
        kept = self.requests

        class Recording(Engine):
            def stream(self, requests: Iterable[Request]) -> Iterator[Finished]:
                def keep() -> Iterator[Request]:
                    for request in requests:
                        kept.append(request)
                        yield request

                return super().stream(keep())

        return Recording(lambda: ScriptedBackend(folder), settings)


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Line:
    return Line(tmp_path_factory.mktemp("line"))


@pytest.mark.parametrize("rule", SEGMENTATIONS.names)
@pytest.mark.parametrize("cap", [(None, None), (2, "truncate"), (2, "merge")])
def test_prefix_k_is_a_token_prefix_of_prompt_and_chain(
    line: Line, rule: str, cap: tuple[int | None, str | None]
) -> None:
    """For every rule and cap: what is sent is the prompt and the first tokens of the stored
    chain, growing with k, without the end-of-text token."""
    probe = probe_block(segmentation=rule, cap=cap[0], cap_policy=cap[1])
    line.cut(probe)
    line.sample(probe)
    sent = {request.id: request.prompt_token_ids for request in line.requests}
    for position, one in enumerate(line.records()):
        assert one.chain is not None
        whole = [*one.prompt_token_ids, *one.chain.token_ids[:-1]]
        prompts = [sent[f"{position}/{k}"] for k in range(sum(f"{position}/" in i for i in sent))]
        assert prompts[0] == one.prompt_token_ids
        assert all(whole[: len(prompt)] == prompt for prompt in prompts)
        assert [len(prompt) for prompt in prompts] == sorted(len(prompt) for prompt in prompts)
        if cap[1] != "truncate":
            assert prompts[-1] == whole


def test_completions_of_one_question_are_sent_together_in_prefix_order(line: Line) -> None:
    """So that each prefix finds the one before it in the prefix cache."""
    line.cut(probe_block())
    line.sample(probe_block())
    ids = [tuple(map(int, request.id.split("/"))) for request in line.requests]
    assert ids == sorted(ids)


def test_every_prefix_has_m_samples(line: Line) -> None:
    """N+1 prefixes with m completions each, for every question in order."""
    cuts = line.cut(probe_block())
    got = line.sample(probe_block())
    assert [one.question_id for one in got] == [f"q{index}" for index in range(len(TEXTS))]
    for where, one in zip(cuts, got, strict=True):
        assert [prefix.k for prefix in one.prefixes] == list(range(len(where.ends)))
        assert all(len(prefix.samples) == 3 for prefix in one.prefixes)


def test_more_samples_begin_with_the_same_ones(line: Line) -> None:
    """The samples for m=3 are the first three of m=5."""
    line.cut(probe_block())
    three = line.sample(probe_block())
    line.cut(probe_block(m=5))
    five = line.sample(probe_block(m=5))
    for some, more in zip(three, five, strict=True):
        for short, long in zip(some.prefixes, more.prefixes, strict=True):
            assert long.samples[:3] == short.samples


def test_a_cue_is_sent_and_not_part_of_the_completion(line: Line) -> None:
    """The cue ends every prompt; the completion's text begins after it."""
    probe = probe_block(cue="\n\nFinal answer:")
    line.cut(probe)
    got = line.sample(probe)
    tokenizer = ChatTokenizer(line.model_folder, chain_block().system_prompt)
    for request in line.requests:
        assert tokenizer.decode(request.prompt_token_ids).endswith("\n\nFinal answer:")
    assert not any("Final answer" in s.text for one in got for p in one.prefixes for s in p.samples)


def test_prefixes_need_no_model_and_keep_the_engines_name(line: Line) -> None:
    """The header of the prefixes says which engine wrote the chains that they cut."""
    line.cut(probe_block())
    header = read_header(line.prefixes)
    assert (header.stage, header.engine.name) == ("prefixes", "scripted")
    assert header.probe == probe_block()


def test_prefixes_of_another_block_are_refused(line: Line) -> None:
    """Completions are never sampled at the cuts of another rule."""
    line.cut(probe_block(segmentation="newlines"))
    with pytest.raises(DataError, match="cut from other chains or by another block"):
        line.sample(probe_block())


def test_another_model_is_refused(line: Line, tmp_path: Path) -> None:
    """Chains are continued by the model that wrote them."""
    line.cut(probe_block())
    other = write_manifest(tmp_path / "other.json", line.model_folder, revision="r2")
    job = CompletionsJob(probe=probe_block(), engine=scripted_settings(), code_digest="k")
    with pytest.raises(DataError, match="made with another model"):
        sample_completions(
            job, model=other, chains=line.chains, prefixes=line.prefixes, out=tmp_path / "out"
        )


def test_a_prefix_without_room_is_recorded(line: Line) -> None:
    """A question whose longest prefix leaves no room for the budget has a reason, and no
    completion is shortened."""
    line.cut(probe_block())
    longest = max(
        len(one.prompt_token_ids) + len(one.chain.token_ids) for one in line.records() if one.chain
    )
    got = line.sample(probe_block(), max_model_len=longest - 2 + 60)
    failed = [one for one in got if one.error]
    assert 0 < len(failed) < len(got)
    assert all("exceed the context" in str(one.error) and not one.prefixes for one in failed)


def test_a_question_without_a_chain_stays_failed(tmp_path: Path) -> None:
    """Its reason goes from the chains to the completions."""
    line = Line(tmp_path, texts=["a?", "b " * 900])
    assert line.cut(probe_block())[1].ends == [0]
    got = line.sample(probe_block())
    assert got[0].error is None
    assert str(got[1].error).startswith("no chain: prompt of ")


def test_completions_after_opened_thinking(tmp_path: Path) -> None:
    """A model whose template opens `<think>` is probed like any other."""
    line = Line(tmp_path, template=THINKING)
    line.cut(probe_block())
    got = line.sample(probe_block())
    assert all(one.error is None and len(one.prefixes) > 1 for one in got)


class ThinkingBackend(ScriptedBackend):
    """Opens and closes its thoughts in tags."""

    def _sample(self, request: Request, index: int) -> Output:
        text = "<think>\ntake 2\n\nadd 2\n</think>\n\nThe answer is 4."
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        return Output([*ids, self._end], [-0.5] * (len(ids) + 1), "stop")


def test_think_tags_of_the_model_are_text(tmp_path: Path) -> None:
    """Tags that the model writes are part of its chain, and units are cut inside them."""
    line = Line(tmp_path)
    job = chains_job(code_digest="t")
    generate_chains(
        job,
        model=line.model,
        questions=line.questions,
        out=line.chains,
        engine=lambda settings, folder: Engine(lambda: ThinkingBackend(folder), settings),
    )
    (record, *_) = line.cut(probe_block())
    chain = line.records()[0].chain
    assert chain is not None
    assert [chain.text[:end].rstrip() for end in record.text_ends] == [
        "",
        "<think>\ntake 2",
        "<think>\ntake 2\n\nadd 2\n</think>",
        "<think>\ntake 2\n\nadd 2\n</think>\n\nThe answer is 4.",
    ]
    assert all(one.error is None for one in line.sample(probe_block()))
