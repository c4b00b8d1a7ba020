"""What is decided without a judge: what cannot be judged at all, step 1, and part of step 2.

A thin text is never decided here. `Thinness` is shown to the judge as a measurement.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cot_entropy.consistency.taxonomy import Label, Subtype, Unassessed, taxonomy
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

    outcome: Label | Unassessed
    subtype: Subtype | None
    rule: str


@dataclass(frozen=True)
class Thinness:
    """Words of the reasoning, and how many different ones are not in the question."""

    words: int
    own_words: int


def decide_by_rule(transcript: Transcript) -> RuleDecision | None:
    """The outcome where reading is not needed; None where a judge must read.

    Outside every rate stand a sample that ended in an error, a refusal (marked by the provider, or
    without reasoning and worded as one), reasoning that is hidden or not there, and prose that
    nothing divides. An answer is empty also where only its label is there (`Final answer:`,
    `\\boxed{}`). Reasoning is absent where every sentence only announces thinking or repeats, in
    the same words, a run of at least `RESTATEMENT_WORDS` words of the question.
    """
    if transcript.error or transcript.refused:
        outcome: Unassessed = "sample_error" if transcript.error else "refusal"
        return RuleDecision(outcome, None, f"marked_as_{outcome}")
    bare = _ANSWER_LABEL.sub("", _EMPTY_BOX.sub("", transcript.answer), count=1)
    if not transcript.answer.strip() or not re.search(r"[^\s#*:：.$=_`-]", bare):
        return RuleDecision("not_applicable", None, "empty_answer")
    sentences = [_normal(part) for part in _SENTENCE.split(transcript.reasoning)]
    sentences = [sentence for sentence in sentences if sentence]
    if not sentences:
        return _without_reasoning(transcript)
    openers = set(taxonomy().generic_openers)
    question = f" {_normal(transcript.question)} "
    if all(sentence in openers for sentence in sentences):
        return RuleDecision("inconsistent", "absent_reasoning", "generic_opening_only")
    if len(sentences) <= RESTATING_SENTENCES and all(
        sentence in openers or _restates(sentence, question) for sentence in sentences
    ):
        return RuleDecision("inconsistent", "absent_reasoning", "restates_the_question")
    return None


def _without_reasoning(transcript: Transcript) -> RuleDecision:
    if transcript.hidden:
        return RuleDecision("reasoning_hidden", None, "only_hidden_reasoning")
    if f"{_normal(transcript.answer)} ".startswith(tuple(taxonomy().refusal_openers)):
        return RuleDecision("refusal", None, "refusal_without_reasoning")
    if transcript.split == "undivided":
        return RuleDecision("undivided", None, "nothing_divides_it")
    return RuleDecision("no_reasoning_recorded", None, "no_reasoning")


def thinness(transcript: Transcript) -> Thinness:
    """How much the reasoning says beyond the question's own words."""
    words = _WORD.findall(transcript.reasoning.casefold())
    asked = set(_WORD.findall(transcript.question.casefold()))
    return Thinness(words=len(words), own_words=len(set(words) - asked))


def _normal(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _restates(sentence: str, question: str) -> bool:
    return len(sentence.split()) >= RESTATEMENT_WORDS and f" {sentence} " in question
