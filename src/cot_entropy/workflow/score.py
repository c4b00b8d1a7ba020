"""What the rules of `score.smk` ask: trajectories, and the grader's share in them."""

from __future__ import annotations

from dataclasses import dataclass

from cot_entropy.base.digest import stage_digest
from cot_entropy.protocol.scoring import ScoreJob, SensitivityJob
from cot_entropy.workflow.study import Wildcards, Workflow, cell_of


@dataclass(frozen=True)
class Score:
    """The scores of the study's cells."""

    flow: Workflow

    def score_job(self, names: Wildcards) -> str:
        """Score one cell."""
        scoring = self.flow.blocks.scoring[names.scoring]
        job = ScoreJob(
            cell=cell_of(names),
            scoring=scoring,
            code_digest=stage_digest("score", scoring.rules()),
        )
        return job.model_dump_json()

    def sensitivity_job(self, names: Wildcards) -> str:
        """Score one cell under every extraction rule and equivalence."""
        job = SensitivityJob(
            cell=cell_of(names),
            scoring=self.flow.blocks.scoring[self.flow.registered.scoring],
            code_digest=self.flow.digest("sensitivity"),
        )
        return job.model_dump_json()

    @property
    def sensitivity_tables(self) -> list[str]:
        """One table per selected cell: every extraction rule by every equivalence."""
        below = f"{self.flow.registered.chain}/{self.flow.registered.probe}"
        return [
            f"{self.flow.results}/{cell}/{below}/sensitivity.csv"
            for cell in self.flow.study.selected
        ]
