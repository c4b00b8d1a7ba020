"""What the rules of `consistency.smk` ask: judges, their validation and their judgements."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from cot_entropy.base.digest import stage_digest
from cot_entropy.base.errors import ConfigError
from cot_entropy.model.spec import ModelJob
from cot_entropy.study.judges import ComputedJudge, JudgeSpec, ServedJudge
from cot_entropy.workflow.study import Workflow


@dataclass(frozen=True)
class Consistency:
    """The judges that the study names."""

    flow: Workflow

    def judge_job(self, judge: str) -> str:
        """Prepare the model of a judge that is served here."""
        spec = self._judges[judge]
        if not isinstance(spec, ServedJudge):
            raise ConfigError(f"judges.{judge}: no model to prepare")
        job = ModelJob(name=judge, model=spec.model, code_digest=stage_digest("model"))
        return job.model_dump_json()

    def manifest(self, judge: str) -> list[str]:
        """The manifest of a judge that is served here; none for the others."""
        served = isinstance(self._judges[judge], ServedJudge)
        return [f"{self.flow.results}/inputs/{judge}.judge.json"] if served else []

    def options(self, judge: str) -> str:
        """The options that name a judge and how it is asked."""
        spec = self._judges[judge]
        if isinstance(spec, ComputedJudge):
            return "--judge computed"
        asked = (
            f"--seed {self.flow.seed} --max-chars {spec.max_chars}"
            f" --max-tokens {spec.max_tokens} --connections {spec.connections}"
        )
        if isinstance(spec, ServedJudge):
            manifest = shlex.quote(self.manifest(judge)[0])
            served = f"--context {spec.context} --field-chars {spec.field_chars}"
            return f"--local-model {manifest} {served} {asked}"
        return f"--judge {shlex.quote(spec.model)} {asked}"

    def sample_options(self, judge: str) -> str:
        """How many chains of a cell a judge sees, where not all."""
        spec = self._judges[judge]
        if isinstance(spec, ComputedJudge) or spec.sample is None:
            return ""
        return f"--sample {spec.sample}"

    def baseline(self, judge: str) -> list[str]:
        """The computed judge's validation, for every other judge of a study that has one."""
        computed = [name for name, s in self._judges.items() if isinstance(s, ComputedJudge)]
        if not computed or judge in computed:
            return []
        return [f"{self.flow.results}/consistency/{computed[0]}/validation/judgements.jsonl.zst"]

    def second_options(self, judge: str) -> str:
        """The same as an option of the command."""
        return " ".join(f"--second {shlex.quote(one)}" for one in self.baseline(judge))

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
