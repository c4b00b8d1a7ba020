"""What the rules of `generate.smk` ask: chains, prefixes and completions."""

from __future__ import annotations

from dataclasses import dataclass

from cot_entropy.base.digest import stage_digest
from cot_entropy.protocol.chain import ChainsJob
from cot_entropy.protocol.probe import CompletionsJob, PrefixesJob
from cot_entropy.protocol.shard import Shard
from cot_entropy.study.reuse import derived_pattern, stored_probe
from cot_entropy.workflow.study import Wildcards, Workflow, binding_json, cell_of


@dataclass(frozen=True)
class Generate:
    """The generations of the study's cells."""

    flow: Workflow

    def chains_job(self, names: Wildcards, shard: Shard | None = None) -> str:
        """Generate the reference chains of one cell, or of a shard of it."""
        job = ChainsJob(
            cell=cell_of(names),
            study_seed=self.flow.seed,
            chain=self.flow.blocks.chain[names.chain],
            engine=self.flow.study.engine,
            code_digest=stage_digest("chains"),
            shard=shard,
        )
        return binding_json(job)

    def prefixes_job(self, names: Wildcards) -> str:
        """Cut the chains of one cell."""
        probe = self.flow.blocks.probe[names.probe]
        digest = stage_digest("prefixes", probe.rules())
        return PrefixesJob(probe=probe, code_digest=digest).model_dump_json()

    def completions_job(self, names: Wildcards, shard: Shard | None = None) -> str:
        """Sample the completions of one cell, or of a shard of it."""
        job = CompletionsJob(
            probe=self.flow.blocks.probe[names.probe],
            engine=self.flow.study.engine,
            code_digest=stage_digest("completions"),
            shard=shard,
        )
        return binding_json(job)

    @property
    def derived_probes(self) -> str:
        """A pattern of the probe blocks, each after its chain, that need no token of their own."""
        return derived_pattern(self.flow.protocols, self.flow.blocks.probe)

    def stored_files(self, names: Wildcards) -> list[str]:
        """The completions and prefixes that a job takes samples from, if there are any."""
        source = stored_probe(
            self.flow.protocols, self.flow.blocks.probe, chain=names.chain, probe=names.probe
        )
        if source is None:
            return []
        folder = f"{self.flow.results}/{cell_of(names)}/{names.chain}/{source}"
        return [f"{folder}/completions.jsonl.zst", f"{folder}/prefixes.jsonl.zst"]

    def stored_options(self, names: Wildcards) -> list[str]:
        """The same as options of the command."""
        pairs = zip(("--stored", "--stored-prefixes"), self.stored_files(names), strict=False)
        return [text for pair in pairs for text in pair]
