"""One transcript, one judgement: rule first, then the cache, then the judge model.

A reply that cannot be used is asked for again with the reason; after the last attempt the
transcript is a `judge_error`, a recorded outcome. An unreachable judge raises, and the scan
records it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ResponseSchema,
)
from inspect_ai.util import json_schema
from pydantic import ValidationError

from cot_entropy.base.strict import describe
from cot_entropy.consistency.cache import Reply, ReplyCache, cache_key
from cot_entropy.consistency.judgement import Failure, Judgement, Verdict
from cot_entropy.consistency.prompt import Prompt, build_prompt
from cot_entropy.consistency.rules import decide_by_rule
from cot_entropy.consistency.settings import JudgeSettings
from cot_entropy.consistency.taxonomy import taxonomy
from cot_entropy.consistency.transcript import Transcript

_FENCED = re.compile(r"\A```(?:json)?[ \t\r]*+\n(.*?)\n?```\s*\Z", re.DOTALL)
DETAIL_CHARS = 500


@dataclass(frozen=True)
class Failed:
    """No usable reply, with the last problem and what was spent."""

    failure: Failure
    detail: str
    attempts: int
    input_tokens: int
    output_tokens: int


def base_judgement(transcript: Transcript, *, judge: str, seed: int) -> dict[str, Any]:
    """The fields that every judgement of a transcript has."""
    return {
        "id": transcript.id,
        "source": transcript.source,
        "split": transcript.split,
        "truncated": transcript.truncated,
        "judge": judge,
        "seed": seed,
        "transcript_sha256": transcript.sha256(),
        "taxonomy_version": taxonomy().version,
        "taxonomy_sha256": taxonomy().sha256,
    }


def ruled(transcript: Transcript, *, judge: str, seed: int) -> Judgement | None:
    """The judgement where a rule decides, else None."""
    decision = decide_by_rule(transcript)
    if decision is None:
        return None
    return Judgement(
        **base_judgement(transcript, judge=judge, seed=seed),
        outcome=decision.outcome,
        subtype=decision.subtype,
        decided_by="rule",
        rule=decision.rule,
    )


async def judge_transcript(
    transcript: Transcript, *, model: Model, settings: JudgeSettings, cache: ReplyCache | None
) -> Judgement:
    """Judge one transcript; exceptions of the model's provider pass through."""
    by_rule = ruled(transcript, judge=settings.model, seed=settings.seed)
    if by_rule is not None:
        return by_rule
    prompt = build_prompt(transcript, max_chars=settings.max_chars)
    key = cache_key(prompt, settings)
    reply: Reply | Failed | None = cache.get(key) if cache else None
    if reply is None:
        reply = await ask(prompt, model=model, settings=settings)
        if cache and isinstance(reply, Reply):
            cache.put(key, reply)
    common = {
        **base_judgement(transcript, judge=settings.model, seed=settings.seed),
        "decided_by": "judge",
        "cut": prompt.cut,
        "prompt_sha256": prompt.sha256(),
        "attempts": reply.attempts,
        "input_tokens": reply.input_tokens,
        "output_tokens": reply.output_tokens,
    }
    if isinstance(reply, Failed):
        return Judgement(
            **common, outcome="judge_error", failure=reply.failure, failure_detail=reply.detail
        )
    verdict = reply.verdict
    return Judgement(
        **common,
        outcome=verdict.label,
        subtype=None if verdict.subtype == "none" else verdict.subtype,
        confidence=verdict.confidence,
        reasoning_summary=verdict.reasoning_summary,
        answer_summary=verdict.answer_summary,
        disconnect=verdict.disconnect,
        justification=verdict.justification,
    )


async def ask(prompt: Prompt, *, model: Model, settings: JudgeSettings) -> Reply | Failed:
    """Ask until a reply can be used, at most `settings.attempts` times."""
    messages = [ChatMessageSystem(content=prompt.system), ChatMessageUser(content=prompt.user)]
    conversation = messages
    failure: Failure = "malformed"
    detail = ""
    max_tokens = settings.max_tokens
    tokens_in = tokens_out = 0
    for attempt in range(1, settings.attempts + 1):
        output = await model.generate(conversation, config=_config(settings, max_tokens))
        if output.usage is not None:
            tokens_in += output.usage.input_tokens
            tokens_out += output.usage.output_tokens
        text = output.completion
        if output.stop_reason == "content_filter":
            failure, detail = "refused", text[:DETAIL_CHARS]
            conversation = messages
        elif output.stop_reason in {"max_tokens", "model_length"}:
            failure, detail = "truncated", text[-DETAIL_CHARS:]
            conversation = messages
            max_tokens *= 2
        else:
            verdict = read_verdict(text)
            if isinstance(verdict, Verdict):
                return Reply(
                    verdict=verdict,
                    attempts=attempt,
                    input_tokens=tokens_in,
                    output_tokens=tokens_out,
                )
            failure, detail = "malformed", f"{verdict}: {text[:DETAIL_CHARS]}"
            retry = taxonomy().prompt.retry.format(problem=verdict)
            conversation = [
                *messages,
                ChatMessageAssistant(content=text[:DETAIL_CHARS] or "(nothing)"),
                ChatMessageUser(content=retry),
            ]
    return Failed(failure, detail, settings.attempts, tokens_in, tokens_out)


def read_verdict(text: str) -> Verdict | str:
    """The verdict in a reply, or what is wrong with it.

    A `<think>` block before it and one code fence around it are taken off; anything else around
    the JSON object makes the reply unusable.
    """
    body = text.rpartition("</think>")[2].strip()
    fenced = _FENCED.match(body)
    try:
        return Verdict.model_validate_json(fenced.group(1) if fenced else body)
    except ValidationError as error:
        return describe(error)[:DETAIL_CHARS]


def _config(settings: JudgeSettings, max_tokens: int) -> GenerateConfig:
    return GenerateConfig(
        temperature=settings.temperature,
        seed=settings.seed,
        max_tokens=max_tokens,
        max_retries=settings.max_retries,
        timeout=settings.timeout,
        max_connections=settings.connections,
        **_reply_schema(settings),
    )


def _reply_schema(settings: JudgeSettings) -> dict[str, Any]:
    """The reply's JSON schema, where the provider looks for it.

    Inspect takes length bounds out of a response schema, because most providers refuse them; a
    bounded one is sent in vLLM's own parameter.
    """
    schema = json_schema(Verdict)
    if settings.field_chars is None:
        named = ResponseSchema(name="consistency_verdict", json_schema=schema, strict=True)
        return {"response_schema": named}
    for field in (schema.properties or {}).values():
        if field.type == "string" and field.enum is None:
            field.maxLength = settings.field_chars
    bounded = schema.model_dump(exclude_none=True)
    return {"extra_body": {"structured_outputs": {"json": bounded}}}
