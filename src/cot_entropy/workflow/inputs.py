"""What the rules of `inputs.smk` ask: models and questions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cot_entropy.base.digest import stage_digest
from cot_entropy.data.job import QuestionsJob
from cot_entropy.model.spec import HASHED_FILES, LocalModel, ModelJob
from cot_entropy.workflow.study import Workflow


@dataclass(frozen=True)
class Inputs:
    """The study's models and datasets."""

    flow: Workflow

    def model_job(self, model: str) -> str:
        """Prepare one model."""
        spec = self.flow.study.models[model]
        job = ModelJob(name=model, model=spec, code_digest=stage_digest("model"))
        return job.model_dump_json()

    def model_files(self, model: str) -> list[str]:
        """What a local model's manifest hashes, as far as it is there; nothing of other models."""
        spec = self.flow.study.models[model]
        if not isinstance(spec, LocalModel):
            return []
        return sorted(str(path) for name in HASHED_FILES for path in Path(spec.path).glob(name))

    def questions_job(self, dataset: str) -> str:
        """Load and check one dataset."""
        spec = self.flow.study.datasets[dataset]
        job = QuestionsJob(
            name=dataset, dataset=spec, code_digest=stage_digest("questions", spec.rules())
        )
        return job.model_dump_json()

    def dataset_files(self, dataset: str) -> list[str]:
        """The local file of a dataset, if it is there; the job names one that is not."""
        path = self.flow.study.datasets[dataset].file
        return [path] if path is not None and Path(path).is_file() else []
