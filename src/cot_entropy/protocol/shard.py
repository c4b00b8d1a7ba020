"""A shard: a part of a cell's questions that one engine works on while others work on the rest."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from cot_entropy.base.strict import Strict


class Shard(Strict):
    """Shard `number` of `of`: every `of`-th question, so that each holds easy and hard ones."""

    number: Annotated[int, Field(ge=1)]
    """Counted from 1."""
    of: Annotated[int, Field(ge=1)]

    @model_validator(mode="after")
    def _is_one_of_them(self) -> Self:
        if self.number > self.of:
            raise ValueError(f"there is no shard {self.number} of {self.of}")
        return self

    def positions(self, questions: int) -> range:
        """The positions, from 0 in dataset order, of its questions; empty past the last one."""
        return range(self.number - 1, questions, self.of)
