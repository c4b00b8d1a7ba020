"""What one cell asks at its prefixes, and how the answers become its completions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat, zip_longest
from pathlib import Path

from cot_entropy.base.errors import DataError
from cot_entropy.base.seeds import request_seed
from cot_entropy.engine.base import Finished, Output, Request
from cot_entropy.formats.records import (
    ChainRecord,
    CompletionRecord,
    EngineIdentity,
    Header,
    Prefix,
    PrefixRecord,
    Sample,
    read_records,
)
from cot_entropy.formats.run_summary import RunSummary
from cot_entropy.generate.chains import context_error
from cot_entropy.generate.decoding import continuation_text
from cot_entropy.generate.prompts import ChatTokenizer
from cot_entropy.generate.reuse import Stored, StoredQuestion
from cot_entropy.generate.stage import OpenEngine, Task, run_stage, sample_of, text_tokens
from cot_entropy.protocol.probe import CompletionsJob, ProbeBlock


@dataclass(frozen=True, kw_only=True)
class ProbedCell:
    """What all questions of a cell share."""

    job: CompletionsJob
    source: Header
    inputs: dict[str, str]
    tokenizer: ChatTokenizer
    folder: Path
    cue: list[int]
    stored: Stored | None
    complete: bool = False
    """The stored completions hold everything: a question that failed there fails here."""

    def header(self, engine: EngineIdentity) -> Header:
        """The header of completions whose tokens this engine computed."""
        reused = {"reused_completions": self.stored.sha256} if self.stored else {}
        fills = [engine.settings.fill, *(self.stored.header.fills if self.stored else ())]
        header = Header(
            stage="completions",
            cell=self.source.cell,
            study_seed=self.source.study_seed,
            model=self.source.model,
            dataset=self.source.dataset,
            engine=engine,
            system_role=self.source.system_role,
            chain=self.source.chain,
            probe=self.job.probe,
            derived_from=self.stored.probe if self.stored else None,
            code_digest=self.job.code_digest,
            inputs={**self.inputs, **reused},
        )
        return header.filled(fills)

    def run(
        self, header: Header, chains: Path, prefixes: Path, out: Path, engine: OpenEngine
    ) -> RunSummary:
        """Ask whatever is not stored, and write `out`; raises UserError as `run_stage` does."""
        return run_stage(
            self.tasks(chains, prefixes),
            kind=CompletionRecord,
            header=header,
            questions=self.source.dataset.questions,
            out=out,
            engine=engine(self.job.engine, self.folder),
            shard=self.job.shard,
        )

    def tasks(self, chains: Path, prefixes: Path) -> Iterator[Task[CompletionRecord]]:
        """One task per question, in order; raises DataError where the files are not parallel."""
        before = self.stored.questions() if self.stored else repeat(None)
        pairs = zip_longest(read_records(chains, ChainRecord), read_records(prefixes, PrefixRecord))
        for position, (chain, where) in enumerate(pairs):
            if chain is None or where is None or chain.question_id != where.question_id:
                raise DataError(f"{prefixes}: not in the order of {chains}; cut them again")
            found = next(before, None)
            if self.stored and (found is None or found.question_id != chain.question_id):
                raise DataError(f"{self.stored.completions}: not in the order of {chains}")
            yield self._task(chain, where, found, position)

    def _task(
        self,
        chain: ChainRecord,
        where: PrefixRecord,
        stored: StoredQuestion | None,
        position: int,
    ) -> Task[CompletionRecord]:
        def failed(error: str) -> Task[CompletionRecord]:
            record = CompletionRecord(question_id=chain.question_id, prefixes=[], error=error)
            return Task((), lambda _: record)

        if chain.chain is None:
            return failed(f"no chain: {chain.error}")
        asked = [self._ask(k, end, chain, stored) for k, end in enumerate(where.ends)]
        longest = max(len(one.prompt) for one in asked)
        too_long = context_error(longest, self.job.probe.budget, self.job.engine)
        if too_long is not None:
            return failed(too_long)
        if self.complete and stored is not None and stored.error is not None:
            return failed(f"under the stored block: {stored.error}")
        requests = tuple(
            request
            for one in asked
            if (request := one.request(f"{position}/{one.k}", self.job.probe)) is not None
        )

        def record(results: list[Finished]) -> CompletionRecord:
            by_id = {result.id: result for result in results}
            finished = [(one, by_id.get(f"{position}/{one.k}")) for one in asked]
            errors = [
                f"prefix {one.k}: {result.error}"
                for one, result in finished
                if result is not None and result.error
            ]
            if errors:
                return CompletionRecord(question_id=chain.question_id, prefixes=[], error=errors[0])
            return CompletionRecord(
                question_id=chain.question_id,
                prefixes=[
                    one.prefix(self.tokenizer, result.outputs if result else ())
                    for one, result in finished
                ],
            )

        return Task(requests, record)

    def _ask(self, k: int, end: int, chain: ChainRecord, stored: StoredQuestion | None) -> _Asked:
        tokens = chain.chain.token_ids if chain.chain else []
        prompt = [*chain.prompt_token_ids, *tokens[:end], *self.cue]
        probe = self.job.probe
        known = stored.leading(k, end, m=probe.m, budget=probe.budget) if stored else []
        return _Asked(
            k=k,
            prompt=prompt,
            seed=request_seed(
                study_seed=self.source.study_seed,
                run=self.source.chain.seed,
                cell=self.source.cell,
                question_id=chain.question_id,
                role="completion",
                index=k,
            ),
            known=[_shortened(one, probe.budget, prompt, self.tokenizer) for one in known],
        )


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """One prefix: its prompt, and the first of its samples where they are known."""

    k: int
    prompt: list[int]
    seed: int
    known: list[Sample]

    def request(self, request_id: str, probe: ProbeBlock) -> Request | None:
        """The samples that are missing; sample j has the prefix's seed + j."""
        missing = probe.m - len(self.known)
        if not missing:
            return None
        return Request(
            id=request_id,
            prompt_token_ids=self.prompt,
            temperature=probe.temperature,
            max_tokens=probe.budget,
            seed=self.seed + len(self.known),
            n=missing,
        )

    def prefix(self, tokenizer: ChatTokenizer, outputs: Sequence[Output]) -> Prefix:
        sampled = [
            sample_of(output, continuation_text(tokenizer.decode, self.prompt, text_tokens(output)))
            for output in outputs
        ]
        return Prefix(k=self.k, seed=self.seed, samples=[*self.known, *sampled])


def _shortened(sample: Sample, budget: int, prompt: list[int], tokenizer: ChatTokenizer) -> Sample:
    """The sample as a budget of so many tokens would have stopped it."""
    if len(sample.token_ids) <= budget:
        return sample
    tokens = sample.token_ids[:budget]
    return Sample(
        text=continuation_text(tokenizer.decode, prompt, tokens),
        token_ids=tokens,
        logprobs=sample.logprobs[:budget],
        finish_reason="length",
    )
