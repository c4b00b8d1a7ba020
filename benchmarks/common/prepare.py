"""The work that every way of generating is given: the same prefixes, seeds and settings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from cot_entropy.base.files import sha256_file, write_jsonl
from cot_entropy.base.seeds import request_seed
from cot_entropy.data.job import DatasetSpec
from cot_entropy.data.load import load
from cot_entropy.data.sources.local import LocalDataset
from cot_entropy.formats.inputs import DatasetHeader, read_model
from cot_entropy.formats.inputs import Question as QuestionLine
from cot_entropy.formats.records import ChainRecord, PrefixRecord, read_records
from cot_entropy.generate.chains import generate_chains
from cot_entropy.generate.prefixes import cut_prefixes
from cot_entropy.model.spec import BundledModel, ModelJob
from cot_entropy.model.stage import prepare_model
from cot_entropy.protocol.chain import ChainsJob
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.protocol.probe import PrefixesJob, ProbeBlock
from cot_entropy.study.config import read_configuration

SHARED: Final = Path("../shared/data/gsm8k_test.jsonl")
DEMO: Final = read_configuration(Path("config/demo.yaml"))
CELL: Final = "benchmark/questions"


class Prompt(NamedTuple):
    """One prefix to continue."""

    question: int
    token_ids: list[int]
    seed: int


class Work(NamedTuple):
    """What every process is given."""

    folder: Path
    settings: EngineSettings
    probe: ProbeBlock
    part: int
    """Prefixes of the first question that transformers continues."""
    part_tokens: int
    """Tokens that it generates for each, at most."""


def prepare_work(folder: Path, questions: int, part: int, part_tokens: int) -> Work:
    """Chains and prefixes of the first questions, and every prefix as a prompt."""
    settings = DEMO.study.engine.model_copy(update={"cpu_cache_gb": 2})
    names = DEMO.protocols.protocols[DEMO.study.protocol]
    chain, probe = DEMO.protocols.chain[names.chain], DEMO.protocols.probe[names.probe]
    spec = BundledModel(source="bundled", name="smollm2-135m")
    prepare_model(
        ModelJob(name=spec.name, model=spec, code_digest="none"), out=folder / "model.json"
    )
    write_questions(folder / "questions.jsonl.zst", questions)
    chains, prefixes = folder / "chains.jsonl.zst", folder / "prefixes.jsonl.zst"
    generate_chains(
        ChainsJob(cell=CELL, study_seed=1, chain=chain, engine=settings, code_digest="none"),
        model=folder / "model.json",
        questions=folder / "questions.jsonl.zst",
        out=chains,
    )
    cut_prefixes(PrefixesJob(probe=probe, code_digest="none"), chains=chains, out=prefixes)
    prompts = list(all_prompts(chains, prefixes))
    (folder / "prompts.json").write_text(json.dumps(prompts))
    return Work(folder, settings, probe, part, part_tokens)


def write_questions(path: Path, count: int) -> None:
    """A questions file of the first `count` of GSM8K, or of the demo."""
    spec: DatasetSpec = DEMO.study.datasets["wordproblems"]
    if SHARED.is_file():
        spec = LocalDataset(
            source="local",
            path=str(SHARED),
            sha256=sha256_file(SHARED),
            answer="number",
            gold_marker="#### ",
        )
    loaded = load(spec, root=Path())
    rows = loaded.questions[:count]
    header = DatasetHeader(
        name="questions",
        source=spec.source,
        revision="none",
        sha256=loaded.sha256,
        answer="number",
        questions=len(rows),
    )
    lines = [QuestionLine(id=one.id, text=one.text, gold=one.gold) for one in rows]
    write_jsonl(path, [header.model_dump(mode="json"), *(one.model_dump() for one in lines)])


def all_prompts(chains: Path, prefixes: Path) -> Iterator[Prompt]:
    """Every prefix of every chain with the seed that the pipeline gives it."""
    pairs = zip(
        read_records(chains, ChainRecord), read_records(prefixes, PrefixRecord), strict=True
    )
    for question, (chain, where) in enumerate(pairs):
        tokens = chain.chain.token_ids if chain.chain else []
        for k, end in enumerate(where.ends):
            seed = request_seed(
                study_seed=1,
                run=0,
                cell=CELL,
                question_id=chain.question_id,
                role="completion",
                index=k,
            )
            yield Prompt(question, [*chain.prompt_token_ids, *tokens[:end]], seed)


def read_prompts(work: Work) -> list[Prompt]:
    return [Prompt(*one) for one in json.loads((work.folder / "prompts.json").read_text())]


def model_folder(work: Work) -> str:
    return read_model(work.folder / "model.json").folder
