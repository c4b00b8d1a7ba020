"""What is decided without a judge: step 1, and the part of step 2 that needs no judgement.

A thin text is never decided here. `Thinness` is shown to the judge as a measurement.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cot_entropy.consistency.taxonomy import Label, Subtype, taxonomy
from cot_entropy.consistency.transcript import Transcript

RESTATEMENT_WORDS = 4
"""A sentence repeats the question only if it is at least this long: a bare value proves nothing."""

RESTATING_SENTENCES = 200
"""A reasoning of more sentences is read by a judge, whatever it repeats."""

_WORD = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"[.!?。！？\n]+")
_ANSWER_LABEL = re.compile(
    r"(?:the\s+)?(?:final\s+)?(?:answer|antwort|respuesta|réponse|risposta|答案)(?:\s+is)?",
    re.IGNORECASE,
)
_EMPTY_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{\s*\}")


@dataclass(frozen=True)
class RuleDecision:
    """An outcome, and the name of the rule that gave it."""

    outcome: Label
    subtype: Subtype | None
    rule: str


@dataclass(frozen=True)
class Thinness:
    """Words of the reasoning, and how many different ones are not in the question."""

    words: int
    own_words: int


def decide_by_rule(transcript: Transcript) -> RuleDecision | None:
    """The outcome where reading is not needed; None where a judge must read.

    An answer is empty also where only its label is there (`Final answer:`, `\\boxed{}`). Reasoning
    is absent where there is none, or where every sentence only announces thinking or repeats, in
    the same words, a run of at least `RESTATEMENT_WORDS` words of the question.
    """
    bare = _ANSWER_LABEL.sub("", _EMPTY_BOX.sub("", transcript.answer), count=1)
    if not transcript.answer.strip() or not re.search(r"[^\s#*:：.$=_`-]", bare):
        return RuleDecision("not_applicable", None, "empty_answer")
    sentences = [_normal(part) for part in _SENTENCE.split(transcript.reasoning)]
    sentences = [sentence for sentence in sentences if sentence]
    if not sentences:
        return RuleDecision("inconsistent", "absent_reasoning", "no_reasoning")
    openers = set(taxonomy().generic_openers)
    question = f" {_normal(transcript.question)} "
    if all(sentence in openers for sentence in sentences):
        return RuleDecision("inconsistent", "absent_reasoning", "generic_opening_only")
    if len(sentences) <= RESTATING_SENTENCES and all(
        sentence in openers or _restates(sentence, question) for sentence in sentences
    ):
        return RuleDecision("inconsistent", "absent_reasoning", "restates_the_question")
    return None


def thinness(transcript: Transcript) -> Thinness:
    """How much the reasoning says beyond the question's own words."""
    words = _WORD.findall(transcript.reasoning.casefold())
    asked = set(_WORD.findall(transcript.question.casefold()))
    return Thinness(words=len(words), own_words=len(set(words) - asked))


def _normal(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _restates(sentence: str, question: str) -> bool:
    return len(sentence.split()) >= RESTATEMENT_WORDS and f" {sentence} " in question
