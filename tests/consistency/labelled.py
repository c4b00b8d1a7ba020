"""Judgements whose outcome a test chooses."""

from __future__ import annotations

from cot_entropy.consistency.judge import base_judgement
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.taxonomy import SUBTYPES
from cot_entropy.consistency.transcript import Transcript


def judged(transcript: Transcript, outcome: str) -> Judgement:
    """`outcome`: a subtype, `consistent`, `not_applicable` or `judge_error`."""
    return Judgement(
        **base_judgement(transcript, judge="j", seed=0),
        outcome="inconsistent" if outcome in SUBTYPES else outcome,
        subtype=outcome if outcome in SUBTYPES else None,
        failure="malformed" if outcome == "judge_error" else None,
        decided_by="judge",
    )
