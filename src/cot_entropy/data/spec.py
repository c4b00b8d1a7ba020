"""How a configuration names a dataset: what all have in common, by the sources of `sources/`."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, PositiveInt

from cot_entropy.base.rules import Kind
from cot_entropy.base.strict import Strict

SOURCES: Final = Kind("data.sources")

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
FieldName = Annotated[str, Field(min_length=1, max_length=200)]


class DatasetBase(Strict):
    """What every dataset says, whatever its source."""

    source: str
    """Where the questions come from."""
    answer: Literal["number", "math"]
    """Kind of gold: a number, as in GSM8K, or LaTeX, as in MATH."""
    questions: PositiveInt | None = None
    """Take the first so many questions; null takes all."""
    sha256: str | None = None
    """Expected hash; null checks nothing."""

    @property
    def origin(self) -> str:
        """What headers name as the source."""
        return self.source

    @property
    def file(self) -> str | None:
        """The local file that it is read from, if it is one."""
        return None

    def rules(self) -> list[str]:
        """The module of its source."""
        return [SOURCES.module(self.source)]


class Records(DatasetBase):
    """How records become questions."""

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
