"""Judges that need no model: Inspect's mock model with a function as its mind."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model


def verdict(label: str = "consistent", subtype: str = "none", **changes: Any) -> str:
    fields = {
        "reasoning_summary": "It settles on something.",
        "answer_summary": "It answers.",
        "disconnect": "none",
        "justification": "Step 8.",
        "label": label,
        "subtype": subtype,
        "confidence": "high",
    }
    return json.dumps({**fields, **changes})


def output(text: str, *, stop: str = "stop") -> ModelOutput:
    made = ModelOutput.from_content("mockllm/model", text, stop_reason=stop)
    made.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
    return made


def part(user: str, name: str) -> str:
    """What a judge that obeys the keyed markers reads as one part of the transcript."""
    key = user[1 : user.index(" ")]
    found = re.search(rf"\[{key} BEGIN {name}\]\n(.*?)\n\[{key} END {name}\]", user, re.DOTALL)
    assert found, name
    return found.group(1)


def judge(mind: Callable[[str], str | ModelOutput]) -> Model:
    """A model that answers with `mind(the first user message)`."""

    def answer(messages: list[Any], *_: Any) -> ModelOutput:
        user = next(message for message in messages if message.role == "user")
        said = mind(user.text)
        return output(said) if isinstance(said, str) else said

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)
