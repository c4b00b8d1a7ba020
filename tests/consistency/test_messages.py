from __future__ import annotations

from typing import Any

from cot_entropy.consistency.messages import from_messages
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
)
from inspect_ai.tool import ToolCall

SYSTEM = ChatMessageSystem(content="Be brief.")
USER = ChatMessageUser(content="How long?")


def read(*messages: Any, truncated: bool = False) -> tuple[str, str, str, str, str]:
    made = from_messages(messages, id="t", source="s", truncated=truncated)
    return made.system_prompt, made.question, made.reasoning, made.answer, made.split


def test_reasoning_blocks_and_text_come_apart() -> None:
    """Providers that return reasoning separately need no splitting."""
    reply = ChatMessageAssistant(
        content=[ContentReasoning(reasoning="From nine."), ContentText(text="Two.")]
    )
    assert read(SYSTEM, USER, reply) == ("Be brief.", "How long?", "From nine.", "Two.", "given")


def test_a_string_with_think_tags_is_divided() -> None:
    """Inspect does not parse tags inside a string."""
    reply = ChatMessageAssistant(content="<think>From nine.</think>Two.")
    assert read(USER, reply) == ("", "How long?", "From nine.", "Two.", "think_tags")


def test_a_plain_string_is_divided_as_a_chain() -> None:
    """The line that states the answer is the answer."""
    reply = ChatMessageAssistant(content="From nine to eleven.\nThe answer is 2.")
    assert read(USER, reply)[2:] == ("From nine to eleven.", "The answer is 2.", "marker")


def test_a_conversation_without_reply_has_no_answer() -> None:
    """A sample that failed before the model answered."""
    assert read(SYSTEM, USER) == ("Be brief.", "How long?", "", "", "no_answer")


def test_an_empty_conversation_is_a_transcript_too() -> None:
    """Nothing is lost, nothing is invented."""
    assert read() == ("", "", "", "", "no_answer")


def test_tool_calls_are_the_answer_of_an_agent() -> None:
    """What an agent does is what it answers."""
    call = ToolCall(id="1", function="stop", arguments={"when": "18:00"})
    reply = ChatMessageAssistant(content="The notice is clear, so I stop.", tool_calls=[call])
    assert read(USER, reply)[2:] == (
        "The notice is clear, so I stop.",
        'stop({"when": "18:00"})',
        "given",
    )


def test_several_turns_keep_order_and_roles() -> None:
    """Earlier assistant turns are reasoning before the reply's own; tool results are question."""
    first = ChatMessageAssistant(
        content="I look first.", tool_calls=[ToolCall(id="1", function="ls", arguments={})]
    )
    tool = ChatMessageTool(content="a.txt", tool_call_id="1")
    last = ChatMessageAssistant(
        content=[ContentReasoning(reasoning="One file."), ContentText(text="a.txt")]
    )
    assert read(USER, first, tool, last)[1:] == (
        "How long?\n\na.txt",
        "I look first.\nls({})\n\nOne file.",
        "a.txt",
        "given",
    )


def test_redacted_reasoning_counts_by_its_summary() -> None:
    """The encrypted text of some providers is not reasoning that can be read."""
    reply = ChatMessageAssistant(
        content=[
            ContentReasoning(reasoning="gAAAA", redacted=True, summary="From nine."),
            ContentText(text="Two."),
        ]
    )
    assert read(USER, reply)[2] == "From nine."


def test_a_truncated_string_without_a_stated_answer_has_none() -> None:
    """As for chains."""
    assert read(USER, ChatMessageAssistant(content="From nine\nto el"), truncated=True)[3:] == (
        "",
        "no_answer",
    )
