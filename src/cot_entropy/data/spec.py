"""How a configuration names a dataset: embedded, a local JSON lines file, or on the hub."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import Field, PositiveInt, model_validator

from cot_entropy.base.strict import LocalPath, Strict
from cot_entropy.data import latex, wordproblems
from cot_entropy.data.generate import Distractor, Size

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Revision = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
HubId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$")]
FieldName = Annotated[str, Field(min_length=1, max_length=200)]

DIFFICULTY: Final = frozenset({"seed", "steps", "sizes", "distractors"})
MAX_STEPS: Final = {"wordproblems": wordproblems.MAX_STEPS, "latex": latex.MAX_STEPS}


class _Dataset(Strict):
    answer: Literal["number", "math"]
    """Kind of gold: a number, as in GSM8K, or LaTeX, as in MATH."""
    questions: PositiveInt | None = None
    """Take the first so many questions; null takes all."""


class EmbeddedDataset(_Dataset):
    """Questions written for this project: two seeded generators and a hand-written set.

    Every combination of `steps`, `sizes` and `distractors` is drawn in equal shares and stored
    with the question as its stratum. `algebra` takes none of the three, and no seed.
    """

    source: Literal["embedded"]
    name: Literal["wordproblems", "latex", "algebra"]
    """`wordproblems` and `latex` are generated, `algebra` is hand-written."""
    seed: Annotated[int, Field(ge=0, lt=2**53)] = 0
    """Seed of the draw."""
    steps: Annotated[tuple[PositiveInt, ...], Field(strict=False, min_length=1)] = (1, 2, 3)
    """Reasoning steps: up to 5 for word problems, up to 3 for LaTeX."""
    sizes: Annotated[tuple[Size, ...], Field(strict=False, min_length=1)] = ("small", "large")
    """Sizes of the numbers."""
    distractors: Annotated[tuple[Distractor, ...], Field(strict=False, min_length=1)] = (
        "no",
        "yes",
    )
    """Without and with a number that plays no part."""
    sha256: Sha256 | None = None
    """Expected hash of the questions; null checks nothing."""

    @model_validator(mode="after")
    def _fits_its_generator(self) -> Self:
        if self.name == "algebra":
            fields = type(self).model_fields
            given = [key for key in sorted(DIFFICULTY) if getattr(self, key) != fields[key].default]
            if given:
                raise ValueError(f"`algebra` is hand-written and takes no `{given[0]}`")
            return self
        if self.questions is None:
            raise ValueError(f"`{self.name}` is generated without end: give `questions`")
        if max(self.steps) > MAX_STEPS[self.name]:
            raise ValueError(f"`steps` of `{self.name}` go up to {MAX_STEPS[self.name]}")
        return self


class _Records(_Dataset):
    question_field: FieldName = "question"
    """Field with the question."""
    answer_field: FieldName = "answer"
    """Field with the gold."""
    id_field: FieldName | None = None
    """Field with the id; null numbers the records from 1."""
    stratum_field: FieldName | None = None
    """Field with a difficulty; null: no strata."""
    gold_marker: FieldName | None = None
    """The gold is what follows the last such mark, as GSM8K's `#### `; null: the whole field."""


class LocalDataset(_Records):
    """A JSON lines file (zstd-compressed if named `.zst`), one question a line."""

    source: Literal["local"]
    path: LocalPath
    """The file, relative to the working folder."""
    sha256: Sha256
    """Hash of the file's bytes, as `sha256sum` prints it; a wrong one is answered by the right."""


class HubDataset(_Records):
    """A dataset of the Hugging Face hub; the revision is a commit, so that it cannot change."""

    source: Literal["hub"]
    id: HubId
    """Its name on the hub, as `openai/gsm8k`."""
    name: FieldName | None = None
    """Its configuration, as `main`."""
    split: FieldName = "test"
    """Its split."""
    revision: Revision
    """The commit."""
    sha256: Sha256
    """Hash of all its questions; a wrong one is answered by the right one."""


DatasetSpec = Annotated[EmbeddedDataset | LocalDataset | HubDataset, Field(discriminator="source")]


class QuestionsJob(Strict):
    """What one dataset's questions depend on."""

    name: str
    dataset: DatasetSpec
    code_digest: str
