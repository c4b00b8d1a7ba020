"""The figures that an estimate assumes, each with its source (`assumptions.yaml`)."""

from __future__ import annotations

from fnmatch import fnmatch
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import Field, ValidationError

from cot_entropy.base.errors import ConfigError
from cot_entropy.base.strict import Strict, describe
from cot_entropy.protocol.engine import Device
from cot_entropy.protocol.names import AnswerKind

Positive = Annotated[float, Field(gt=0, strict=False)]
Count = Annotated[int, Field(ge=1)]


class Lengths(Strict):
    """How long what a model writes is."""

    model: str
    """Pattern of the model's hub id, bundled name or path."""
    answer: AnswerKind | Literal["any"]
    chain_tokens: Positive
    units: Positive
    """Of the whole chain, before the cap."""
    completion_tokens: Positive
    source: str


class Throughput(Strict):
    """Generated tokens per second, as a share of the arithmetic ceiling."""

    ceiling_share: Annotated[float, Field(gt=0, le=1)]
    source: str


class DeviceFigures(Strict):
    """One device: a GPU, or one core of a CPU."""

    name: str
    operations_per_second: Positive
    memory_gib: Positive | None
    """Null: ask the machine."""
    start_seconds: Positive
    """To start the engine once."""
    block_tokens: Count
    """Of the prefix cache, which finds whole blocks only."""
    source: str


class Prompts(Strict):
    """The length of a prompt where no tokenizer is here."""

    characters_per_token: dict[AnswerKind, Positive]
    template_tokens: Count
    source: str


class DatasetFigures(Strict):
    """A dataset whose questions are not here."""

    questions: Count
    question_characters: Positive
    source: str


class ModelFigures(Strict):
    """A model whose folder is not here."""

    parameters: Count
    cached_values: Count
    """Keys and values per token, over all layers."""
    source: str


class Storage(Strict):
    """Bytes on disk per generated token, prompts and texts included."""

    stored_bytes_per_token: Positive
    checkpoint_bytes_per_token: Positive
    source: str


class Assumptions(Strict):
    """All figures of an estimate that nothing on this machine gives."""

    lengths: Annotated[list[Lengths], Field(min_length=1)]
    throughput: Throughput
    devices: dict[Device, DeviceFigures]
    prompts: Prompts
    datasets: dict[str, DatasetFigures]
    models: dict[str, ModelFigures]
    storage: Storage

    def lengths_of(self, model: str, answer: AnswerKind) -> Lengths:
        """The first entry that fits; raises ConfigError where none does."""
        for one in self.lengths:
            if fnmatch(model.lower(), one.model.lower()) and one.answer in (answer, "any"):
                return one
        raise ConfigError(f"assumptions: lengths: no entry fits `{model}` and `{answer}` answers")


def read_assumptions(path: Path | None = None) -> Assumptions:
    """The project's figures, or those of a file; raises ConfigError naming file and key."""
    where = str(path or "assumptions.yaml")
    try:
        source = path or files(__package__).joinpath("assumptions.yaml")
        return Assumptions.model_validate(yaml.safe_load(source.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{where}: cannot be read ({error})") from None
    except ValidationError as error:
        raise ConfigError(f"{where}: {describe(error)}") from None
