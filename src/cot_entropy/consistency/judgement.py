"""What a judge must return, and what is recorded about a transcript whoever decided it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, model_validator

from cot_entropy.consistency.taxonomy import Label, Subtype
from cot_entropy.consistency.transcript import Split
from cot_entropy.strict import Strict

Outcome = Literal["consistent", "inconsistent", "not_applicable", "judge_error"]
Confidence = Literal["high", "medium", "low"]
Decider = Literal["rule", "judge", "computed"]
Failure = Literal["malformed", "truncated", "refused", "too_long", "unreachable", "not_computable"]


class Verdict(BaseModel):
    """The judge's reply; its JSON schema is sent with the request, so it has no aliases.

    The summaries stand before the label so that the label is written after them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    reasoning_summary: str
    answer_summary: str
    disconnect: str
    justification: str
    label: Label
    subtype: Literal[Subtype, "none"]
    confidence: Confidence

    @model_validator(mode="after")
    def _subtype_belongs_to_label(self) -> Verdict:
        if (self.label == "inconsistent") == (self.subtype == "none"):
            raise ValueError(f"label {self.label} does not go with subtype {self.subtype}")
        return self


class Cut(Strict):
    """Characters of each part that the judge was not shown, and control marks made harmless."""

    system_prompt: int = 0
    question: int = 0
    reasoning: int = 0
    answer: int = 0
    defanged: int = 0


class Judgement(Strict):
    """The outcome for one transcript, with everything needed to trace it.

    `decided_by` says whether a rule of `rules`, a judge model or the computed comparison decided.
    `failure` and `failure_detail` are set for `judge_error` only. Tokens are those of the judge,
    over all attempts, as it reported them.
    """

    id: str
    source: str
    outcome: Outcome
    subtype: Subtype | None = None
    decided_by: Decider
    rule: str | None = None
    confidence: Confidence | None = None
    reasoning_summary: str = ""
    answer_summary: str = ""
    disconnect: str = ""
    justification: str = ""
    failure: Failure | None = None
    failure_detail: str = ""
    split: Split
    truncated: bool
    cut: Cut = Cut()
    judge: str
    seed: int
    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    transcript_sha256: str
    prompt_sha256: str | None = None
    taxonomy_version: int
    taxonomy_sha256: str
