from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cot_entropy.consistency.dividing import split_response
from cot_entropy.consistency.transcript import Step, Transcript


def test_think_block_is_reasoning() -> None:
    """`<think>` and `</think>` divide the response."""
    assert split_response("<think>\n2+2 is 4.\n</think>\n\nFour.") == (
        "2+2 is 4.",
        "Four.",
        "think_tags",
    )


def test_missing_opening_tag_is_the_templates_doing() -> None:
    """Templates that open the block themselves leave only the closing tag in the text."""
    assert split_response("2+2 is 4.</think>Four.") == ("2+2 is 4.", "Four.", "think_unopened")


def test_missing_closing_tag_means_no_answer() -> None:
    """A response cut off inside the block has no answer, whatever its last line says."""
    text = "<think>\nI guess.\nThe answer is 4."
    assert split_response(text) == ("I guess.\nThe answer is 4.", "", "think_unclosed")


def test_a_second_closing_tag_belongs_to_the_answer() -> None:
    """The first closing tag ends the reasoning, as in vLLM's parsers."""
    assert split_response("<think>a</think>b</think>c").answer == "b</think>c"


def test_an_empty_block_divides_nothing() -> None:
    """The known way around a distilled model's thinking: it works in the open then."""
    text = "<think>\n\n</think>\n\nFour and five make nine.\n\nThe answer is 9."
    assert split_response(text) == ("Four and five make nine.", "The answer is 9.", "marker")


@pytest.mark.parametrize(
    "text",
    [
        "[THINK]2+2 is 4.[/THINK]Four.",
        "<thinking>2+2 is 4.</thinking>Four.",
        "<reasoning>2+2 is 4.</reasoning>Four.",
        "<seed:think>2+2 is 4.</seed:think>Four.",
        "<|begin_of_thought|>2+2 is 4.<|end_of_thought|>Four.",
        "<|channel>thought\n2+2 is 4.<channel|>Four.<turn|>",
        "<|channel|>analysis<|message|>2+2 is 4.<|end|><|start|>assistant<|channel|>final<|message|>Four.<|return|>",
        "<start_of_turn>model\n<think>2+2 is 4.</think>Four.<end_of_turn>\n",
        "<|im_start|>assistant\n<think>2+2 is 4.</think>Four.<|im_end|>",
    ],
)
def test_the_tags_of_other_models_divide_too(text: str) -> None:
    """Magistral, Seed, Gemma, gpt-oss; marks of the turn belong to nobody's text."""
    assert split_response(text) == ("2+2 is 4.", "Four.", "think_tags")


@pytest.mark.parametrize("mark", ["<end_of_turn>", "<|im_end|>", "</s>", "<turn|>", "<|eot_id|>"])
def test_a_mark_at_the_end_is_not_the_last_line(mark: str) -> None:
    """Templates end a turn on a line of its own."""
    found = split_response(f"Five plus three.\nThe answer is 8.\n{mark}\n")
    assert found == ("Five plus three.", "The answer is 8.", "marker")


def test_a_response_that_plays_the_user_is_not_divided() -> None:
    """Whose answer the last line is cannot be told."""
    text = "It is 8.\n<start_of_turn>user\nAnd 2 + 2?\nThe answer is 4."
    assert split_response(text) == ("", text, "undivided")


def test_an_opening_tag_inside_the_text_opens_nothing() -> None:
    """Only a response that begins with the tag is a thinking one."""
    assert split_response("I write <think> here.\nThe answer is 3.").split == "marker"


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("The answer is 8.", "The answer is 8."),
        ("#### 8", "#### 8"),
        ("So 5 + 3 = 8. The answer is 8.", "The answer is 8."),
        ("**Final Answer:** 8", "**Final Answer:** 8"),
        ("Therefore $\\boxed{8}$.", "Therefore $\\boxed{8}$."),
        ("Die Antwort ist 8.", "Die Antwort ist 8."),
        ("La respuesta es 8.", "La respuesta es 8."),
        ("La réponse est 8.", "La réponse est 8."),
        ("答案是 8。", "答案是 8。"),
        ("所以五加三等于八。答案是 8。", "答案是 8。"),
    ],
)
def test_the_last_line_states_the_answer(line: str, answer: str) -> None:
    """The answer begins with the sentence that states it."""
    assert split_response(f"Five plus three.\n{line}")[1:] == (answer, "marker")


def test_a_box_on_several_lines() -> None:
    """Closing brackets on their own lines do not hide the line that states the answer."""
    found = split_response("So it is eight.\n\\[\n\\boxed{8}\n\\]\n")
    assert found.answer == "\\boxed{8}\n\\]"


def test_an_answer_stated_earlier_and_taken_back_is_reasoning() -> None:
    """Only the last line counts."""
    text = "The answer is 7.\nNo, I forgot one.\nIt must be 8."
    assert split_response(text) == ("", text, "undivided")


def test_a_signature_is_no_answer() -> None:
    """The line that states the answer and all that follows it."""
    text = "Five plus three.\nAnswer: 8\n\nKind regards,\nyour assistant"
    assert split_response(text) == (
        "Five plus three.",
        "Answer: 8\n\nKind regards,\nyour assistant",
        "marker",
    )


def test_prose_without_a_stated_answer_is_not_divided() -> None:
    """Where it turns from reasoning to answer only a reader can say."""
    text = "Paris is large. Berlin is larger still.\nSo I would rather live in Berlin.\nYours, M."
    assert split_response(text) == ("", text, "undivided")


def test_an_answer_with_an_explanation_after_it_is_not_divided() -> None:
    """What stands after the answer did not lead to it."""
    text = "**Answer:** Yes.\n\nNine is no multiple of two. So it is odd."
    assert split_response(text) == ("", text, "undivided")


@pytest.mark.parametrize(
    "text",
    ["Yes", "No.", "B", "Use prepared statements and parameterized queries; validate input."],
)
def test_one_sentence_is_a_bare_answer(text: str) -> None:
    """An evaluation that asks for a word or a few gets no reasoning."""
    assert split_response(text) == ("", text, "bare")


def test_one_sentence_with_its_reason_is_not_divided() -> None:
    """There is reasoning in it, and nothing marks where."""
    assert split_response("Yes, because nine is odd.").split == "undivided"


def test_a_form_that_was_asked_for_is_an_answer_without_reasoning() -> None:
    """`ANSWER: C` alone."""
    assert split_response("ANSWER: C") == ("", "ANSWER: C", "marker")


def test_a_truncated_chain_without_a_stated_answer_has_none() -> None:
    """The last line of a cut-off chain is not an answer."""
    assert split_response("First, 3.\nThen, 4 pl", truncated=True) == (
        "First, 3.\nThen, 4 pl",
        "",
        "no_answer",
    )


def test_a_truncated_chain_that_states_its_answer_has_one() -> None:
    """Some models answer and then ramble on to the budget."""
    assert (
        split_response("First, 3.\nThe answer is 3.", truncated=True).answer == "The answer is 3."
    )


@pytest.mark.parametrize("text", ["", "  \n\n "])
def test_nothing_is_no_answer(text: str) -> None:
    """An empty response has neither part."""
    assert split_response(text) == ("", "", "no_answer")


def test_one_line_is_the_answer_without_reasoning() -> None:
    """A bare value was not reasoned for."""
    assert split_response("42") == ("", "42", "bare")


@pytest.mark.parametrize(
    "text",
    [
        "answer" + " " * 2_000_000 + "x",
        "\n" * 2_000_000,
        "]" * 2_000_000,
        "The answer is 3.\n" + "$ ] } " * 300_000,
        "final " * 350_000,
        "<think>" * 300_000,
        "</s>" * 500_000,
        "Answer:" * 300_000,
        "Answer: x\n" * 200_000,
        "because. " * 200_000,
        "\\end{a" * 300_000,
    ],
)
def test_two_hostile_megabytes_are_divided_in_linear_time(text: str) -> None:
    """No pattern backtracks over a long run; 20 s is a hundred times what linear work needs."""
    begin = time.process_time()
    split_response(text)
    assert time.process_time() - begin < 20


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "<think>",
                "</think>",
                "\n",
                "a b.",
                "The answer is 4.",
                "\\boxed{4}",
                "答案是 4。",
                " ",
                "$",
                "é",
            ]
        )
    ),
    st.booleans(),
)
def test_nothing_of_a_response_is_lost(pieces: list[str], truncated: bool) -> None:
    """Reasoning and answer together are the response, but for white space and the tags that divide."""
    text = "".join(pieces)
    found = split_response(text, truncated=truncated)

    def bare(part: str) -> str:
        return "".join(re.sub("</?think>", "", part).split())

    assert bare(found.reasoning) + bare(found.answer) == bare(text)


def test_lone_surrogates_and_nul_become_the_replacement_character() -> None:
    """Neither JSON stores nor Scout can hold them."""
    made = Transcript(id="a", source="s", question="q\udc80", reasoning="\x00r", answer="a")
    assert (made.question, made.reasoning) == ("q\ufffd", "\ufffdr")


def test_the_hash_covers_every_field() -> None:
    """Two transcripts that differ anywhere are two entries of a store."""
    base = Transcript(id="a", source="s", question="q", reasoning="r", answer="a")
    changed = [
        base.model_copy(update=change)
        for change in (
            {"id": "b"},
            {"source": "t"},
            {"system_prompt": "p"},
            {"question": "u"},
            {"reasoning": "v"},
            {"answer": "w"},
            {"split": "marker"},
            {"truncated": True},
            {"turn": 1},
            {"steps": (Step(kind="question", text="q"),)},
            {"hidden": True},
            {"refused": True},
            {"error": "e"},
            {"model": "m"},
            {"task": "k"},
            {"sample": "k/1"},
        )
    ]
    assert len({t.sha256() for t in [base, *changed]}) == 17


def test_message_ids_are_no_content() -> None:
    """Old logs have none, and get other ones at every reading: the same reply is cached once."""
    base = Transcript(id="a", source="s", question="q", reasoning="r", answer="a")
    first, second = (
        base.model_copy(
            update={
                "references": (name,),
                "steps": (Step(kind="question", text="q", message=name),),
            }
        )
        for name in ("m1", "m2")
    )
    assert first.sha256() == second.sha256()
