"""What a judge must return, and what is recorded about a transcript whoever decided it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from cot_entropy.base.strict import Strict
from cot_entropy.consistency.taxonomy import Label, Subtype, Unassessed
from cot_entropy.consistency.transcript import Split

Outcome = Label | Literal["judge_error"] | Unassessed
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
    """Characters."""
    question: int = 0
    """Characters."""
    reasoning: int = 0
    """Characters."""
    answer: int = 0
    """Characters."""
    defanged: int = 0
    """Control marks broken by a space."""


class Judgement(Strict):
    """The outcome for one transcript, with everything needed to trace it."""

    id: str
    """Id of the transcript."""
    source: str
    """Where it comes from."""
    turn: int | None = None
    """Number of the action or answer that is judged, from 1; null for the whole."""
    model: str = ""
    """The model that wrote the transcript, as its log names it."""
    task: str = ""
    """The task that it was given, as its log names it."""
    sample: str = ""
    """The item of the task, the same in every epoch."""
    references: list[str] = Field(default_factory=list)
    """Ids of the messages that are judged."""
    outcome: Outcome
    """The label, `judge_error`, or why there is nothing to judge."""
    subtype: Subtype | None = None
    """Why it is inconsistent."""
    decided_by: Decider
    """A rule, a judge model, or the computed comparison."""
    rule: str | None = None
    """The rule that decided."""
    confidence: Confidence | None = None
    """The judge's own."""
    reasoning_summary: str = ""
    """One sentence."""
    answer_summary: str = ""
    """One sentence."""
    disconnect: str = ""
    """Where reasoning and answer part."""
    justification: str = ""
    """Why this label; for `sample_error`, the error."""
    failure: Failure | None = None
    """For `judge_error`: what kind."""
    failure_detail: str = ""
    """For `judge_error`: what happened."""
    split: Split
    """How the response was divided into reasoning and answer."""
    truncated: bool
    """Whether the judge was shown less than all."""
    cut: Cut = Cut()
    """What was left out."""
    judge: str
    """Name of the judge."""
    seed: int
    """The judge's seed."""
    attempts: int = 0
    """Requests made."""
    input_tokens: int = 0
    """Over all attempts, as the judge reported them."""
    output_tokens: int = 0
    """Over all attempts, as the judge reported them."""
    transcript_sha256: str
    """Hash of the whole transcript."""
    prompt_sha256: str | None = None
    """Hash of what was sent; null where no judge was asked."""
    taxonomy_version: int
    """Version of the taxonomy."""
    taxonomy_sha256: str
    """Its hash."""

    @property
    def finding(self) -> str:
        """The subtype where there is one, else the outcome."""
        return self.subtype or self.outcome
