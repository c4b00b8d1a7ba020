"""Conversations read turn by turn: what each message adds, and what is judged."""

from __future__ import annotations

from typing import Any

import pytest
from inspect_ai.event import ModelEvent
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    ContentToolUse,
    GenerateConfig,
    ModelOutput,
)
from inspect_ai.tool import ToolCall

from cot_entropy.consistency.prompt import build_prompt
from cot_entropy.consistency.rules import decide_by_rule
from cot_entropy.consistency.transcript import Transcript
from cot_entropy.consistency.turns import Origin, read_conversation

from .scripted import part

SYSTEM = ChatMessageSystem(content="Be brief.")
USER = ChatMessageUser(content="How long?")


def reply(*content: Any, calls: list[ToolCall] | None = None, id: str = "a") -> Any:
    blocks = content[0] if len(content) == 1 and isinstance(content[0], str) else list(content)
    return ChatMessageAssistant(content=blocks, tool_calls=calls, id=id)


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(id=f"call-{name}", function=name, arguments=arguments)


def thought(text: str, **more: Any) -> ContentReasoning:
    return ContentReasoning(reasoning=text, **more)


def text(words: str) -> ContentText:
    return ContentText(text=words)


def event(message: Any, stop: str = "stop") -> ModelEvent:
    output = ModelOutput.from_message(message, stop_reason=stop)
    return ModelEvent(
        model="m", input=[], tools=[], tool_choice="auto", config=GenerateConfig(), output=output
    )


def read(*messages: Any, events: tuple[Any, ...] = (), **more: str) -> list[Transcript]:
    return read_conversation(messages, events, origin=Origin(id="t", source="s"), **more)


def parts(made: Transcript) -> tuple[str, str, str, str, str]:
    return made.system_prompt, made.question, made.reasoning, made.answer, made.split


def test_reasoning_blocks_and_text_come_apart() -> None:
    """Providers that return reasoning separately need no splitting."""
    (found,) = read(SYSTEM, USER, reply(thought("From nine."), text("Two.")))
    assert parts(found) == ("Be brief.", "How long?", "From nine.", "Two.", "given")


def test_a_string_with_think_tags_is_divided() -> None:
    """Inspect does not parse tags inside a string."""
    (found,) = read(USER, reply("<think>From nine.</think>Two."))
    assert parts(found) == ("", "How long?", "From nine.", "Two.", "think_tags")


def test_a_plain_string_is_divided_as_a_chain() -> None:
    """The line that states the answer is the answer."""
    (found,) = read(USER, reply("From nine to eleven.\nThe answer is 2."))
    assert parts(found)[2:] == ("From nine to eleven.", "The answer is 2.", "marker")


def test_a_conversation_without_reply_has_no_answer() -> None:
    """A sample that failed before the model answered."""
    assert parts(read(SYSTEM, USER)[0]) == ("Be brief.", "How long?", "", "", "no_answer")


def test_an_empty_conversation_is_a_transcript_too() -> None:
    """Nothing is lost, nothing is invented."""
    assert parts(read()[0]) == ("", "", "", "", "no_answer")


def test_tool_calls_are_the_answer_of_an_agent() -> None:
    """What an agent does is what it answers."""
    message = reply("The notice is clear, so I stop.", calls=[call("stop", when="18:00")])
    (found,) = read(USER, message)
    assert parts(found)[2:] == (
        "The notice is clear, so I stop.",
        'stop({"when": "18:00"})',
        "given",
    )


@pytest.mark.parametrize("block", [{"redacted": True}, {"redacted": False}])
def test_a_summary_is_read_as_reasoning(block: dict[str, bool]) -> None:
    """Some providers encrypt the reasoning, some return its summary only."""
    words = "gAAAA" if block["redacted"] else ""
    (found,) = read(USER, reply(thought(words, summary="From nine.", **block), text("Two.")))
    assert (found.reasoning, found.answer, found.hidden) == ("From nine.", "Two.", False)


def test_encrypted_reasoning_is_hidden() -> None:
    """No verdict about what nobody can read."""
    (found,) = read(USER, reply(thought("gAAAA", redacted=True), text("The answer is 2.")))
    decision = decide_by_rule(found)
    assert decision
    assert (decision.outcome, found.reasoning) == ("reasoning_hidden", "")


@pytest.mark.parametrize(
    "message",
    [
        reply(ContentText(text="No.", refusal=True)),
        reply("I'm sorry, but I can't assist with that."),
    ],
)
def test_a_refusal_is_none_of_both(message: Any) -> None:
    """Marked by the provider, or worded as one without reasoning."""
    decision = decide_by_rule(read(USER, message)[0])
    assert decision
    assert decision.outcome == "refusal"


def test_a_filtered_reply_is_a_refusal() -> None:
    """The stop reason stands in the model's event."""
    message = reply("")
    decision = decide_by_rule(read(USER, message, events=(event(message, "content_filter"),))[0])
    assert decision
    assert decision.outcome == "refusal"


def test_server_side_tools_stand_in_the_transcript_as_others_do() -> None:
    """Call and result between reasoning and answer, for a client's tool and a provider's."""
    use = ContentToolUse(
        tool_type="code_execution", id="t1", name="python", arguments='{"code": "4+5"}', result="9"
    )
    server = read(USER, reply(thought("I compute."), use, text("The answer is 9.")))
    client = read(
        USER,
        reply(thought("I compute."), calls=[call("python", code="4+5")]),
        ChatMessageTool(content="9", tool_call_id="call-python"),
        reply("The answer is 9.", id="b"),
    )
    shape = [
        ("question", "How long?"),
        ("reasoning", "I compute."),
        ("action", 'python({"code": "4+5"})'),
        ("tool_result", "9"),
        ("answer", "The answer is 9."),
    ]
    assert [[(s.kind, s.text) for s in one[0].steps] for one in (server, client)] == [shape, shape]


def test_inspects_think_tool_is_reasoning() -> None:
    """Its call is a thought, not an action."""
    (found,) = read(
        USER, reply("", calls=[call("think", thought="From nine.")]), reply("Two.", id="b")
    )
    assert (found.reasoning, found.answer) == ("From nine.", "Two.")


def test_an_earlier_answer_is_no_reasoning_about_a_later_question() -> None:
    """Two questions, two answers: each is judged by what was thought about it, and then both."""
    whole, first, second = read(
        ChatMessageUser(content="Is 9 odd?"),
        reply(thought("No multiple of 2."), text("Yes."), id="a"),
        ChatMessageUser(content="And 8?"),
        reply(thought("Four twos."), text("No."), id="b"),
    )
    assert (first.turn, first.question, first.reasoning, first.answer) == (
        1,
        "Is 9 odd?",
        "No multiple of 2.",
        "Yes.",
    )
    assert (second.turn, second.question, second.reasoning, second.answer) == (
        2,
        "And 8?",
        "Four twos.",
        "No.",
    )
    assert (whole.turn, whole.reasoning, whole.answer) == (
        None,
        "No multiple of 2.\n\nFour twos.",
        "No.",
    )
    assert [one.references for one in (whole, first, second)] == [("a", "b"), ("a",), ("b",)]


def test_an_agents_plan_leads_to_its_answer() -> None:
    """Reasoning before a call counts for what follows, until a question is answered."""
    whole, action, answer = read(
        USER,
        reply("I look first.", calls=[call("ls")], id="a"),
        ChatMessageTool(content="a.txt", tool_call_id="call-ls"),
        reply(thought("One file."), text("a.txt"), id="b"),
    )
    assert (action.turn, action.reasoning, action.answer) == (1, "I look first.", "ls({})")
    assert (answer.turn, answer.reasoning, answer.answer) == (
        2,
        "I look first.\n\nOne file.",
        "a.txt",
    )
    assert [step.kind for step in whole.steps] == [
        "question", "reasoning", "action", "tool_result", "reasoning", "answer",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("actions", "turns"),
    [("reasoned", [1, 3]), ("all", [1, 2, 3]), ("none", []), ("rm", [2, 3]), ("ls, rm", [1, 2, 3])],
)
def test_consequential_actions_are_named(actions: str, turns: list[int]) -> None:
    """By default those that the model reasoned about; an answer always. One turn alone that is
    the last needs no judgement beside the whole's."""
    found = read(
        USER,
        reply("I look first.", calls=[call("ls")], id="a"),
        reply("", calls=[call("rm")], id="b"),
        reply("Done.", id="c"),
        actions=actions,
    )
    assert [one.turn for one in found[1:]] == turns


def test_a_nudge_does_not_end_an_exchange() -> None:
    """Agent loops say `go on` where no answer came; what was thought before still counts."""
    found = read(
        USER,
        reply("I look first.", calls=[call("ls")], id="a"),
        ChatMessageUser(content="Please proceed."),
        reply("Done.", id="b"),
    )
    assert found[-1].reasoning == "I look first."


def test_events_give_back_reasoning_that_messages_dropped() -> None:
    """Solvers strip reasoning from the messages; the model's event has it."""
    kept = reply(thought("From nine."), text("Two."))
    (found,) = read(USER, reply("Two."), events=(event(kept),))
    assert (found.reasoning, found.answer) == ("From nine.", "Two.")


@pytest.mark.parametrize(
    ("stop", "truncated"), [("max_tokens", True), ("model_length", True), ("stop", False)]
)
def test_the_last_messages_stop_reason_says_whether_it_was_cut_off(
    stop: str, truncated: bool
) -> None:
    """Also where the log gave other ids to its messages."""
    message = reply("From nine\nto el", id="new")
    (found,) = read(USER, message, events=(event(reply("From nine\nto el", id="old"), stop),))
    assert found.truncated is truncated
    assert found.split == ("no_answer" if truncated else "undivided")


def test_a_sample_with_an_error_is_one_transcript_that_says_so() -> None:
    """Half a thought and a call are not judged."""
    found = read_conversation(
        [USER, reply("I look.", calls=[call("ls")]), reply("I", calls=[call("rm")], id="b")],
        origin=Origin(id="t", source="s", error="the sandbox died"),
    )
    (decision,) = [decide_by_rule(one) for one in found]
    assert decision
    assert decision.outcome == "sample_error"


def test_the_judge_sees_turns_in_order() -> None:
    """Question, reasoning, call, result, answer, each between its own markers."""
    whole = read(
        SYSTEM,
        USER,
        reply("I look first.", calls=[call("ls")], id="a"),
        ChatMessageTool(content="a.txt", tool_call_id="call-ls"),
        reply("a.txt", id="b"),
    )[0]
    user = build_prompt(whole, max_chars=4000).user
    shown = [
        part(user, name)
        for name in (
            "SYSTEM PROMPT", "1 QUESTION", "2 REASONING", "3 ACTION", "4 TOOL RESULT", "5 ANSWER",
        )
    ]  # fmt: skip
    assert shown == ["Be brief.", "How long?", "I look first.", "ls({})", "a.txt", "a.txt"]
    assert "conversation of several turns" in user


def test_long_results_do_not_push_out_short_reasoning() -> None:
    """Parts longer than an equal share are cut, others are whole, and every cut is counted."""
    whole = read(
        USER,
        reply("I look first.", calls=[call("ls")], id="a"),
        ChatMessageTool(content="x" * 50_000, tool_call_id="call-ls"),
        reply("a.txt", id="b"),
    )[0]
    prompt = build_prompt(whole, max_chars=4000)
    assert part(prompt.user, "2 REASONING") == "I look first."
    kept = 4000 - sum(map(len, ("How long?", "I look first.", "ls({})", "a.txt")))
    assert prompt.cut.question == 50_000 - kept
    assert (prompt.cut.reasoning, prompt.cut.answer) == (0, 0)
