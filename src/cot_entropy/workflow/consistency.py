"""What the rules of `consistency.smk` ask: judges, their validation and their judgements."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from cot_entropy.consistency.judges import ComputedJudge, InspectJudge, JudgeSpec
from cot_entropy.digest import stage_digest
from cot_entropy.errors import ConfigError
from cot_entropy.model.spec import BundledModel, HubModel, LocalModel, ModelJob
from cot_entropy.workflow.study import Workflow


@dataclass(frozen=True)
class Consistency:
    """The judges that the study names."""

    flow: Workflow

    def judge_job(self, judge: str) -> str:
        """Prepare the model of a judge that is served here."""
        spec = self._judges[judge]
        if isinstance(spec, ComputedJudge | InspectJudge):
            raise ConfigError(f"judges.{judge}: no model to prepare")
        job = ModelJob(name=judge, model=spec, code_digest=stage_digest("model"))
        return job.model_dump_json()

    def manifest(self, judge: str) -> list[str]:
        """The manifest of a judge that is served here; none for the others."""
        served = isinstance(self._judges[judge], BundledModel | HubModel | LocalModel)
        return [f"{self.flow.results}/inputs/{judge}.judge.json"] if served else []

    def options(self, judge: str) -> str:
        """The options that name a judge to the scan."""
        match self._judges[judge]:
            case ComputedJudge():
                return "--judge computed"
            case InspectJudge(model=model):
                return f"--judge {shlex.quote(model)}"
        manifest = shlex.quote(self.manifest(judge)[0])
        return f"--local-model {manifest} --context 4096 --max-chars 6000"

    def answer_kind(self, dataset: str) -> str:
        """What kind of answers a dataset declares."""
        return self.flow.study.datasets[dataset].answer

    def judgements(self, judge: str) -> list[str]:
        """A judge's judgements of the selected cells."""
        folder = f"{self.flow.results}/consistency/{judge}"
        return [f"{folder}/{cell}/judgements.jsonl.zst" for cell in self.flow.study.selected]

    def joined_options(self, judge: str) -> str:
        """The options that pair each cell's trajectories with its judgements."""
        pairs = zip(self.flow.selected_trajectories, self.judgements(judge), strict=True)
        return " ".join(
            f"--trajectories {shlex.quote(one)} --judgements {shlex.quote(other)}"
            for one, other in pairs
        )

    @property
    def tables(self) -> list[str]:
        """What `snakemake consistency` makes: per judge its validation, its rates and E11."""
        return [f"{self.flow.results}/consistency/{judge}/estimates.csv" for judge in self._judges]

    @property
    def _judges(self) -> Mapping[str, JudgeSpec]:
        return self.flow.study.judges
