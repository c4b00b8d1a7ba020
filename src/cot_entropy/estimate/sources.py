"""What this machine knows of a study's prompts and models; else what is assumed, and said.

Nothing is downloaded: questions come from an earlier run or a local or embedded dataset, a
tokenizer and a model's shape from a folder that is already here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import try_to_load_from_cache

from cot_entropy.base.errors import ConfigError
from cot_entropy.data.load import load
from cot_entropy.data.sources.hub import HubDataset
from cot_entropy.engine.capacity import ModelShape, shape_of_folder
from cot_entropy.estimate.assumptions import Assumptions
from cot_entropy.estimate.workload import PromptLengths
from cot_entropy.formats.inputs import read_dataset, read_model, read_questions
from cot_entropy.generate.prompts import ChatTokenizer
from cot_entropy.model.spec import BundledModel, HubModel, LocalModel, ModelSpec
from cot_entropy.model.stage import MODELS
from cot_entropy.study.config import Configuration


@dataclass(frozen=True, slots=True)
class Questions:
    """A dataset: its texts where they are here, else their number and mean length."""

    count: int
    characters: float
    """Of all questions together."""
    texts: tuple[str, ...] | None
    note: str


@dataclass(frozen=True, slots=True)
class Model:
    """A model: its folder where it is here, and its shape."""

    name: str
    """The hub's id, the bundled name or the path: what patterns match."""
    folder: Path | None
    shape: ModelShape
    note: str


def questions_of(
    configuration: Configuration, dataset: str, results: Path, assumptions: Assumptions
) -> Questions:
    """The questions of a dataset; raises ConfigError where neither they nor figures are here."""
    spec = configuration.study.datasets[dataset]
    stored = results / "inputs" / f"{dataset}.questions.jsonl.zst"
    if stored.is_file():
        read_dataset(stored)
        return _texts([question.text for question in read_questions(stored)], "an earlier run's")
    if not isinstance(spec, HubDataset):
        loaded = load(spec, root=Path())
        return _texts([question.text for question in loaded.questions], f"{spec.source} dataset")
    figures = assumptions.datasets.get(spec.id)
    if figures is None:
        raise ConfigError(
            f"datasets.{dataset}: {spec.id} is not on this machine; fetch it with: snakemake "
            f"--cores 1 --configfile ... {stored}, or add it to the assumptions"
        )
    count = min(figures.questions, spec.questions or figures.questions)
    return Questions(count, count * figures.question_characters, None, f"assumed: {figures.source}")


def model_of(
    configuration: Configuration, model: str, results: Path, assumptions: Assumptions
) -> Model:
    """A model of the study; raises ConfigError where neither its folder nor figures are here."""
    spec = configuration.study.models[model]
    name = _name(spec)
    manifest = results / "inputs" / f"{model}.model.json"
    folder = Path(read_model(manifest).folder) if manifest.is_file() else _folder(spec)
    if folder is not None and folder.is_dir():
        return Model(name, folder, shape_of_folder(folder), f"{folder}")
    if isinstance(spec, LocalModel):
        raise ConfigError(f"models.{model}: {spec.path}: no such folder")
    figures = assumptions.models.get(name)
    if figures is None:
        raise ConfigError(
            f"models.{model}: {name} is not on this machine; fetch it with: snakemake --cores 1 "
            f"--configfile ... {manifest}, or add it to the assumptions"
        )
    shape = ModelShape(figures.parameters, figures.cached_values)
    return Model(name, None, shape, f"assumed: {figures.source}")


def prompt_lengths(
    questions: Questions,
    model: Model,
    system_prompt: str,
    answer: str,
    assumptions: Assumptions,
) -> tuple[PromptLengths, str]:
    """The lengths of a cell's prompts, and how they are known."""
    if questions.texts is not None and model.folder is not None:
        tokenizer = ChatTokenizer(model.folder, system_prompt)
        tokens = sum(len(tokenizer.prompt(text)) for text in questions.texts)
        return PromptLengths(questions.count, tokens), "counted with the model's tokenizer"
    figures = assumptions.prompts
    per_token = {str(kind): value for kind, value in figures.characters_per_token.items()}[answer]
    tokens = round(questions.characters / per_token + questions.count * figures.template_tokens)
    what = "no tokenizer here" if model.folder is None else "no questions here"
    return PromptLengths(questions.count, tokens), f"{what}; characters / {per_token:g}, + template"


def _texts(texts: list[str], note: str) -> Questions:
    return Questions(len(texts), sum(map(len, texts)), tuple(texts), note)


def _name(spec: ModelSpec) -> str:
    match spec:
        case HubModel():
            return spec.id
        case LocalModel():
            return spec.path
        case BundledModel():
            return spec.name


def _folder(spec: ModelSpec) -> Path | None:
    match spec:
        case LocalModel():
            return Path(spec.path)
        case BundledModel():
            return MODELS / spec.name
        case HubModel():
            found = try_to_load_from_cache(spec.id, "config.json", revision=spec.revision)
            return Path(found).parent if isinstance(found, str) else None
