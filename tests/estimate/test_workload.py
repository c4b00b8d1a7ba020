"""Requests and tokens by arithmetic on lengths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.generation import chain_block, probe_block

from cot_entropy.estimate.assumptions import Lengths
from cot_entropy.estimate.workload import (
    PromptLengths,
    chains_work,
    completions_work,
    generation_files,
)
from cot_entropy.study.config import Configuration, read_configuration

ROOT = Path(__file__).parents[2]
PROMPTS = PromptLengths(questions=10, tokens=1000)


def lengths(**changes: Any) -> Lengths:
    values = {
        "model": "*",
        "answer": "any",
        "chain_tokens": 280,
        "units": 7,
        "completion_tokens": 150,
        "source": "test",
        **changes,
    }
    return Lengths.model_validate(values)


def completions(one: Lengths, **probe: Any) -> Any:
    block = probe_block(m=5, budget=150, cap=8, **probe)
    chain = chain_block(budget=1024)
    return completions_work(PROMPTS, one, chain, block, block_tokens=32)


def test_a_question_with_seven_units() -> None:
    """Protocol, section 6: 8 prefixes x 5 completions of up to 150 tokens; ten of them."""
    work = completions(lengths())
    assert work.requests == 10 * 8
    assert work.generated == 10 * 8 * 5 * 150


def test_prompts_of_completions() -> None:
    """40 sequences with 100 tokens of prompt and half of 280 of chain; prompt and chain computed
    once, and half of a block of 32 for each sequence."""
    work = completions(lengths())
    assert work.prompt_asked == 10 * 40 * (100 + 140)
    assert work.prompt_computed == 10 * (100 + 280 + 40 * 16)


def test_units_past_the_cap_are_not_probed() -> None:
    """16 units of which 8 are probed: nine prefixes, up to half of the chain."""
    work = completions(lengths(units=16))
    assert work.requests == 10 * 9
    assert work.prompt_asked == 10 * 45 * (100 + 70)


def test_a_shorter_completion_than_its_budget() -> None:
    assert completions(lengths(completion_tokens=33)).generated == 10 * 40 * 33


def test_no_more_is_computed_than_asked() -> None:
    """Prompts shorter than half a block."""
    work = completions_work(
        PromptLengths(10, 20),
        lengths(chain_tokens=2),
        chain_block(),
        probe_block(),
        block_tokens=32,
    )
    assert work.prompt_computed == work.prompt_asked


def test_chains_end_at_their_budget() -> None:
    work = chains_work(PROMPTS, lengths(), chain_block(budget=200))
    assert (work.requests, work.generated, work.prompt_computed) == (10, 2000, 1000)


def test_self_consistency_computes_a_prompt_once() -> None:
    work = chains_work(PROMPTS, lengths(), chain_block(budget=200), per_question=40)
    assert (work.requests, work.generated) == (10, 10 * 40 * 200)
    assert (work.prompt_asked, work.prompt_computed) == (40_000, 1000)


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Configuration:
    monkeypatch.chdir(ROOT)
    return read_configuration(Path("config/demo.yaml"))


def paths(configuration: Configuration, **changes: Any) -> list[str]:
    values = {**configuration.study.model_dump(), **changes}
    changed = type(configuration.study).model_validate(values)
    whole = configuration.model_copy(update={"study": changed})
    cell = "smollm2-135m-demo/latex/"
    files = [one.path for one in generation_files(whole)]
    return [path.removeprefix(cell) for path in files if path.startswith(cell)]


OWN = ["registered/chains.jsonl.zst", "registered/registered/completions.jsonl.zst"]


def test_a_cell_has_two_files(study: Configuration) -> None:
    assert paths(study) == OWN


def test_a_variant_that_is_derived_adds_none(study: Configuration) -> None:
    """m = 3 are the first three of five; another extraction needs no engine either."""
    assert paths(study, variants=["m_3", "robust"]) == OWN


def test_a_variant_that_samples_adds_its_completions(study: Configuration) -> None:
    assert paths(study, variants=["m_10"]) == [*OWN, "registered/m_10/completions.jsonl.zst"]


def test_another_chain_adds_both(study: Configuration) -> None:
    added = ["zhao/chains.jsonl.zst", "zhao/zhao/completions.jsonl.zst"]
    assert set(paths(study, variants=["zhao"])) == {*OWN, *added}


def test_self_consistency_adds_a_file(study: Configuration) -> None:
    found = paths(study, baselines={"self_consistency": 40})
    assert found == [*OWN, "registered/self_consistency.jsonl.zst"]
