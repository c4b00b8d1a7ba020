"""One transcript, one judgement: rule first, then the cache, then the judge model.

A reply that cannot be used is asked for again with the reason; after the last attempt the
transcript is a `judge_error`, a recorded outcome. An unreachable judge raises, and the scan
records it.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
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
from pydantic import BaseModel, ValidationError

from cot_entropy.base.strict import describe
from cot_entropy.consistency.cache import Reply, ReplyCache, Said, cache_key
from cot_entropy.consistency.division import Division, divide
from cot_entropy.consistency.judgement import Failure, Judgement, Verdict
from cot_entropy.consistency.prompt import Prompt, build_division, build_prompt
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


@dataclass(frozen=True)
class Spent:
    """Requests and tokens, over all replies about one transcript."""

    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    @classmethod
    def of(cls, reply: Reply[Any] | Failed) -> Spent:
        """What one reply took."""
        return cls(reply.attempts, reply.input_tokens, reply.output_tokens)

    def plus(self, other: Spent) -> Spent:
        """The sum."""
        return Spent(
            self.attempts + other.attempts,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )

    def fields(self) -> dict[str, int]:
        """As fields of a judgement."""
        return asdict(self)


def base_judgement(transcript: Transcript, *, judge: str, seed: int) -> dict[str, Any]:
    """The fields that every judgement of a transcript has."""
    return {
        "id": transcript.id,
        "source": transcript.source,
        "split": transcript.split,
        "truncated": transcript.truncated,
        "turn": transcript.turn,
        "model": transcript.model,
        "task": transcript.task,
        "sample": transcript.sample,
        "references": list(transcript.references),
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
        justification=transcript.error,
    )


def without_asking(transcript: Transcript, settings: JudgeSettings) -> Judgement | None:
    """The judgement where a rule decides and the judge is not to divide the response, else None."""
    found = ruled(transcript, judge=settings.model, seed=settings.seed)
    if found is not None and found.outcome == "undivided" and settings.split == "judge":
        return None
    return found


def first_prompt(transcript: Transcript, settings: JudgeSettings) -> Prompt:
    """What the judge is asked first: where the answer begins, or for its verdict."""
    build = build_division if transcript.split == "undivided" else build_prompt
    return build(transcript, max_chars=settings.max_chars)


async def judge_transcript(
    transcript: Transcript, *, model: Model, settings: JudgeSettings, cache: ReplyCache | None
) -> Judgement:
    """Judge one transcript; exceptions of the model's provider pass through.

    Where the judge divides, an undivided response costs a request of its own.
    """
    by_rule = without_asking(transcript, settings)
    if by_rule is not None:
        return by_rule
    judged, spent = transcript, Spent()
    if transcript.split == "undivided":
        prompt = first_prompt(transcript, settings)
        place = await _answer(prompt, Division, model, settings, cache)
        spent = Spent.of(place)
        if isinstance(place, Failed):
            return _failed(transcript, place, prompt, settings, spent)
        judged = divide(transcript, place.verdict.answer_begins)
        by_rule = ruled(judged, judge=settings.model, seed=settings.seed)
        if by_rule is not None:
            return by_rule.model_copy(
                update={"transcript_sha256": transcript.sha256(), **spent.fields()}
            )
    prompt = build_prompt(judged, max_chars=settings.max_chars)
    reply = await _answer(prompt, Verdict, model, settings, cache)
    spent = spent.plus(Spent.of(reply))
    if isinstance(reply, Failed):
        return _failed(transcript, reply, prompt, settings, spent)
    verdict = reply.verdict
    return Judgement(
        **{**_asked(transcript, prompt, settings, spent), "split": judged.split},
        outcome=verdict.label,
        subtype=None if verdict.subtype == "none" else verdict.subtype,
        confidence=verdict.confidence,
        reasoning_summary=verdict.reasoning_summary,
        answer_summary=verdict.answer_summary,
        disconnect=verdict.disconnect,
        justification=verdict.justification,
    )


def _asked(
    transcript: Transcript, prompt: Prompt, settings: JudgeSettings, spent: Spent
) -> dict[str, Any]:
    return {
        **base_judgement(transcript, judge=settings.model, seed=settings.seed),
        "decided_by": "judge",
        "cut": prompt.cut,
        "prompt_sha256": prompt.sha256(),
        **spent.fields(),
    }


def _failed(
    transcript: Transcript, failed: Failed, prompt: Prompt, settings: JudgeSettings, spent: Spent
) -> Judgement:
    return Judgement(
        **_asked(transcript, prompt, settings, spent),
        outcome="judge_error",
        failure=failed.failure,
        failure_detail=failed.detail,
    )


async def _answer(
    prompt: Prompt,
    form: type[Said],
    model: Model,
    settings: JudgeSettings,
    cache: ReplyCache | None,
) -> Reply[Said] | Failed:
    key = cache_key(prompt, settings)
    kept = cache.get(key, form) if cache else None
    if kept is not None:
        return kept
    reply = await ask(prompt, form, model=model, settings=settings)
    if cache and isinstance(reply, Reply):
        cache.put(key, reply)
    return reply


async def ask(
    prompt: Prompt, form: type[Said], *, model: Model, settings: JudgeSettings
) -> Reply[Said] | Failed:
    """Ask until a reply can be used, at most `settings.attempts` times."""
    messages = [ChatMessageSystem(content=prompt.system), ChatMessageUser(content=prompt.user)]
    conversation = messages
    failure: Failure = "malformed"
    detail = ""
    max_tokens = settings.max_tokens
    tokens_in = tokens_out = 0
    for attempt in range(1, settings.attempts + 1):
        output = await model.generate(conversation, config=_config(settings, form, max_tokens))
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
            verdict = parse_reply(text, form)
            if not isinstance(verdict, str):
                return Reply[form](  # type: ignore[valid-type]
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


def parse_reply(text: str, form: type[Said]) -> Said | str:
    """The verdict (or division) in a reply, or what is wrong with it.

    A `<think>` block before it and one code fence around it are taken off; anything else around
    the JSON object makes the reply unusable.
    """
    body = text.rpartition("</think>")[2].strip()
    fenced = _FENCED.match(body)
    try:
        return form.model_validate_json(fenced.group(1) if fenced else body)
    except ValidationError as error:
        return describe(error)[:DETAIL_CHARS]


def _config(settings: JudgeSettings, form: type[BaseModel], max_tokens: int) -> GenerateConfig:
    return GenerateConfig(
        temperature=settings.temperature,
        seed=settings.seed,
        max_tokens=max_tokens,
        max_retries=settings.max_retries,
        timeout=settings.timeout,
        max_connections=settings.connections,
        **_reply_schema(settings, form),
    )


def _reply_schema(settings: JudgeSettings, form: type[BaseModel]) -> dict[str, Any]:
    """The reply's JSON schema, where the provider looks for it.

    Inspect takes length bounds out of a response schema, because most providers refuse them; a
    bounded one is sent in vLLM's own parameter.
    """
    schema = json_schema(form)
    if settings.field_chars is None:
        named = ResponseSchema(
            name=f"consistency_{form.__name__.lower()}", json_schema=schema, strict=True
        )
        return {"response_schema": named}
    for field in (schema.properties or {}).values():
        if field.type == "string" and field.enum is None:
            field.maxLength = settings.field_chars
    bounded = schema.model_dump(exclude_none=True)
    return {"extra_body": {"structured_outputs": {"json": bounded}}}
