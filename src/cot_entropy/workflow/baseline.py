"""What the rules of `baseline.smk` ask: self-consistency beside the signals."""

from __future__ import annotations

from dataclasses import dataclass

from cot_entropy.base.digest import stage_digest
from cot_entropy.base.errors import ConfigError
from cot_entropy.protocol.baseline import BaselineJob, SelfConsistencyJob
from cot_entropy.protocol.shard import Shard
from cot_entropy.workflow.study import Wildcards, Workflow, binding_json, cell_of


@dataclass(frozen=True)
class Baseline:
    """The baselines that the study names."""

    flow: Workflow

    def self_consistency_job(self, shard: Shard | None = None) -> str:
        """Sample the further chains of one cell, or of a shard of it.

        Raises ConfigError where none are named.
        """
        count = self.flow.study.baselines.self_consistency
        if count is None:
            raise ConfigError("baselines.self_consistency: none named; say how many chains")
        job = SelfConsistencyJob(
            chains=count,
            temperature=self.flow.blocks.probe[self.flow.registered.probe].temperature,
            engine=self.flow.study.engine,
            code_digest=stage_digest("self_consistency"),
            shard=shard,
        )
        return binding_json(job)

    def baseline_job(self, names: Wildcards) -> str:
        """Set the baseline of one cell beside its signals."""
        job = BaselineJob(
            cell=cell_of(names),
            scoring=self.flow.blocks.scoring[self.flow.registered.scoring],
            code_digest=self.flow.digest("baseline"),
        )
        return job.model_dump_json()

    @property
    def tables(self) -> list[str]:
        """One table per selected cell of each baseline that the study names."""
        return [self._path(cell, "csv") for cell in self.flow.study.selected if self._named]

    def sampled(self, cell: str) -> list[str]:
        """The further chains of a cell, where the study names a baseline."""
        return [self._path(cell, "jsonl.zst")] if self._named else []

    @property
    def _named(self) -> bool:
        return self.flow.study.baselines.self_consistency is not None

    def _path(self, cell: str, suffix: str) -> str:
        return f"{self.flow.results}/{cell}/{self.flow.registered.chain}/self_consistency.{suffix}"
