"""Prefixes and their completions: where each chain is cut, and m samples at each cut."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import TypeVar

from cot_entropy.chains import context_error
from cot_entropy.decoding import continuation_text
from cot_entropy.engine import Finished, Request, open_engine
from cot_entropy.engine.identity import engine_identity
from cot_entropy.errors import DataError
from cot_entropy.files import sha256_file
from cot_entropy.generate import OpenEngine, RunSummary, Task, run_stage, sample_of, text_tokens
from cot_entropy.inputs import read_model
from cot_entropy.prompts import ChatTokenizer
from cot_entropy.protocol.probe import CompletionsJob
from cot_entropy.records import (
    ChainRecord,
    CompletionRecord,
    Header,
    Prefix,
    PrefixRecord,
    read_header,
    read_records,
)
from cot_entropy.seeds import request_seed
from cot_entropy.strict import Strict

R = TypeVar("R", bound=Strict)


def sample_completions(
    job: CompletionsJob,
    *,
    model: Path,
    chains: Path,
    prefixes: Path,
    out: Path,
    engine: OpenEngine = open_engine,
) -> RunSummary:
    """Sample `out` (CompletionRecord lines): m completions at every prefix of every chain.

    A question without a chain, with a prefix that leaves no room for the budget, or that the
    engine rejects, gets a record with an error. Raises UserError; what is finished stays in
    `<out>.partial`.
    """
    manifest = read_model(model)
    source = read_header(chains)
    chains_sha256 = sha256_file(chains)
    if manifest.identity() != source.model:
        raise DataError(f"{chains}: made with another model than {model}; generate them again")
    cut_from = read_header(prefixes)
    if cut_from.inputs.get("chains") != chains_sha256 or cut_from.probe != job.probe:
        raise DataError(f"{prefixes}: cut from other chains or by another block; cut them again")
    tokenizer = ChatTokenizer(Path(manifest.folder), source.chain.system_prompt)
    header = Header(
        stage="completions",
        cell=source.cell,
        study_seed=source.study_seed,
        model=source.model,
        dataset=source.dataset,
        engine=engine_identity(job.engine),
        system_role=source.system_role,
        chain=source.chain,
        probe=job.probe,
        code_digest=job.code_digest,
        inputs={"chains": chains_sha256, "prefixes": sha256_file(prefixes)},
    )
    return run_stage(
        _tasks(job, header, tokenizer, chains, prefixes),
        kind=CompletionRecord,
        header=header,
        questions=source.dataset.questions,
        out=out,
        engine=engine(job.engine, Path(manifest.folder)),
    )


def _tasks(
    job: CompletionsJob, header: Header, tokenizer: ChatTokenizer, chains: Path, prefixes: Path
) -> Iterator[Task[CompletionRecord]]:
    cue = tokenizer.encode_after(job.probe.cue) if job.probe.cue else []
    pairs = zip_longest(read_records(chains, ChainRecord), read_records(prefixes, PrefixRecord))
    for position, (chain, where) in enumerate(pairs):
        if chain is None or where is None or chain.question_id != where.question_id:
            raise DataError(f"{prefixes}: not in the order of {chains}; cut them again")
        yield _task(job, header, tokenizer, chain, where, cue=cue, position=position)


def _task(
    job: CompletionsJob,
    header: Header,
    tokenizer: ChatTokenizer,
    chain: ChainRecord,
    where: PrefixRecord,
    *,
    cue: list[int],
    position: int,
) -> Task[CompletionRecord]:
    def failed(error: str) -> CompletionRecord:
        return CompletionRecord(question_id=chain.question_id, prefixes=[], error=error)

    if chain.chain is None:
        reason = f"no chain: {chain.error}"
        return Task((), lambda _: failed(reason))
    tokens = chain.chain.token_ids
    requests = tuple(
        Request(
            id=f"{position}/{k}",
            prompt_token_ids=[*chain.prompt_token_ids, *tokens[:end], *cue],
            temperature=job.probe.temperature,
            max_tokens=job.probe.budget,
            seed=request_seed(
                study_seed=header.study_seed,
                run=header.chain.seed,
                cell=header.cell,
                question_id=chain.question_id,
                role="completion",
                index=k,
            ),
            n=job.probe.m,
        )
        for k, end in enumerate(where.ends)
    )
    longest = max(len(request.prompt_token_ids) for request in requests)
    too_long = context_error(longest, job.probe.budget, job.engine)
    if too_long is not None:
        return Task((), lambda _: failed(too_long))

    def record(results: list[Finished]) -> CompletionRecord:
        errors = [f"prefix {k}: {one.error}" for k, one in enumerate(results) if one.error]
        if errors:
            return failed(errors[0])
        return CompletionRecord(
            question_id=chain.question_id,
            prefixes=[
                _prefix(k, request, result, tokenizer)
                for k, (request, result) in enumerate(zip(requests, results, strict=True))
            ],
        )

    return Task(requests, record)


def _prefix(k: int, request: Request, result: Finished, tokenizer: ChatTokenizer) -> Prefix:
    return Prefix(
        k=k,
        seed=request.seed,
        samples=[
            sample_of(
                output,
                continuation_text(tokenizer.decode, request.prompt_token_ids, text_tokens(output)),
            )
            for output in result.outputs
        ],
    )
