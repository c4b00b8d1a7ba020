"""E8: fewer completions per prefix."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cot_entropy.base.strict import Strict
from cot_entropy.plan.exploratory import Entry


class FewerSamplesParams(Strict):
    """E8: sizes of the subsets of m, all subsets of each size."""

    sizes: list[Annotated[int, Field(ge=2, le=64)]] = Field(min_length=1)
    """Sizes of the subsets of m; all subsets of each."""


class FewerSamples(Entry[FewerSamplesParams]):
    """E8: fewer completions per prefix."""

    estimator: Literal["fewer_samples"]
    """The estimator that the code implements."""
