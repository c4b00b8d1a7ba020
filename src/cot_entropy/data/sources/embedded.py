"""Questions written for this project: generated, or by hand."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import Field, PositiveInt, model_validator

from cot_entropy.base.files import read_jsonl
from cot_entropy.data import latex, wordproblems
from cot_entropy.data.generate import Distractor, Size, strata, take
from cot_entropy.data.load import Dataset, Names, check_sha256, first, questions_of
from cot_entropy.data.questions import questions_sha256
from cot_entropy.data.spec import DatasetBase, Sha256

DIFFICULTY: Final = frozenset({"seed", "steps", "sizes", "distractors"})
MAX_STEPS: Final = {"wordproblems": wordproblems.MAX_STEPS, "latex": latex.MAX_STEPS}


class EmbeddedDataset(DatasetBase):
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

    @property
    def origin(self) -> str:
        """Which of the embedded sets."""
        return f"embedded:{self.name}"


def load(spec: EmbeddedDataset, *, root: Path) -> Dataset:
    """The questions drawn, and the hash over them; raises DataError."""
    if spec.name == "algebra":
        with as_file(files("cot_entropy.data").joinpath("algebra.jsonl")) as path:
            rows = ((f"algebra.jsonl:{number}", row) for number, row in read_jsonl(path))
            fields = Names(
                id="id", question="problem", answer="answer", kind="math", stratum="topic"
            )
            algebra = tuple(questions_of(rows, fields))
            questions = first(algebra, spec.questions, "algebra")
    else:
        source = {"wordproblems": wordproblems, "latex": latex}[spec.name]
        kinds = strata(steps=spec.steps, sizes=spec.sizes, distractors=spec.distractors)
        drawn = source.problems(seed=spec.seed, split="evaluation", kinds=kinds)
        questions = tuple(item.question for item in take(drawn, spec.questions or 0))
    sha256 = questions_sha256(questions)
    if spec.sha256 is not None:
        check_sha256(found=sha256, expected=spec.sha256, where=f"embedded `{spec.name}`")
    return Dataset(questions, sha256)
