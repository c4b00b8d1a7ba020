"""Self-consistency (Wang et al. 2023): k whole chains per question, in a file of their own.

The prompts and the budget are those of the reference chains, the temperature is the completions'.
The reference chains are read and stay as they are: another role, another seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import sha256_file
from cot_entropy.base.seeds import request_seed
from cot_entropy.engine.base import Finished, Request
from cot_entropy.engine.identity import engine_identity
from cot_entropy.engine.open import open_engine
from cot_entropy.formats.inputs import read_model
from cot_entropy.formats.records import (
    ChainRecord,
    CompletionRecord,
    Header,
    Prefix,
    read_header,
    read_records,
)
from cot_entropy.formats.run_summary import RunSummary
from cot_entropy.generate.chains import context_error
from cot_entropy.generate.decoding import continuation_text
from cot_entropy.generate.prompts import ChatTokenizer
from cot_entropy.generate.stage import OpenEngine, Task, run_stage, sample_of, text_tokens
from cot_entropy.protocol.baseline import SelfConsistencyJob


def sample_chains(
    job: SelfConsistencyJob,
    *,
    model: Path,
    chains: Path,
    out: Path,
    engine: OpenEngine = open_engine,
) -> RunSummary:
    """Sample `out` (CompletionRecord lines): k chains at prefix 0, the prompt, of each question.

    A question whose prompt and budget exceed the context, or that the engine rejects, gets a
    record with an error. Raises UserError; what is finished stays in `<out>.partial`.
    """
    manifest = read_model(model)
    source = read_header(chains)
    if manifest.identity() != source.model:
        raise DataError(f"{chains}: made with another model than {model}; generate them again")
    tokenizer = ChatTokenizer(Path(manifest.folder), source.chain.system_prompt)
    header = source.model_copy(
        update={
            "stage": "self_consistency",
            "engine": engine_identity(job.engine),
            "chain": source.chain.model_copy(update={"temperature": job.temperature}),
            "code_digest": job.code_digest,
            "inputs": {"reference_chains": sha256_file(chains)},
            "other_fills": [],
        }
    )
    return run_stage(
        _tasks(job, header, tokenizer, chains),
        kind=CompletionRecord,
        header=header,
        questions=source.dataset.questions,
        out=out,
        engine=engine(job.engine, Path(manifest.folder)),
        shard=job.shard,
    )


def _tasks(
    job: SelfConsistencyJob, header: Header, tokenizer: ChatTokenizer, chains: Path
) -> Iterator[Task[CompletionRecord]]:
    for position, chain in enumerate(read_records(chains, ChainRecord)):
        yield _task(job, header, tokenizer, chain, str(position))


def _task(
    job: SelfConsistencyJob,
    header: Header,
    tokenizer: ChatTokenizer,
    chain: ChainRecord,
    request_id: str,
) -> Task[CompletionRecord]:
    prompt, budget = chain.prompt_token_ids, header.chain.budget

    def failed(error: str) -> CompletionRecord:
        return CompletionRecord(question_id=chain.question_id, prefixes=[], error=error)

    too_long = context_error(len(prompt), budget, job.engine)
    if too_long is not None:
        return Task((), lambda _: failed(too_long))
    seed = request_seed(
        study_seed=header.study_seed,
        run=header.chain.seed,
        cell=header.cell,
        question_id=chain.question_id,
        role="self_consistency",
        index=0,
    )
    request = Request(
        id=request_id,
        prompt_token_ids=prompt,
        temperature=job.temperature,
        max_tokens=budget,
        seed=seed,
        n=job.chains,
    )

    def record(results: list[Finished]) -> CompletionRecord:
        (result,) = results
        if result.error is not None:
            return failed(result.error)
        samples = [
            sample_of(one, continuation_text(tokenizer.decode, prompt, text_tokens(one)))
            for one in result.outputs
        ]
        return CompletionRecord(
            question_id=chain.question_id, prefixes=[Prefix(k=0, seed=seed, samples=samples)]
        )

    return Task((request,), record)
