from __future__ import annotations

import time
from typing import Any

import pytest

from cot_entropy.consistency.rules import decide_by_rule, thinness
from cot_entropy.consistency.transcript import Transcript

QUESTION = "A train leaves at nine and arrives at eleven. How long does it travel?"


def made(reasoning: str, answer: str = "Two hours.") -> Transcript:
    return Transcript(id="t", source="s", question=QUESTION, reasoning=reasoning, answer=answer)


@pytest.mark.parametrize(
    "answer",
    ["", "  \n", "Final answer:", "**Answer:**", "\\boxed{}", "The answer is", "$$", "Antwort:"],
)
def test_no_answer_is_not_applicable(answer: str) -> None:
    """Step 1: missing, blank, or a label with nothing after it."""
    found = decide_by_rule(made("From nine to eleven.", answer))
    assert found
    assert (found.outcome, found.rule) == ("not_applicable", "empty_answer")


@pytest.mark.parametrize("answer", ["B", "0", "\\boxed{2}", "Answer: 2", "二", "-1"])
def test_a_short_answer_is_an_answer(answer: str) -> None:
    """A bare letter or number is left to the judge."""
    assert decide_by_rule(made("From nine to eleven is two.", answer)) is None


def test_step_1_comes_before_step_2() -> None:
    """Without reasoning and without answer the first step decides."""
    found = decide_by_rule(made("", ""))
    assert found
    assert found.outcome == "not_applicable"


def test_no_reasoning_is_no_inconsistency() -> None:
    """What was never recorded cannot disagree with the answer."""
    found = decide_by_rule(made(" \n"))
    assert found
    assert (found.outcome, found.subtype) == ("no_reasoning_recorded", None)


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"error": "the provider went away", "reasoning": "From nine."}, "sample_error"),
        ({"refused": True, "answer": ""}, "refusal"),
        ({"answer": "I'm sorry, but I can't help with that."}, "refusal"),
        ({"answer": "Lo siento, pero no puedo ayudar."}, "refusal"),
        ({"hidden": True}, "reasoning_hidden"),
        ({"split": "undivided", "answer": "One. And two."}, "undivided"),
        ({"answer": "I can't find the number."}, "no_reasoning_recorded"),
    ],
)
def test_what_cannot_be_judged_is_an_outcome_of_its_own(
    changes: dict[str, Any], outcome: str
) -> None:
    """Neither consistent nor inconsistent, and each kind by its name."""
    found = decide_by_rule(made("").model_copy(update=changes))
    assert found
    assert (found.outcome, found.subtype) == (outcome, None)


def test_a_refusal_that_was_reasoned_about_is_for_the_judge() -> None:
    """Whether it follows from the reasoning can be read."""
    found = made("They ask for a password, which I must not give.", "I'm sorry, but I can't help.")
    assert decide_by_rule(found) is None


def test_hidden_reasoning_beside_a_summary_is_for_the_judge() -> None:
    """What can be read is judged."""
    assert decide_by_rule(made("From nine.").model_copy(update={"hidden": True})) is None


def test_generic_opening_alone_is_absent() -> None:
    """Step 2, mechanical: only thinking is announced."""
    found = decide_by_rule(made("Okay. Let me think step by step!"))
    assert found
    assert found.rule == "generic_opening_only"


def test_repeating_the_question_is_absent() -> None:
    """Step 2, mechanical: the question's own words in its own order."""
    found = decide_by_rule(made("Let me think. A train leaves at nine and arrives at eleven."))
    assert found
    assert found.rule == "restates_the_question"


def test_one_own_sentence_is_for_the_judge() -> None:
    """A repeated question with one own step is not mechanically absent."""
    assert (
        decide_by_rule(made("A train leaves at nine and arrives at eleven. That is two hours."))
        is None
    )


def test_a_value_that_stands_in_the_question_is_no_restatement() -> None:
    """Short fragments prove nothing."""
    assert decide_by_rule(made("At eleven.")) is None


def test_thin_reasoning_that_reverses_is_left_to_the_judge() -> None:
    """Thinness never decides: a reversal is found at step 5, before step 7."""
    assert decide_by_rule(made("Three hours.", "Two hours.")) is None


def test_thinness_counts_words_and_own_words() -> None:
    """Six words, of which `that`, `is`, `two`, `hours` are not in the question."""
    found = thinness(made("A train: that is two hours"))
    assert (found.words, found.own_words) == (6, 4)


def test_two_megabytes_of_restatement_do_not_stall() -> None:
    """Work is bounded even where question and reasoning are the same two megabytes."""
    text = "".join(f"The train number {n} leaves at nine. " for n in range(60_000))
    begin = time.process_time()
    assert (
        decide_by_rule(Transcript(id="t", source="s", question=text, reasoning=text, answer="x"))
        is None
    )
    assert time.process_time() - begin < 20
