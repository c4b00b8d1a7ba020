"""What the Snakefile asks: paths, wildcards and each job's own settings.

A job is one JSON argument with the settings of that job only, and the digest of the code behind
it, so that Snakemake reruns exactly the jobs that a change reaches.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from cot_entropy.config import Configuration, configuration
from cot_entropy.config import Protocol as Blocks
from cot_entropy.consistency.judges import ComputedJudge, InspectJudge, JudgeSpec
from cot_entropy.data.spec import LocalDataset, QuestionsJob
from cot_entropy.digest import stage_digest
from cot_entropy.errors import ConfigError
from cot_entropy.files import sha256_file
from cot_entropy.model.spec import HASHED_FILES, BundledModel, HubModel, LocalModel, ModelJob
from cot_entropy.prereg.provenance import cell_path, run_job
from cot_entropy.protocol.baseline import BaselineJob, SelfConsistencyJob
from cot_entropy.protocol.chain import ChainsJob
from cot_entropy.protocol.probe import CompletionsJob, PrefixesJob
from cot_entropy.protocol.scoring import ScoreJob, SensitivityJob
from cot_entropy.protocol.variants import Compared, VariantsJob
from cot_entropy.sharing import derived_pattern, reseeded, stored_probe


class Wildcards(Protocol):
    """The wildcards that name one job."""

    model: str
    dataset: str
    chain: str
    probe: str
    scoring: str
    judge: str


@dataclass(frozen=True)
class Workflow:
    """One study, as the rules see it."""

    configuration: Configuration

    @classmethod
    def from_config(cls, values: Mapping[str, Any]) -> Self:
        """Check Snakemake's merged configuration; raises ConfigError before any job starts."""
        return cls(configuration(values, source="config"))

    @property
    def results(self) -> str:
        """The study's folder."""
        return f"results/{self.configuration.study.study}"

    @property
    def plan(self) -> str:
        """The plan's path."""
        return self.configuration.study.plan

    @property
    def optional_tables(self) -> dict[str, str]:
        """What the report shows where it is there, by path, with its hash."""
        folder = Path(self.results)
        found = [*folder.glob("calibration/*.csv"), *folder.glob("consistency/*.csv")]
        return {str(path): sha256_file(path) for path in sorted(found)}

    def digest(self, stage: str) -> str:
        """The digest of a stage's code, for rules without further settings."""
        return stage_digest(stage)

    @property
    def run_job(self) -> str:
        """Record the run: its configuration, and the code of every stage."""
        return run_job(self.configuration).model_dump_json()

    @property
    def registration_files(self) -> list[str]:
        """What stands beside the plan: freeze, deviations, differences, published figures."""
        folder = Path(self.plan).parent
        return sorted(str(path) for path in folder.iterdir() if path.suffix in {".yaml", ".json"})

    def cell_record(self, model: str, dataset: str) -> str:
        """The provenance of one cell."""
        return str(cell_path(Path(self.results), f"{model}/{dataset}"))

    @property
    def cell_records(self) -> list[str]:
        """The provenance of the selected cells."""
        return [self.cell_record(*cell.split("/")) for cell in self.configuration.study.selected]

    @property
    def wildcards(self) -> dict[str, str]:
        """A pattern per wildcard that matches the names of this study and nothing else."""
        study, blocks = self.configuration.study, self.configuration.protocols
        names: dict[str, Mapping[str, object]] = {
            "model": study.models,
            "dataset": study.datasets,
            "chain": blocks.chain,
            "probe": blocks.probe,
            "scoring": blocks.scoring,
            "judge": study.judges,
        }
        return {key: "|".join(map(re.escape, value)) for key, value in names.items()}

    @property
    def gpus(self) -> int:
        """GPUs that one generation job holds: none on a CPU."""
        engine = self.configuration.study.engine
        return engine.tensor_parallel_size if engine.device == "cuda" else 0

    @property
    def registered(self) -> Blocks:
        """The protocol that the hypotheses are judged under."""
        return self.configuration.protocols.protocols[self.configuration.study.protocol]

    def trajectories(self, cells: list[str], blocks: Blocks | None = None) -> list[str]:
        """The trajectory files of cells under a protocol, the registered one by default."""
        names = blocks or self.registered
        below = f"{names.chain}/{names.probe}/{names.scoring}"
        return [f"{self.results}/{cell}/{below}/trajectories.parquet" for cell in cells]

    @property
    def selected_trajectories(self) -> list[str]:
        """The trajectories that this run makes."""
        return self.trajectories(self.configuration.study.selected)

    @property
    def analysed_trajectories(self) -> list[str]:
        """The selected cells' trajectories, and those an earlier run left of the other cells.

        The others are analysed and never rerun; all stand in the order of the config.
        """
        selected = set(self.selected_trajectories)
        every = self.trajectories(self.configuration.study.cells)
        return [path for path in every if path in selected or Path(path).is_file()]

    @property
    def variants(self) -> dict[str, Blocks]:
        """The study's variants by name, in the order of the config."""
        known = self.configuration.protocols.protocols
        return {name: known[name] for name in self.configuration.study.variants}

    @property
    def named_variants_table(self) -> list[str]:
        """As `variants_table`; raises ConfigError where the study names none."""
        if not self.variants:
            known = [*self.configuration.protocols.protocols]
            raise ConfigError(f"variants: none named; name some of: {', '.join(known)}")
        return self.variants_table

    @property
    def variants_table(self) -> list[str]:
        """The table of the variants, where the study names any."""
        return [f"{self.results}/variants.csv"] if self.variants else []

    @property
    def _run(self) -> tuple[Blocks, ...]:
        return (self.registered, *self.variants.values())

    @property
    def derived_probes(self) -> str:
        """A pattern of the probe blocks, each after its chain, that need no token of their own."""
        return derived_pattern(self._run, self.configuration.protocols.probe)

    def stored_files(self, names: Wildcards) -> list[str]:
        """The completions and prefixes that a job takes samples from, if there are any."""
        blocks = self.configuration.protocols.probe
        source = stored_probe(self._run, blocks, chain=names.chain, probe=names.probe)
        if source is None:
            return []
        folder = f"{self.results}/{names.model}/{names.dataset}/{names.chain}/{source}"
        return [f"{folder}/completions.jsonl.zst", f"{folder}/prefixes.jsonl.zst"]

    def stored_options(self, names: Wildcards) -> list[str]:
        """The same as options of the command."""
        pairs = zip(("--stored", "--stored-prefixes"), self.stored_files(names), strict=False)
        return [text for pair in pairs for text in pair]

    @property
    def variants_job(self) -> str:
        """Compare the variants with the study's own protocol, cell by cell."""
        chains = self.configuration.protocols.chain
        cells = [
            cell
            for cell in self.configuration.study.cells
            if cell in self.configuration.study.selected
            or all(Path(self.trajectories([cell], one)[0]).is_file() for one in self._run)
        ]
        job = VariantsJob(
            protocol=self.configuration.study.protocol,
            cells=cells,
            variants=[
                Compared(name=name, reseeded=reseeded(one, self.registered, chains))
                for name, one in self.variants.items()
            ],
            trajectories=[
                path
                for cell in cells
                for one in self._run
                for path in self.trajectories([cell], one)
            ],
            code_digest=stage_digest("variants"),
        )
        return job.model_dump_json()

    @property
    def baseline_tables(self) -> list[str]:
        """One table per selected cell of each baseline that the study names."""
        if self.configuration.study.baselines.self_consistency is None:
            return []
        return [
            f"{self.results}/{cell}/{self.registered.chain}/self_consistency.csv"
            for cell in self.configuration.study.selected
        ]

    def self_consistency_job(self) -> str:
        """Sample the further chains of one cell; raises ConfigError where none are named."""
        study, blocks = self.configuration.study, self.configuration.protocols
        count = study.baselines.self_consistency
        if count is None:
            raise ConfigError("baselines.self_consistency: none named; say how many chains")
        job = SelfConsistencyJob(
            chains=count,
            temperature=blocks.probe[self.registered.probe].temperature,
            engine=study.engine,
            code_digest=stage_digest("self_consistency"),
        )
        return job.model_dump_json()

    def baseline_job(self, names: Wildcards) -> str:
        """Set the baseline of one cell beside its signals."""
        job = BaselineJob(
            cell=f"{names.model}/{names.dataset}",
            scoring=self.configuration.protocols.scoring[self.registered.scoring],
            code_digest=stage_digest("baseline"),
        )
        return job.model_dump_json()

    def cell_trajectories(self, cell: str) -> list[str]:
        """The trajectories of one cell under the study's protocol and every variant."""
        return [path for one in self._run for path in self.trajectories([cell], one)]

    @property
    def variant_trajectories(self) -> list[str]:
        """The trajectories of the selected cells under each variant."""
        study, protocols = self.configuration.study, self.configuration.protocols.protocols
        return [
            path
            for name in study.variants
            for path in self.trajectories(study.selected, protocols[name])
        ]

    @property
    def sensitivity_tables(self) -> list[str]:
        """One table per selected cell: every extraction rule by every equivalence."""
        names = self.registered
        return [
            f"{self.results}/{cell}/{names.chain}/{names.probe}/sensitivity.csv"
            for cell in self.configuration.study.selected
        ]

    def dataset_files(self, dataset: str) -> list[str]:
        """The local file of a dataset, if it is there; the job names one that is not."""
        spec = self.configuration.study.datasets[dataset]
        return [spec.path] if isinstance(spec, LocalDataset) and Path(spec.path).is_file() else []

    def model_files(self, model: str) -> list[str]:
        """What a local model's manifest hashes, as far as it is there; nothing of other models."""
        spec = self.configuration.study.models[model]
        if not isinstance(spec, LocalModel):
            return []
        return sorted(str(path) for name in HASHED_FILES for path in Path(spec.path).glob(name))

    @property
    def judged_tables(self) -> list[str]:
        """What `snakemake consistency` makes: per judge its validation, its rates and E11."""
        return [f"{self.results}/consistency/{judge}/estimates.csv" for judge in self._judges]

    def judge_manifest(self, judge: str) -> list[str]:
        """The manifest of a judge that is served here; none for the others."""
        served = isinstance(self._judges[judge], BundledModel | HubModel | LocalModel)
        return [f"{self.results}/inputs/{judge}.judge.json"] if served else []

    def judge_options(self, judge: str) -> str:
        """The options that name a judge to the scan."""
        match self._judges[judge]:
            case ComputedJudge():
                return "--judge computed"
            case InspectJudge(model=model):
                return f"--judge {shlex.quote(model)}"
        manifest = shlex.quote(self.judge_manifest(judge)[0])
        return f"--local-model {manifest} --context 4096 --max-chars 6000"

    def judgements(self, judge: str) -> list[str]:
        """A judge's judgements of the selected cells."""
        folder = f"{self.results}/consistency/{judge}"
        cells = self.configuration.study.selected
        return [f"{folder}/{cell}/judgements.jsonl.zst" for cell in cells]

    def joined_options(self, judge: str) -> str:
        """The options that pair each cell's trajectories with its judgements."""
        pairs = zip(self.selected_trajectories, self.judgements(judge), strict=True)
        return " ".join(
            f"--trajectories {shlex.quote(one)} --judgements {shlex.quote(other)}"
            for one, other in pairs
        )

    def answer_kind(self, dataset: str) -> str:
        """What kind of answers a dataset declares."""
        return self.configuration.study.datasets[dataset].answer

    def judge_job(self, judge: str) -> str:
        """Prepare the model of a judge that is served here."""
        spec = self._judges[judge]
        if isinstance(spec, ComputedJudge | InspectJudge):
            raise ConfigError(f"judges.{judge}: no model to prepare")
        job = ModelJob(name=judge, model=spec, code_digest=stage_digest("model"))
        return job.model_dump_json()

    @property
    def _judges(self) -> Mapping[str, JudgeSpec]:
        return self.configuration.study.judges

    def model_job(self, model: str) -> str:
        """Prepare one model."""
        spec = self.configuration.study.models[model]
        job = ModelJob(name=model, model=spec, code_digest=stage_digest("model"))
        return job.model_dump_json()

    def questions_job(self, dataset: str) -> str:
        """Load and check one dataset."""
        spec = self.configuration.study.datasets[dataset]
        job = QuestionsJob(name=dataset, dataset=spec, code_digest=stage_digest("questions"))
        return job.model_dump_json()

    def chains_job(self, names: Wildcards) -> str:
        """Generate the reference chains of one cell."""
        study, blocks = self.configuration.study, self.configuration.protocols
        job = ChainsJob(
            cell=f"{names.model}/{names.dataset}",
            study_seed=study.seed,
            chain=blocks.chain[names.chain],
            engine=study.engine,
            code_digest=stage_digest("chains"),
        )
        return job.model_dump_json()

    def prefixes_job(self, names: Wildcards) -> str:
        """Cut the chains of one cell."""
        probe = self.configuration.protocols.probe[names.probe]
        return PrefixesJob(probe=probe, code_digest=stage_digest("prefixes")).model_dump_json()

    def completions_job(self, names: Wildcards) -> str:
        """Sample the completions of one cell."""
        job = CompletionsJob(
            probe=self.configuration.protocols.probe[names.probe],
            engine=self.configuration.study.engine,
            code_digest=stage_digest("completions"),
        )
        return job.model_dump_json()

    def score_job(self, names: Wildcards) -> str:
        """Score one cell."""
        job = ScoreJob(
            cell=f"{names.model}/{names.dataset}",
            scoring=self.configuration.protocols.scoring[names.scoring],
            code_digest=stage_digest("score"),
        )
        return job.model_dump_json()

    def sensitivity_job(self, names: Wildcards) -> str:
        """Score one cell under every extraction rule and equivalence."""
        job = SensitivityJob(
            cell=f"{names.model}/{names.dataset}",
            scoring=self.configuration.protocols.scoring[self.registered.scoring],
            code_digest=stage_digest("sensitivity"),
        )
        return job.model_dump_json()
