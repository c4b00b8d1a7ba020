"""How a configuration names a dataset: embedded, a local JSON lines file, or on the hub."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, StringConstraints, model_validator

from cot_entropy.data import latex, wordproblems
from cot_entropy.data.generate import Distractor, Size

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Revision = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
FieldName = Annotated[str, StringConstraints(min_length=1, max_length=200)]
HubPath = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?$", max_length=200)
]

DIFFICULTY = ("seed", "steps", "sizes", "distractors")
MAX_STEPS = {"wordproblems": wordproblems.MAX_STEPS, "latex": latex.MAX_STEPS}


class _Dataset(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    answer: Annotated[
        Literal["number", "math"],
        Field(description="Kind of gold: a number (as GSM8K) or LaTeX (as MATH)."),
    ]
    questions: Annotated[
        PositiveInt | None,
        Field(description="Take the first so many questions; null takes all."),
    ] = None


class EmbeddedDataset(_Dataset):
    """Questions written for this project: two seeded generators and a hand-written set.

    Difficulty (`steps`, `sizes`, `distractors`) and `seed` are the generators'; every
    combination is drawn in equal shares and stored with the question as its stratum.
    """

    source: Literal["embedded"]
    name: Annotated[
        Literal["wordproblems", "latex", "algebra"],
        Field(description="`wordproblems` and `latex` are generated, `algebra` is hand-written."),
    ]
    seed: Annotated[int, Field(ge=0, description="Seed of the draw.")] = 0
    steps: Annotated[
        tuple[Annotated[int, Field(ge=1)], ...],
        Field(strict=False, min_length=1, description="Reasoning steps; at most 5, LaTeX 3."),
    ] = (1, 2, 3)
    sizes: Annotated[
        tuple[Size, ...], Field(strict=False, min_length=1, description="Sizes of the numbers.")
    ] = ("small", "large")
    distractors: Annotated[
        tuple[Distractor, ...],
        Field(strict=False, min_length=1, description="With or without a number to ignore."),
    ] = ("no", "yes")
    sha256: Annotated[
        Sha256 | None, Field(description="Expected hash of the questions; null checks nothing.")
    ] = None

    @model_validator(mode="after")
    def _fits_its_generator(self) -> Self:
        if self.name == "algebra":
            given = sorted(self.model_fields_set & set(DIFFICULTY))
            if given:
                raise ValueError(f"`algebra` is hand-written and takes no `{given[0]}`")
            return self
        if self.questions is None:
            raise ValueError(f"`{self.name}` is generated without end: give `questions`")
        if max(self.steps) > MAX_STEPS[self.name]:
            raise ValueError(f"`steps` of `{self.name}` go up to {MAX_STEPS[self.name]}")
        return self


class _Fields(_Dataset):
    question_field: Annotated[FieldName, Field(description="Field with the question.")] = "question"
    answer_field: Annotated[FieldName, Field(description="Field with the gold.")] = "answer"
    id_field: Annotated[
        FieldName | None, Field(description="Field with the id; null numbers the records from 1.")
    ] = None
    stratum_field: Annotated[
        FieldName | None, Field(description="Field with a difficulty; null: no strata.")
    ] = None
    gold_marker: Annotated[
        FieldName | None,
        Field(description="The gold is what follows the last such mark (GSM8K: `#### `)."),
    ] = None


class LocalDataset(_Fields):
    """A JSON lines file (`.zst` too), one question a line."""

    source: Literal["local"]
    path: Annotated[
        str, Field(min_length=1, description="The file, relative to the working folder.")
    ]
    sha256: Annotated[Sha256, Field(description="Hash of the file's bytes, as `sha256sum` prints.")]


class HubDataset(_Fields):
    """A dataset of the Hugging Face hub at a pinned revision."""

    source: Literal["hub"]
    path: Annotated[HubPath, Field(description="Its name on the hub, as `openai/gsm8k`.")]
    name: Annotated[FieldName | None, Field(description="Its configuration, as `main`.")] = None
    split: Annotated[FieldName, Field(description="Its split.")] = "test"
    revision: Annotated[Revision, Field(description="The commit: 40 hexadecimal digits.")]
    sha256: Annotated[
        Sha256,
        Field(description="Hash of all its questions; loading with a wrong one names the right."),
    ]


DatasetSpec = Annotated[EmbeddedDataset | LocalDataset | HubDataset, Field(discriminator="source")]
