"""The study that all rules share: its folder, cells, protocols and trajectories."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from cot_entropy.base.digest import stage_digest
from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Plan
from cot_entropy.protocol.baseline import SelfConsistencyJob
from cot_entropy.protocol.chain import ChainsJob
from cot_entropy.protocol.engine import FILL
from cot_entropy.protocol.probe import CompletionsJob
from cot_entropy.registration.before import seed_of
from cot_entropy.registration.items import stage_rules
from cot_entropy.study.config import Configuration, Study, configuration
from cot_entropy.study.config import Protocol as Blocks
from cot_entropy.study.config import Protocols as NamedBlocks


class Wildcards(Protocol):
    """The wildcards that name one job."""

    model: str
    dataset: str
    chain: str
    probe: str
    scoring: str
    judge: str


def cell_of(names: Wildcards) -> str:
    """The cell of a job, `model/dataset`."""
    return f"{names.model}/{names.dataset}"


def binding_json(job: ChainsJob | CompletionsJob | SelfConsistencyJob) -> str:
    """A job that generates, without what says only how full the device is: that reruns nothing."""
    return job.model_dump_json(exclude={"engine": set(FILL)})


@dataclass(frozen=True)
class Workflow:
    """One study, as the rules see it."""

    configuration: Configuration
    registered_plan: Plan
    """What the study's plan holds."""
    seed: int
    """The study's seed, by its number or by its anchor."""

    @classmethod
    def from_config(cls, values: Mapping[str, Any], *, source: str) -> Self:
        """Check Snakemake's merged configuration and the plan that it names.

        Raises ConfigError or PlanError before any job starts.
        """
        found = configuration(values, source=source)
        return cls(found, load_plan(Path(found.study.plan)).plan, seed=seed_of(found.study))

    @property
    def study(self) -> Study:
        """The study's own settings."""
        return self.configuration.study

    @property
    def blocks(self) -> NamedBlocks:
        """The named protocol blocks."""
        return self.configuration.protocols

    @property
    def results(self) -> str:
        """The study's folder."""
        return f"results/{self.study.study}"

    @property
    def plan(self) -> str:
        """The plan's path."""
        return self.study.plan

    @property
    def registered_calibration(self) -> list[Path]:
        """The tables of the plan's own calibration, beside it."""
        return sorted(Path(self.plan).parent.glob("calibration/*.csv"))

    @property
    def wildcards(self) -> dict[str, str]:
        """A pattern per wildcard that matches the names of this study and nothing else."""
        names: dict[str, Mapping[str, object]] = {
            "model": self.study.models,
            "dataset": self.study.datasets,
            "chain": self.blocks.chain,
            "probe": self.blocks.probe,
            "scoring": self.blocks.scoring,
            "judge": self.study.judges,
        }
        return {key: "|".join(map(re.escape, value)) for key, value in names.items()}

    @property
    def fill(self) -> str:
        """How full the engine makes the device: no parameter of any rule, so it reruns nothing."""
        return self.study.engine.fill.model_dump_json()

    @property
    def gpus(self) -> int:
        """GPUs that one generation job holds: none on a CPU."""
        engine = self.study.engine
        return engine.tensor_parallel_size if engine.device == "cuda" else 0

    def digest(self, stage: str) -> str:
        """The digest of a stage's code under the study's own protocol and its plan."""
        return stage_digest(
            stage, stage_rules(self.configuration, self.registered_plan).get(stage, [])
        )

    @property
    def registered(self) -> Blocks:
        """The protocol that the hypotheses are judged under."""
        return self.blocks.protocols[self.study.protocol]

    @property
    def variants(self) -> dict[str, Blocks]:
        """The study's variants by name, in the order of the config."""
        return {name: self.blocks.protocols[name] for name in self.study.variants}

    @property
    def protocols(self) -> tuple[Blocks, ...]:
        """The study's own protocol, then its variants."""
        return (self.registered, *self.variants.values())

    def trajectories(self, cells: Sequence[str], names: Blocks | None = None) -> list[str]:
        """The trajectory files of cells under a protocol, the registered one by default."""
        names = names or self.registered
        below = f"{names.chain}/{names.probe}/{names.scoring}"
        return [f"{self.results}/{cell}/{below}/trajectories.parquet" for cell in cells]

    def cell_trajectories(self, cell: str) -> list[str]:
        """The trajectories of one cell under the study's protocol and every variant."""
        return [path for one in self.protocols for path in self.trajectories([cell], one)]

    @property
    def selected_trajectories(self) -> list[str]:
        """The trajectories that this run makes."""
        return self.trajectories(self.study.selected)
