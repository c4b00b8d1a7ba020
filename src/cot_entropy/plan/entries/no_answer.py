"""E7: handling of completions without an answer."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cot_entropy.base.strict import Strict
from cot_entropy.plan.exploratory import Entry
from cot_entropy.protocol.scoring import NoAnswer as NoAnswerRule


class NoAnswerParams(Strict):
    """E7: what a completion without an answer is in the distribution, and chains to leave out."""

    rules: list[NoAnswerRule] = Field(min_length=1)
    """What a completion without an answer is in the distribution."""
    exclusions: list[Literal["none", "empty_last_prefix", "any_missing_answer"]] = Field(
        min_length=1
    )
    """Chains to leave out."""


class NoAnswer(Entry[NoAnswerParams]):
    """E7: handling of completions without an answer."""

    estimator: Literal["no_answer"]
    """The estimator that the code implements."""
