"""`cot-entropy audit --regenerate N`: a few questions generated again, on the machine at hand.

Consistent hashes show that a run was not changed since; only generating again shows that a model
wrote it. The questions are drawn after the run is on the table, so nobody can prepare for them.
Chains and completions are compared token by token; other hardware or another batch shape may
change tokens without anybody's doing, so a difference is a reason to look, not a proof.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Final

from cot_entropy.audit.findings import Finding
from cot_entropy.base.errors import DataError
from cot_entropy.base.files import write_jsonl
from cot_entropy.formats.inputs import DatasetHeader, read_model, read_questions
from cot_entropy.formats.records import (
    ChainRecord,
    CompletionRecord,
    Header,
    Sample,
    read_records,
    write_records,
)
from cot_entropy.generate.chains import generate_chains
from cot_entropy.generate.completions import sample_completions
from cot_entropy.generate.prefixes import cut_prefixes
from cot_entropy.model.spec import ModelJob, ModelSpec
from cot_entropy.model.stage import prepare_model
from cot_entropy.protocol.chain import ChainsJob
from cot_entropy.protocol.probe import CompletionsJob, PrefixesJob, ProbeBlock
from cot_entropy.registration.departures import registered_headers
from cot_entropy.registration.provenance import CellRecord, RunRecord

Sampled = tuple[str, tuple[int, ...], str]
"""Text, token ids and finish reason."""
IDENTITY: Final = (
    "source",
    "revision",
    "weights_sha256",
    "tokenizer_sha256",
    "chat_template_sha256",
)


@dataclass(frozen=True, kw_only=True)
class Regeneration:
    """One results folder, and how many questions of each cell to generate again."""

    results: Path
    scratch: Path
    record: RunRecord
    questions: int
    seed: int
    """Decides which questions; printed, so that the draw can be repeated."""
    done: list[str] = field(default_factory=list)
    """What came out, one line per cell."""

    def findings(self, cells: Sequence[CellRecord]) -> Iterator[Finding]:
        """The cells in which a drawn question did not come out as stored.

        Beside the questions drawn from all, as many are drawn from those that hold an error.

        Raises UserError where the model, the device or the engine is not at hand.
        """
        for cell in cells:
            headers = registered_headers(cell, self.record)
            if "chains" in headers and "completions" in headers:
                yield from self._cell(cell.cell, headers["chains"], headers["completions"])

    def _cell(self, cell: str, header: Header, completions: Header) -> Iterator[Finding]:
        folder = self.scratch / "again" / cell
        manifest = self._model(header, folder)
        names = self.record.configuration.protocols.protocols[
            self.record.configuration.study.protocol
        ]
        chain_path = self.results / cell / names.chain / "chains.jsonl.zst"
        stored = {one.question_id: one for one in read_records(chain_path, ChainRecord)}
        path = chain_path.parent / names.probe / "completions.jsonl.zst"
        sampled = {one.question_id: one for one in read_records(path, CompletionRecord)}
        failed = [one for one in stored if stored[one].error or sampled[one].error]
        drawn = {*self._drawn(cell, list(stored)), *self._drawn(f"{cell}/errors", failed)}
        ids = [one for one in stored if one in drawn]
        chains = self._chains(header, ids, manifest, folder)
        kept = [stored[identity] for identity in ids]
        same = [_chain(a) == _chain(b) for a, b in zip(chains, kept, strict=True)]
        again = self._completions(header, completions, kept, manifest, folder)
        pairs = [
            pair
            for record in again
            for pair in zip_longest(_samples(record), _samples(sampled[record.question_id]))
        ]
        equal = sum(a == b for a, b in pairs)
        line = (
            f"{cell}: {len(ids)} questions generated again (draw {self.seed}): {sum(same)} of "
            f"{len(ids)} chains and {equal} of {len(pairs)} completions are the same tokens"
        )
        self.done.append(line)
        if sum(same) < len(ids) or equal < len(pairs):
            yield Finding(check="regeneration", subject=cell, detail=line)

    def _drawn(self, cell: str, ids: Sequence[str]) -> list[str]:
        draw = random.Random(f"{self.seed}/{cell}")  # noqa: S311 (which questions, no secret)
        chosen = set(draw.sample(list(ids), min(self.questions, len(ids))))
        return [identity for identity in ids if identity in chosen]

    def _model(self, header: Header, folder: Path) -> Path:
        """The model of the registered config, hashed here; never a folder that the results name."""
        name = header.cell.split("/")[0]
        spec: ModelSpec = self.record.configuration.study.models[name]
        path = folder / "model.json"
        prepare_model(ModelJob(name=name, model=spec, code_digest=""), out=path)
        found = read_model(path).identity()
        for part in IDENTITY:
            ours, theirs = getattr(found, part), getattr(header.model, part)
            if ours != theirs:
                raise DataError(
                    f"{header.cell}: {part} of the registered model is {ours} here, its headers "
                    f"say {theirs}; nothing was generated again"
                )
        return path

    def _chains(
        self, header: Header, ids: Sequence[str], manifest: Path, folder: Path
    ) -> list[ChainRecord]:
        source = self.results / "inputs" / f"{header.dataset.name}.questions.jsonl.zst"
        asked = [one for one in read_questions(source) if one.id in set(ids)]
        first = DatasetHeader(**{**header.dataset.model_dump(), "questions": len(asked)})
        questions = folder / "questions.jsonl.zst"
        rows = (one.model_dump(mode="json") for one in asked)
        write_jsonl(questions, [first.model_dump(mode="json"), *rows])
        job = ChainsJob(
            cell=header.cell,
            study_seed=header.study_seed,
            chain=header.chain,
            engine=header.engine.settings,
            code_digest="",
        )
        out = folder / "chains.jsonl.zst"
        generate_chains(job, model=manifest, questions=questions, out=out)
        return list(read_records(out, ChainRecord))

    def _completions(
        self,
        header: Header,
        completions: Header,
        chains: Sequence[ChainRecord],
        manifest: Path,
        folder: Path,
    ) -> list[CompletionRecord]:
        """Completions of the stored chains, so that a changed chain does not change them too."""
        probe: ProbeBlock | None = completions.probe
        if probe is None:
            raise DataError(f"{header.cell}: the completions' header has no probe block")
        dataset = header.dataset.model_copy(update={"questions": len(chains)})
        stored = folder / "stored/chains.jsonl.zst"
        prefixes, out = folder / "prefixes.jsonl.zst", folder / "completions.jsonl.zst"
        write_records(stored, header.model_copy(update={"dataset": dataset}), chains)
        cut_prefixes(PrefixesJob(probe=probe, code_digest=""), chains=stored, out=prefixes)
        sample_completions(
            CompletionsJob(probe=probe, engine=completions.engine.settings, code_digest=""),
            model=manifest,
            chains=stored,
            prefixes=prefixes,
            out=out,
        )
        return list(read_records(out, CompletionRecord))


def _samples(record: CompletionRecord) -> list[Sampled]:
    return [_sampled(sample) for prefix in record.prefixes for sample in prefix.samples]


def _sampled(sample: Sample) -> Sampled:
    return sample.text, tuple(sample.token_ids), sample.finish_reason


def _chain(record: ChainRecord) -> tuple[object, ...]:
    """All of a chain but its log-probabilities, whose last digits other batches change."""
    chain = record.chain and _sampled(record.chain)
    return chain, tuple(record.token_ends), tuple(record.prompt_token_ids), record.error
