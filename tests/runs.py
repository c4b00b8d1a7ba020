"""A whole small run on the scripted engine: generations to verdicts, recorded and sealed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from tests.generation import model_folder
from tests.projects import PROJECT

from cot_entropy.audit.derive import registered_trajectories
from cot_entropy.base.digest import stage_digest
from cot_entropy.base.files import sha256_file
from cot_entropy.data.job import QuestionsJob
from cot_entropy.data.stage import prepare_questions
from cot_entropy.formats.attempts import attempt
from cot_entropy.formats.ledger import GenerationJob, Work
from cot_entropy.formats.ledger_writing import noted
from cot_entropy.generate.chains import generate_chains
from cot_entropy.generate.completions import sample_completions
from cot_entropy.generate.prefixes import cut_prefixes
from cot_entropy.generate.self_consistency import sample_chains
from cot_entropy.model.spec import ModelJob, combined_sha256
from cot_entropy.model.stage import (
    chat_template_sha256,
    configuration_sha256,
    prepare_model,
    tokenizer_sha256,
    weights_sha256,
)
from cot_entropy.protocol.baseline import BaselineJob, SelfConsistencyJob
from cot_entropy.protocol.chain import ChainsJob
from cot_entropy.protocol.probe import CompletionsJob, PrefixesJob
from cot_entropy.protocol.scoring import ScoreJob, SensitivityJob
from cot_entropy.registration.before import seed_of
from cot_entropy.registration.departures import run_standings
from cot_entropy.registration.provenance import cell_path, record_cell, record_run, run_job, seal
from cot_entropy.report.page import write_report
from cot_entropy.signal.score import score
from cot_entropy.signal.sensitivity import sensitivity
from cot_entropy.stats.analyse import analyse
from cot_entropy.stats.baseline import compare_baseline
from cot_entropy.study.config import Configuration, read_configuration

CONFIG = Path("config/tiny.yaml")
RESULTS = Path("results/tiny")
MODELS = ("alpha", "beta")
DATASETS = ("sums",)
QUESTIONS = 24


@dataclass(frozen=True)
class Tiny:
    """A frozen project and the results of one run of it."""

    root: Path
    results: Path


def write_tiny_study(root: Path, **changes: Any) -> None:
    """A plan and a study of two scripted models on one dataset, small enough to run in seconds."""
    plan = yaml.safe_load((PROJECT / "preregistration/plan.yaml").read_text())
    plan |= {"resamples": 200, "permutations": 200}
    plan["populations"] = {
        name: {"models": list(MODELS), "datasets": list(DATASETS)} for name in plan["populations"]
    }
    for hypothesis in plan["hypotheses"]:
        hypothesis["assessable"] = dict.fromkeys(hypothesis["assessable"], 1)
    (root / "preregistration/plan.yaml").write_text(yaml.safe_dump(plan, sort_keys=False))
    data = root / "sums.jsonl"
    data.write_text(
        "".join(
            f'{{"question": "What is {n} and {n + 1}?", "answer": "{n % 3 + 1}"}}\n'
            for n in range(QUESTIONS)
        )
    )
    model = root / "model"
    if not model.exists():
        model_folder(model)
        (model / "model.safetensors").write_bytes(b"weights")
    pinned = {"source": "local", "path": "model", "sha256": folder_sha256(model)}
    study = {
        "study": "tiny",
        "seed": 11,
        "plan": "preregistration/plan.yaml",
        "engine": {"name": "scripted", "device": "cpu", "max_model_len": 2048},
        "models": {name: {**pinned} for name in MODELS},
        "datasets": {
            name: {
                "source": "local",
                "answer": "number",
                "path": data.name,
                "sha256": sha256_file(data),
            }
            for name in DATASETS
        },
        "baselines": {"self_consistency": 3},
        **changes,
    }
    (root / CONFIG).write_text(yaml.safe_dump(study))


def folder_sha256(model: Path) -> str:
    """What pins a local model in a config."""
    return combined_sha256(
        weights_sha256(model),
        tokenizer_sha256(model),
        chat_template_sha256(model),
        *configuration_sha256(model),
    )


def run_tiny(results: Path = RESULTS, *, config: Path = CONFIG) -> Path:
    """Run every stage in the working folder, as the rules do; returns the results folder."""
    configuration = read_configuration(config)
    for name, dataset in configuration.study.datasets.items():
        job = QuestionsJob(
            name=name, dataset=dataset, code_digest=stage_digest("questions", dataset.rules())
        )
        prepare_questions(job, out=results / f"inputs/{name}.questions.jsonl.zst")
    for name, model in configuration.study.models.items():
        prepare_model(
            ModelJob(name=name, model=model, code_digest=stage_digest("model")),
            out=results / f"inputs/{name}.model.json",
        )
    for cell in configuration.study.cells:
        generate(cell, configuration, results)
        rescore(cell, configuration, results)
        sample_votes(cell, configuration, results)
    finish(configuration, results)
    return results


def generate(cell: str, configuration: Configuration, results: Path) -> None:
    """The three generation files of one cell."""
    study, blocks = configuration.study, configuration.protocols
    model, dataset = cell.split("/")
    files = generations(cell, results)
    manifest = results / f"inputs/{model}.model.json"
    seed = seed_of(study)
    first = ChainsJob(
        cell=cell,
        study_seed=seed,
        chain=blocks.chain["registered"],
        engine=study.engine,
        code_digest=stage_digest("chains"),
    )
    with made(files["chains"], first, cell, seed):
        generate_chains(
            first,
            model=manifest,
            questions=results / f"inputs/{dataset}.questions.jsonl.zst",
            out=files["chains"],
        )
    probe = blocks.probe["registered"]
    cut_prefixes(
        PrefixesJob(probe=probe, code_digest=stage_digest("prefixes", probe.rules())),
        chains=files["chains"],
        out=files["prefixes"],
    )
    second = CompletionsJob(
        probe=probe, engine=study.engine, code_digest=stage_digest("completions")
    )
    with made(files["completions"], second, cell, seed):
        sample_completions(
            second,
            model=manifest,
            chains=files["chains"],
            prefixes=files["prefixes"],
            out=files["completions"],
        )


@contextmanager
def made(out: Path, job: GenerationJob, cell: str, seed: int) -> Iterator[None]:
    """Note attempt and ledger as the command line does."""
    with noted(out, Work.of(job, cell=cell, seed=seed)), attempt(out):
        yield


def rescore(cell: str, configuration: Configuration, results: Path) -> None:
    """Trajectories and sensitivity table of one cell."""
    files = generations(cell, results)
    scoring = configuration.protocols.scoring["registered"]
    probe = files["completions"].parent
    score(
        ScoreJob(cell=cell, scoring=scoring, code_digest=stage_digest("score")),
        **files,
        out=probe / "registered/trajectories.parquet",
    )
    sensitivity(
        SensitivityJob(cell=cell, scoring=scoring, code_digest=stage_digest("sensitivity")),
        **files,
        out=probe / "sensitivity.csv",
    )


def sample_votes(cell: str, configuration: Configuration, results: Path) -> None:
    """The further chains of one cell, where the study names some."""
    study, blocks = configuration.study, configuration.protocols
    if study.baselines.self_consistency is None:
        return
    job = SelfConsistencyJob(
        chains=study.baselines.self_consistency,
        temperature=blocks.probe["registered"].temperature,
        engine=study.engine,
        code_digest=stage_digest("self_consistency"),
    )
    out = further_chains(cell, results)
    with made(out, job, cell, seed_of(study)):
        sample_chains(
            job,
            model=results / f"inputs/{cell.split('/', maxsplit=1)[0]}.model.json",
            chains=generations(cell, results)["chains"],
            out=out,
        )


def count_votes(
    cell: str, configuration: Configuration, results: Path, *, plan: Path | None = None
) -> None:
    """The table of one cell's vote, where its further chains are there; by the study's plan."""
    sampled = further_chains(cell, results)
    if not sampled.is_file():
        return
    compare_baseline(
        BaselineJob(
            cell=cell,
            scoring=configuration.protocols.scoring["registered"],
            code_digest=stage_digest("baseline"),
        ),
        chains=generations(cell, results)["chains"],
        self_consistency=sampled,
        trajectories=registered_trajectories(configuration, results, [cell])[0],
        plan=plan or Path(configuration.study.plan),
        out=sampled.with_name("self_consistency.csv"),
    )


def finish(configuration: Configuration, results: Path) -> None:
    """Votes, provenance, analysis, report and seal: the end of every run."""
    for cell in configuration.study.cells:
        count_votes(cell, configuration, results)
    record_run(run_job(configuration), out=results / "provenance/run.json")
    for cell in configuration.study.cells:
        record_cell(cell, results=results, out=cell_path(results, cell))
    trajectories = registered_trajectories(configuration, results)
    analyse(
        Path(configuration.study.plan),
        trajectories,
        results,
        standings=run_standings(results, trajectories),
        jobs=1,
    )
    write_report(results, plan=Path(configuration.study.plan), out=results / "report.html")
    seal(results)


def generations(cell: str, results: Path) -> dict[str, Path]:
    """The generation files of one cell, by stage."""
    chain = results / cell / "registered"
    return {
        "chains": chain / "chains.jsonl.zst",
        "prefixes": chain / "registered/prefixes.jsonl.zst",
        "completions": chain / "registered/completions.jsonl.zst",
    }


def further_chains(cell: str, results: Path) -> Path:
    """The chains of one cell that are sampled to vote with."""
    return results / cell / "registered/self_consistency.jsonl.zst"


def copy_run(source: Path, target: Path) -> Path:
    """A copy of a results folder that a test may damage."""
    shutil.copytree(source, target)
    return target
