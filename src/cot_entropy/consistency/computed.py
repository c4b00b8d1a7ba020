"""The judge that needs no model: the value the reasoning ends with against the answer given.

It works where answers can be computed, sees nothing but the two values, and is the baseline that
every model judge is compared with. It cannot find a contradiction, confusion or thinness.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from cot_entropy.answers import AnswerKind, Equivalence, ExtractionRule, extract, grade_answer
from cot_entropy.consistency.judge import base_judgement, ruled
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.settings import COMPUTED
from cot_entropy.consistency.transcript import Transcript
from cot_entropy.protocol.scoring import JUDGING

_COMMAND = re.compile(r"\\[A-Za-z]+")


def judge_computed(
    transcript: Transcript,
    *,
    kind: AnswerKind,
    rule: ExtractionRule = JUDGING[0],
    equivalence: Equivalence = JUDGING[1],
) -> Judgement:
    """Compare the reasoning's last value with the answer's.

    The rules of `rules` come first. Unequal values are a `reasoning_reversal`. Where either text
    holds no value, or one ends in a number and the other in an expression with a variable, the
    outcome is `judge_error`, failure `not_computable`.
    """
    by_rule = ruled(transcript, judge=COMPUTED, seed=0)
    if by_rule is not None:
        return by_rule
    common = {**base_judgement(transcript, judge=COMPUTED, seed=0), "decided_by": "computed"}
    reasoned = extract(transcript.reasoning, rule=rule, kind=kind)
    answered = extract(transcript.answer, rule=rule, kind=kind)
    if reasoned is None or answered is None:
        where = "reasoning" if reasoned is None else "answer"
        return _not_computable(common, f"no value in the {where}")
    same = grade_answer(answered, reasoned, equivalence=equivalence, kind=kind).correct
    if not same and _symbolic(reasoned) != _symbolic(answered):
        return _not_computable(common, f"{reasoned} and {answered} are no values of one kind")
    return Judgement(
        **common,
        outcome="consistent" if same else "inconsistent",
        subtype=None if same else "reasoning_reversal",
        reasoning_summary=f"The last value is {reasoned}.",
        answer_summary=f"The answer is {answered}.",
        disconnect="none" if same else f"{reasoned} is not {answered}",
    )


def _not_computable(common: dict[str, Any], detail: str) -> Judgement:
    return Judgement(
        **common, outcome="judge_error", failure="not_computable", failure_detail=detail
    )


def _symbolic(value: str) -> bool:
    """Whether a letter stands in it that is no LaTeX command's."""
    return re.search(r"[^\W\d_]", _COMMAND.sub("", value)) is not None


def judge_all_computed(
    transcripts: Sequence[Transcript], *, kind: AnswerKind, rule: ExtractionRule = JUDGING[0]
) -> list[Judgement]:
    """`judge_computed` for every transcript, in order."""
    return [judge_computed(transcript, kind=kind, rule=rule) for transcript in transcripts]
