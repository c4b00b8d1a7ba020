from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import Model, ModelOutput, get_model
from inspect_ai.util import json_schema

from cot_entropy.consistency.cache import ReplyCache
from cot_entropy.consistency.judge import judge_transcript, parse_reply
from cot_entropy.consistency.judgement import Judgement, Verdict
from cot_entropy.consistency.settings import JudgeSettings
from cot_entropy.consistency.taxonomy import taxonomy
from cot_entropy.consistency.transcript import Transcript

from .endpoint import endpoint
from .scripted import output, verdict

SETTINGS = JudgeSettings(model="mockllm/model", attempts=3, max_tokens=200)
TRANSCRIPT = Transcript(
    id="t", source="s", question="How long?", reasoning="From nine to eleven.", answer="Two hours."
)


class Script:
    """Replies in order, and what was asked each time."""

    def __init__(self, *replies: str | ModelOutput) -> None:
        self.replies: Iterator[str | ModelOutput] = iter(replies)
        self.asked: list[list[Any]] = []
        self.configs: list[Any] = []

    def __call__(self, messages: list[Any], _tools: Any, _choice: Any, config: Any) -> ModelOutput:
        self.asked.append(messages)
        self.configs.append(config)
        reply = next(self.replies)
        return output(reply) if isinstance(reply, str) else reply

    def model(self) -> Model:
        return get_model("mockllm/model", custom_outputs=self, memoize=False)


def run(
    script: Script,
    *,
    transcript: Transcript = TRANSCRIPT,
    cache: ReplyCache | None = None,
    settings: JudgeSettings = SETTINGS,
) -> Judgement:
    return asyncio.run(
        judge_transcript(transcript, model=script.model(), settings=settings, cache=cache)
    )


def test_a_verdict_becomes_a_judgement() -> None:
    """Label, subtype, confidence and the written fields are kept."""
    found = run(
        Script(
            verdict("inconsistent", "reasoning_reversal", confidence="low", disconnect="It flips.")
        )
    )
    assert (found.outcome, found.subtype, found.confidence, found.disconnect) == (
        "inconsistent",
        "reasoning_reversal",
        "low",
        "It flips.",
    )
    assert (found.decided_by, found.attempts, found.input_tokens, found.output_tokens) == (
        "judge",
        1,
        100,
        10,
    )


def test_results_carry_the_instruments_hash() -> None:
    """A result without its taxonomy could not be compared."""
    found = run(Script(verdict()))
    assert (found.taxonomy_version, found.taxonomy_sha256) == (
        taxonomy().version,
        taxonomy().sha256,
    )


def test_the_request_is_deterministic_and_has_the_schema() -> None:
    """Temperature 0, the seed, and the reply's JSON schema with its own field names."""
    script = Script(verdict())
    run(script, settings=SETTINGS.model_copy(update={"seed": 11}))
    config = script.configs[0]
    assert (config.temperature, config.seed, config.max_tokens) == (0.0, 11, 200)
    assert set(config.response_schema.json_schema.properties) == set(Verdict.model_fields)


def test_the_schema_enumerates_every_subtype_and_none() -> None:
    """Guided decoding can only produce known subtypes."""
    schema = json_schema(Verdict)
    assert schema.properties["subtype"].enum == [
        "absent_reasoning",
        "contradictory_reasoning",
        "apparent_confusion",
        "reasoning_reversal",
        "reasoning_abandonment",
        "perfunctory_reasoning",
        "none",
    ]


def test_free_texts_are_bounded_on_the_wire() -> None:
    """The four texts and nothing else, in the request that a vLLM server gets."""
    settings = SETTINGS.model_copy(update={"field_chars": 160})
    with endpoint(lambda body: verdict()) as served:
        model = get_model("openai-api/local/judge", base_url=served.url, api_key="k", memoize=False)
        asyncio.run(judge_transcript(TRANSCRIPT, model=model, settings=settings, cache=None))
    sent = served.requests[0]["structured_outputs"]["json"]["properties"]
    assert {name: field["maxLength"] for name, field in sent.items() if "maxLength" in field} == {
        "reasoning_summary": 160,
        "answer_summary": 160,
        "disconnect": 160,
        "justification": 160,
    }
    assert "response_format" not in served.requests[0]


def test_a_rule_asks_nobody() -> None:
    """Step 1 costs no request."""
    script = Script()
    found = run(script, transcript=TRANSCRIPT.model_copy(update={"answer": ""}))
    assert (found.outcome, found.decided_by, found.rule) == (
        "not_applicable",
        "rule",
        "empty_answer",
    )
    assert script.asked == []


def test_malformed_output_is_retried_with_the_reason() -> None:
    """At temperature 0 the same request would fail the same way."""
    script = Script("I think it is consistent.", verdict())
    found = run(script)
    assert (found.outcome, found.attempts, found.input_tokens) == ("consistent", 2, 200)
    assert [message.role for message in script.asked[1]] == ["system", "user", "assistant", "user"]
    assert "could not be used" in script.asked[1][-1].text


def test_malformed_to_the_end_is_a_judge_error_with_the_text() -> None:
    """The fourth outcome keeps what the judge said."""
    found = run(Script("no", "no json", "still none"))
    assert (found.outcome, found.failure, found.attempts) == ("judge_error", "malformed", 3)
    assert "still none" in found.failure_detail
    assert found.subtype is None


def test_truncated_output_is_retried_with_more_room() -> None:
    """Each truncated reply doubles the budget."""
    script = Script(
        output('{"reasoning', stop="max_tokens"), output('{"reas', stop="max_tokens"), verdict()
    )
    assert run(script).outcome == "consistent"
    assert [config.max_tokens for config in script.configs] == [200, 400, 800]


def test_truncated_to_the_end_is_a_judge_error() -> None:
    """Also where the cut-off text happens to be valid JSON."""
    cut = output(verdict(), stop="max_tokens")
    assert run(Script(cut, cut, cut)).failure == "truncated"


def test_refused_to_the_end_is_a_judge_error() -> None:
    """A content filter is no verdict."""
    refusal = output("", stop="content_filter")
    found = run(Script(refusal, refusal, refusal))
    assert (found.outcome, found.failure) == ("judge_error", "refused")


def test_a_refusal_in_prose_is_malformed() -> None:
    """It is not a verdict, whatever it says."""
    no = "I'm sorry, I can't help with that."
    assert run(Script(no, no, no)).failure == "malformed"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (verdict("consistent", "reasoning_reversal"), "does not go with"),
        (verdict("inconsistent", "none"), "does not go with"),
        (verdict("maybe"), "label"),
        (verdict("inconsistent", "reversal"), "subtype"),
        (verdict(extra=1), "extra"),
        ('{"label": "consistent"}', "reasoning_summary"),
        ("[]", "object"),
        ("", "JSON"),
        (verdict() + verdict(), "JSON"),
        ("My verdict: " + verdict(), "JSON"),
        (verdict(label=1), "label"),
    ],
)
def test_unusable_replies_say_what_is_wrong(text: str, problem: str) -> None:
    """The problem goes back to the judge and into the record."""
    found = parse_reply(text, Verdict)
    assert isinstance(found, str)
    assert problem in found


@pytest.mark.parametrize(
    "text", ["```json\n{}\n```", "<think>\nmaybe {\n</think>\n{}", "\n {} \n", "```\n{}\n```"]
)
def test_a_fence_or_a_think_block_around_the_object_is_taken_off(text: str) -> None:
    """Common wrappers that leave no doubt which object is the reply."""
    assert isinstance(parse_reply(text.replace("{}", verdict()), Verdict), Verdict)


def test_the_same_content_is_asked_once(tmp_path: Path) -> None:
    """A second run reads the reply from the cache and gives the same judgement."""
    cache = ReplyCache(tmp_path)
    first = run(Script(verdict()), cache=cache)
    nobody = Script()
    assert run(nobody, cache=cache) == first
    assert nobody.asked == []


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"temperature": 0.5},
        {"model": "other/judge"},
        {"max_tokens": 300},
        {"attempts": 2},
    ],
)
def test_what_changes_a_reply_changes_the_key(tmp_path: Path, change: dict[str, Any]) -> None:
    """Another seed, judge or budget asks again."""
    cache = ReplyCache(tmp_path)
    run(Script(verdict()), cache=cache)
    again = Script(verdict())
    run(again, cache=cache, settings=SETTINGS.model_copy(update=change))
    assert len(again.asked) == 1


def test_connections_do_not_change_the_key(tmp_path: Path) -> None:
    """How many requests run at a time is no part of a reply."""
    cache = ReplyCache(tmp_path)
    run(Script(verdict()), cache=cache)
    again = Script()
    run(again, cache=cache, settings=SETTINGS.model_copy(update={"connections": 1}))
    assert again.asked == []


def test_failures_are_not_cached(tmp_path: Path) -> None:
    """A judge that has recovered is asked again."""
    cache = ReplyCache(tmp_path)
    run(Script("x", "x", "x"), cache=cache)
    assert run(Script(verdict()), cache=cache).outcome == "consistent"
