"""Which judge labels the chains of a study: a model, served here or elsewhere, or arithmetic."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cot_entropy.model.spec import BundledModel, HubModel, LocalModel
from cot_entropy.strict import Strict


class ComputedJudge(Strict):
    """No model: the value that the reasoning concludes with against the answer given."""

    source: Literal["computed"]


class InspectJudge(Strict):
    """Any model that Inspect reaches; its key comes from the environment, never from here."""

    source: Literal["inspect"]
    model: Annotated[str, Field(pattern=r"^[\w.-]+/[\w./:@-]+$")]
    """An Inspect model string, as `anthropic/claude-opus-4-6`."""


JudgeSpec = Annotated[
    ComputedJudge | InspectJudge | BundledModel | HubModel | LocalModel,
    Field(discriminator="source"),
]
"""A model of the last three kinds is served by vLLM on loopback for as long as the scan runs."""
