"""How many requests and tokens a study asks for, by arithmetic on lengths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Self

from cot_entropy.estimate.assumptions import Lengths
from cot_entropy.protocol.chain import ChainBlock
from cot_entropy.protocol.probe import ProbeBlock
from cot_entropy.protocol.reuse import derivable
from cot_entropy.study.config import Configuration
from cot_entropy.study.reuse import stored_probe

Stage = Literal["chains", "completions", "self_consistency"]


@dataclass(frozen=True, slots=True)
class GenerationFile:
    """One file that an engine generates: a stage of one cell under some blocks."""

    model: str
    dataset: str
    stage: Stage
    chain: str
    probe: str | None = None

    @property
    def cell(self) -> str:
        """model/dataset."""
        return f"{self.model}/{self.dataset}"

    @property
    def path(self) -> str:
        """Below the results folder."""
        folder = f"{self.cell}/{self.chain}" + (f"/{self.probe}" if self.probe else "")
        return f"{folder}/{self.stage}.jsonl.zst"


@dataclass(frozen=True, slots=True)
class PromptLengths:
    """The prompts of one cell, in tokens."""

    questions: int
    tokens: int
    """Of all prompts together."""

    @property
    def mean(self) -> float:
        """Tokens of a prompt."""
        return self.tokens / self.questions


@dataclass(frozen=True, slots=True)
class Work:
    """What is asked of an engine; tokens."""

    requests: float
    generated: float
    prompt_asked: float
    """The prompt of every sequence."""
    prompt_computed: float
    """Of these, not found in the prefix cache."""

    def __add__(self, other: Self) -> Work:
        return Work(
            self.requests + other.requests,
            self.generated + other.generated,
            self.prompt_asked + other.prompt_asked,
            self.prompt_computed + other.prompt_computed,
        )


def generation_files(configuration: Configuration) -> Iterator[GenerationFile]:
    """Every file of the selected cells that needs an engine, each once, as the rules make them.

    Completions that the study's other protocols hold in full are left out; those they hold in part
    are counted whole.
    """
    study, protocols = configuration.study, configuration.protocols
    names = (study.protocol, *study.variants)
    run = [protocols.protocols[name] for name in names]
    for cell in study.selected:
        model, dataset = cell.split("/")
        for chain in dict.fromkeys(one.chain for one in run):
            yield GenerationFile(model, dataset, "chains", chain)
        for chain, probe in dict.fromkeys((one.chain, one.probe) for one in run):
            source = stored_probe(run, protocols.probe, chain=chain, probe=probe)
            if source and derivable(protocols.probe[probe], protocols.probe[source]) == "all":
                continue
            yield GenerationFile(model, dataset, "completions", chain, probe)
        if study.baselines.self_consistency is not None:
            yield GenerationFile(model, dataset, "self_consistency", run[0].chain)


def chains_work(
    prompts: PromptLengths, lengths: Lengths, block: ChainBlock, *, per_question: int = 1
) -> Work:
    """One chain per question, or more for self-consistency; the prompt is computed once."""
    tokens = min(lengths.chain_tokens, block.budget)
    return Work(
        requests=prompts.questions,
        generated=prompts.questions * per_question * tokens,
        prompt_asked=prompts.tokens * per_question,
        prompt_computed=prompts.tokens,
    )


def completions_work(
    prompts: PromptLengths,
    lengths: Lengths,
    chain: ChainBlock,
    probe: ProbeBlock,
    *,
    block_tokens: int,
) -> Work:
    """m completions at each of the N+1 prefixes of every chain; units are taken as equally long.

    A sequence finds its prompt in the cache up to the last whole block: half a block is computed
    on average, and prompt and chain once per question.
    """
    units = lengths.units if probe.cap is None else min(lengths.units, probe.cap)
    kept = probe.cap_policy == "truncate"
    whole = min(lengths.chain_tokens, chain.budget)
    probed = whole * units / lengths.units if kept else whole
    prefixes = units + 1
    sequences = prefixes * probe.m
    asked = sequences * (prompts.mean + probed / 2)
    computed = prompts.mean + probed + sequences * block_tokens / 2
    return Work(
        requests=prompts.questions * prefixes,
        generated=prompts.questions * sequences * min(lengths.completion_tokens, probe.budget),
        prompt_asked=prompts.questions * asked,
        prompt_computed=prompts.questions * min(asked, computed),
    )
