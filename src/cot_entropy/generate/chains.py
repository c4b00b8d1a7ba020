"""Reference chains: one chain of thought per question, sampled by the chain block."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cot_entropy.base.files import sha256_file
from cot_entropy.base.seeds import request_seed
from cot_entropy.engine.base import Finished, Request
from cot_entropy.engine.identity import engine_identity
from cot_entropy.engine.open import open_engine
from cot_entropy.formats.inputs import Question, read_dataset, read_model, read_questions
from cot_entropy.formats.records import ChainRecord, Header
from cot_entropy.formats.run_summary import RunSummary
from cot_entropy.generate.decoding import decode_response
from cot_entropy.generate.prompts import ChatTokenizer
from cot_entropy.generate.stage import (
    OpenEngine,
    Task,
    run_stage,
    sample_of,
    stored_logprobs,
    text_tokens,
)
from cot_entropy.protocol.chain import ChainsJob
from cot_entropy.protocol.engine import EngineSettings


def generate_chains(
    job: ChainsJob,
    *,
    model: Path,
    questions: Path,
    out: Path,
    engine: OpenEngine = open_engine,
) -> RunSummary:
    """Generate `out` (ChainRecord lines) from a model manifest and a questions file.

    A question whose prompt and budget exceed the context, or that the engine rejects, gets a
    record with an error. Raises UserError; what is finished stays in `<out>.partial`.
    """
    manifest = read_model(model)
    dataset = read_dataset(questions)
    tokenizer = ChatTokenizer(Path(manifest.folder), job.chain.system_prompt)
    header = Header(
        stage="chains",
        cell=job.cell,
        study_seed=job.study_seed,
        model=manifest.identity(),
        dataset=dataset,
        engine=engine_identity(job.engine),
        system_role=tokenizer.system_role,
        chain=job.chain,
        code_digest=job.code_digest,
        inputs={"questions": sha256_file(questions)},
    )
    return run_stage(
        _tasks(job, tokenizer, questions),
        kind=ChainRecord,
        header=header,
        questions=dataset.questions,
        out=out,
        engine=engine(job.engine, Path(manifest.folder)),
        shard=job.shard,
    )


def _tasks(job: ChainsJob, tokenizer: ChatTokenizer, path: Path) -> Iterator[Task[ChainRecord]]:
    for position, question in enumerate(read_questions(path)):
        yield _task(job, tokenizer, question, str(position))


def _task(
    job: ChainsJob, tokenizer: ChatTokenizer, question: Question, request_id: str
) -> Task[ChainRecord]:
    prompt = tokenizer.prompt(question.text)
    seed = request_seed(
        study_seed=job.study_seed,
        run=job.chain.seed,
        cell=job.cell,
        question_id=question.id,
        role="chain",
        index=0,
    )
    request = Request(
        id=request_id,
        prompt_token_ids=prompt,
        temperature=job.chain.temperature,
        max_tokens=job.chain.budget,
        seed=seed,
        top_logprobs=job.engine.top_logprobs,
    )
    empty = ChainRecord(
        question_id=question.id,
        question=question.text,
        gold=question.gold,
        stratum=question.stratum,
        prompt_token_ids=prompt,
        seed=seed,
        chain=None,
        token_ends=[],
        response_start=tokenizer.response_start,
    )

    def record(results: list[Finished]) -> ChainRecord:
        (result,) = results
        if result.error is not None:
            return empty.model_copy(update={"error": result.error})
        (output,) = result.outputs
        decoded = decode_response(tokenizer.decode, prompt, text_tokens(output))
        ends = decoded.token_ends
        if output.finish_reason == "stop":
            ends = [*ends, len(decoded.text)]
        return empty.model_copy(
            update={
                "chain": sample_of(output, decoded.text),
                "token_ends": ends,
                "top_logprobs": [stored_logprobs(one) for one in output.top_logprobs],
            }
        )

    too_long = context_error(len(prompt), job.chain.budget, job.engine)
    if too_long is not None:
        return Task((), lambda _: empty.model_copy(update={"error": too_long}))
    return Task((request,), record)


def context_error(prompt: int, budget: int, engine: EngineSettings) -> str | None:
    """Why a prompt and a budget, in tokens, do not fit into the context; None if they do."""
    if prompt + budget <= engine.max_model_len:
        return None
    return (
        f"prompt of {prompt} tokens and budget of {budget} exceed the context of "
        f"{engine.max_model_len} (engine.max_model_len)"
    )
