"""Inspect logs, made by real evaluations of the mock model, through both entries of the scanner."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import Tool, ToolCall, tool
from inspect_scout import scan, scan_results_df, transcripts_from

from cot_entropy.base.errors import DataError
from cot_entropy.consistency.conversations import read_inspect_logs
from cot_entropy.consistency.importing import read_source
from cot_entropy.consistency.scan import scan_transcripts
from cot_entropy.consistency.scanner import NAME, reasoning_consistency
from cot_entropy.consistency.settings import JudgeSettings

from .scripted import judge, output, verdict


@tool
def look() -> Tool:
    async def execute(where: str) -> str:
        """Look somewhere.

        Args:
            where: The place.
        """
        return f"nothing in {where}"

    return execute


def mock(*replies: Any) -> Any:
    return get_model("mockllm/model", custom_outputs=list(replies), memoize=False)


def run(folder: Path, name: str, samples: Sequence[Sample], model: Any, **more: Any) -> None:
    solver = [use_tools(look()), generate()] if more.pop("tools", False) else [generate()]
    eval(
        Task(dataset=list(samples), name=name, solver=solver, **more),
        model=model,
        log_dir=str(folder),
        display="none",
        max_samples=1,
        fail_on_error=False,
    )


def said(*content: Any, call: dict[str, str] | None = None) -> ModelOutput:
    calls = [ToolCall(id="1", function="look", arguments=call)] if call else None
    message = ChatMessageAssistant(content=list(content), tool_calls=calls)
    made = ModelOutput.from_message(message, stop_reason="tool_calls" if call else "stop")
    made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return made


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Plain text in two epochs, an agent with a tool, a chat, a cut-off reply, a refusal."""
    folder = tmp_path_factory.mktemp("logs")
    plain = "The notice is clear, so I stop.\nThe answer is: I stop."
    run(
        folder,
        "plain",
        [Sample(id=n, input="Stop?") for n in (1, 2, 10)],
        mock(*[output(plain), output("Yes"), output("I think\nof it", stop="max_tokens")] * 2),
        epochs=Epochs(2),
    )
    run(
        folder,
        "agent",
        [Sample(id="box", input="What is in the box?")],
        mock(
            said(ContentText(text="I look first."), call={"where": "box"}),
            said(ContentReasoning(reasoning="It is empty."), ContentText(text="Nothing.")),
        ),
        tools=True,
    )
    chat = [
        ChatMessageSystem(content="Be brief."),
        ChatMessageUser(content="Is 9 odd?"),
        ChatMessageAssistant(content="<think>No multiple of 2.</think>Yes."),
        ChatMessageUser(content="And 8?"),
    ]
    run(folder, "chat", [Sample(id="c", input=chat)], mock(output("<think>4 x 2.</think>No.")))
    run(
        folder,
        "other",
        [Sample(id=n, input="Help?") for n in range(2)],
        mock(
            output("I'm sorry, but I can't help with that."),
            said(ContentReasoning(reasoning="gAA", redacted=True), ContentText(text="So: no.")),
        ),
    )
    return folder


def mind(user: str) -> str:
    return verdict("inconsistent", "reasoning_reversal") if "Nothing." in user else verdict()


@pytest.fixture(scope="module")
def both(
    logs: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """What `consistency scan` and Scout's own scan say of the same logs, by id and turn."""
    folder = tmp_path_factory.mktemp("both")
    ours = scan_transcripts(
        read_source(logs),
        folder=folder,
        settings=JudgeSettings(model="mockllm/model"),
        model=judge(mind),
    )
    status = scan(
        {NAME: reasoning_consistency()},
        transcripts=transcripts_from(str(logs)),
        scans=str(folder / "scouts"),
        model=judge(mind),
        max_processes=1,
        display="none",
    )
    frame = scan_results_df(status.location).scanners[NAME]
    theirs = [
        one
        for metadata in frame["metadata"]
        for value in [json.loads(metadata)]
        for one in [value["judgement"], *value["turns"]]
    ]
    return (
        {(one.id, one.turn): one.model_dump(mode="json") for one in ours},
        {(one["id"], one["turn"]): one for one in theirs},
    )


def test_both_entries_give_the_same_judgements(both: tuple[dict[Any, Any], dict[Any, Any]]) -> None:
    """Result by result, every field: ids, epochs, turns, truncation, outcome, hashes."""
    assert both[0] == both[1]


def test_every_kind_of_sample_is_judged_as_what_it_is(
    both: tuple[dict[Any, Any], dict[Any, Any]],
) -> None:
    """13 wholes and the single turns of agent and chat."""
    found = {
        (id.rsplit("/", 1)[0], turn): one["subtype"] or one["outcome"]
        for (id, turn), one in both[0].items()
    }
    assert found == {
        **{(f"plain/1/{epoch}", None): "consistent" for epoch in (1, 2)},
        **{(f"plain/2/{epoch}", None): "no_reasoning_recorded" for epoch in (1, 2)},
        **{(f"plain/10/{epoch}", None): "not_applicable" for epoch in (1, 2)},
        ("agent/box/1", None): "reasoning_reversal",
        ("agent/box/1", 1): "consistent",
        ("agent/box/1", 2): "reasoning_reversal",
        ("chat/c/1", None): "consistent",
        ("chat/c/1", 1): "consistent",
        ("chat/c/1", 2): "consistent",
        ("other/0/1", None): "refusal",
        ("other/1/1", None): "reasoning_hidden",
    }


def test_only_the_cut_off_reply_is_truncated(both: tuple[dict[Any, Any], dict[Any, Any]]) -> None:
    """Scout gives an empty string as the limit of a sample that met none."""
    cut = {id.rsplit("/", 2)[0] for (id, _), one in both[0].items() if one["truncated"]}
    assert cut == {"plain/10"}


def test_epochs_of_a_sample_have_ids_of_their_own_and_one_sample(logs: Path) -> None:
    """In the order of numbers, not of letters."""
    found = [one for one in read_inspect_logs(logs) if one.task == "plain"]
    assert [one.sample for one in found] == [f"plain/{n}" for n in (1, 1, 2, 2, 10, 10)]
    assert len({one.id for one in found}) == 6
    assert {one.model for one in found} == {"mockllm/model"}


def test_references_lead_to_messages(logs: Path) -> None:
    """The ids that Scout's viewer highlights are those of the log's own messages."""
    turn = next(one for one in read_inspect_logs(logs) if one.task == "agent" and one.turn == 1)
    (action,) = [step for step in turn.steps if step.kind == "action"]
    assert action.message
    assert turn.references == (action.message,)


def broken(*_: Any) -> Any:
    raise RuntimeError("the provider went away")


def test_a_sample_with_an_error_is_read_as_one(tmp_path: Path) -> None:
    """It says what happened and stays out of every rate."""
    run(tmp_path, "safety", [Sample(id="s1", input="Stop?")], mock_error())
    (found,) = read_inspect_logs(tmp_path)
    assert "the provider went away" in found.error


def test_a_log_of_errors_alone_is_refused(tmp_path: Path) -> None:
    """In one line, with the first sample and its error."""
    run(tmp_path, "safety", [Sample(id="s1", input="Stop?")], mock_error())
    with pytest.raises(
        DataError, match=r"all 1 samples ended in an error .*safety/s1.*went away"
    ) as error:
        read_source(tmp_path)
    assert "\n" not in str(error.value)


def mock_error() -> Any:
    return get_model("mockllm/model", custom_outputs=broken, memoize=False)
