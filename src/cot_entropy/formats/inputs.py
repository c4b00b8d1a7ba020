"""What a generation stage is given: which model to load, which questions to ask.

Both files are written by the `model` and `questions` stages, checked there against their source,
and read here again as strictly as any other file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import ValidationError, field_validator

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import read_jsonl
from cot_entropy.base.strict import Strict, validate_json
from cot_entropy.formats.records import DatasetIdentity, ModelIdentity, parse_record


class ModelManifest(ModelIdentity):
    """A model that is ready to load: its identity and the folder that holds it."""

    folder: str
    """Where it stands on this machine."""

    def identity(self) -> ModelIdentity:
        """The part that goes into headers: no path of this machine."""
        return ModelIdentity.model_validate(self.model_dump(exclude={"folder"}))


class DatasetHeader(DatasetIdentity):
    """The first line of a questions file."""

    record: Literal["dataset"] = "dataset"

    def identity(self) -> DatasetIdentity:
        """The part that goes into headers."""
        return DatasetIdentity.model_validate(self.model_dump(exclude={"record"}))


class Question(Strict):
    """One line of a questions file after the first."""

    id: str
    """Unique in its dataset."""
    text: str
    """The question."""
    gold: str
    """The gold answer."""
    stratum: str | None = None
    """Its difficulty, if there is one."""
    written: str | None = None
    """The gold as it came, where reading it as a number changed it."""

    @field_validator("text")
    @classmethod
    def _is_text(cls, text: str) -> str:
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise ValueError("half a surrogate pair: not valid text")
        return text


def read_model(path: Path) -> ModelManifest:
    """Read a model manifest (JSON); raises DataError naming file and key."""
    try:
        return validate_json(ModelManifest, path.read_bytes())
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; prepare the model first") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise DataError(f"{path}: {where}: {first['msg']}; prepare the model again") from None


def tokenizer_path(inputs: Path, model: str) -> Path:
    """Where a run keeps the tokenizer of a model whose licence lets it travel."""
    return inputs / f"{model}.tokenizer.json"


def write_model_text(manifest: ModelManifest) -> str:
    """The manifest as the text of its file."""
    return json.dumps(manifest.model_dump(mode="json"), indent=2, sort_keys=True) + "\n"


def read_dataset(path: Path) -> DatasetIdentity:
    """The first line of a questions file; raises DataError naming file, line and key."""
    for number, value in read_jsonl(path):
        return parse_record(DatasetHeader, value, path, number).identity()
    raise DataError(f"{path}: empty; prepare the questions again")


def read_questions(path: Path) -> Iterator[Question]:
    """The questions of a file, in order; raises DataError naming file, line and key."""
    for number, value in read_jsonl(path):
        if number > 1:
            yield parse_record(Question, value, path, number)
