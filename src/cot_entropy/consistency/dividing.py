"""How a model's response is divided into its reasoning and its answer."""

from __future__ import annotations

import re
from typing import NamedTuple

from cot_entropy.consistency.transcript import Split


class Response(NamedTuple):
    """A response divided in two, and the rule that divided it."""

    reasoning: str
    answer: str
    split: Split


THINKING: tuple[tuple[str, str], ...] = (
    (r"<think>", r"</think>"),
    (r"<thinking>", r"</thinking>"),
    (r"<thought>", r"</thought>"),
    (r"<reasoning>", r"</reasoning>"),
    (r"<seed:think>", r"</seed:think>"),
    (r"\[THINK\]", r"\[/THINK\]"),
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    (r"<\|channel>thought\b", r"<channel\|>"),
    (
        r"<\|channel\|>analysis<\|message\|>",
        r"<\|end\|>\s*<\|start\|>assistant<\|channel\|>final<\|message\|>",
    ),
)
"""Opening and closing tags: Qwen, DeepSeek and kin, Seed, Magistral, Gemma, gpt-oss."""

_UNOPENED = frozenset({r"</think>", r"\[/THINK\]", r"<\|end_of_thought\|>"})
"""Closing tags that stand alone where the chat template opened the block."""

TURN_ENDS: tuple[str, ...] = (
    "<end_of_turn>", "<turn|>", "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|return|>",
    "<|endoftext|>", "<|end_of_text|>", "<|eot|>", "<｜end▁of▁sentence｜>", "</s>", "<eos>",
)  # fmt: skip
"""What a chat template writes where a turn is over."""

_TURN_START = re.compile(
    r"<start_of_turn>\s{0,3}\w|<\|turn>\w|<\|im_start\|>\w|<\|start_header_id\|>\w|\[INST\]"
    r"|<｜User｜>|<\|user\|>"
)
_OWN_TURN = re.compile(
    r"\s*(?:<bos>|<s>)?\s*(?:<start_of_turn>model\s|<\|turn>model\s|<\|im_start\|>assistant\s)?"
)

_MARKER = re.compile(
    r"""
    \#{4}\s | \\(?:boxed|fbox)\s{0,3}\{
    | \b(?:final\s{1,3}|correct\s{1,3})?answer\s{0,3}(?:\*\*)?\s{0,3}(?:is\b|:|=)
    | \b(?:endgültige\s{1,3})?antwort\s{0,3}(?:\*\*)?\s{0,3}(?:ist\b|:|lautet\b)
    | \brespuesta\s{0,3}(?:final\s{0,3})?(?:\*\*)?\s{0,3}(?:es\b|:)
    | \bréponse\s{0,3}(?:finale\s{0,3})?(?:\*\*)?\s{0,3}(?:est\b|:)
    | \brisposta\s{0,3}(?:finale\s{0,3})?(?:\*\*)?\s{0,3}(?:è\b|:)
    | (?:最终)?答案\s{0,3}(?:是|为|:|：)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LABELLED_LINE = re.compile(
    r"""
    ^[\s*_>\#-]{0,8}(?:
        \#{4}\s
        | (?:(?:the\s)?(?:final\s|correct\s)?answer|(?:endgültige\s)?antwort|respuesta(?:\sfinal)?
            |réponse(?:\sfinale)?|risposta(?:\sfinale)?|(?:最终)?答案)
          \s?(?:\*\*)?\s?(?:\*\*)?[:：]
    )
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_CLOSERS_ONLY = re.compile(r"(?:\\end\{[a-z*]+\}|[\s\])}$*`\\.。])*+")
_SENTENCE_START = re.compile(r"(?:(?<=[.!?;])\s+|(?<=[。！？；]))")
_SENTENCES = re.compile(r"(?<=[.!?])[\"')*]{0,3}\s|[。！？\n]")
_GIVES_A_REASON = re.compile(
    r"\b(?:because|since|therefore|thus|hence|so|weil|daher|deshalb|porque|parce que|donc|perché)\b"
    r"|因为|所以|因此",
    re.IGNORECASE,
)


def split_response(text: str, *, truncated: bool = False) -> Response:
    """Divide a response into reasoning and answer; first match wins.

    Marks of the chat template around the reply are taken off.

    1. A reasoning block (`THINKING`), also without its opening tag (templates that open the block
       themselves) or its closing one (cut off: no answer). As in vLLM's reasoning parsers, the
       first closing tag ends the reasoning. An empty block divides nothing.
    2. The last line, from the sentence that states the answer (`The answer is`, `####`,
       `\\boxed{`; also German, Spanish, French, Italian and Chinese); else the last line that
       begins with such a label, and all that follows it.
    3. A response that goes on with somebody else's turn is `undivided`. A truncated one has no
       answer. One sentence that gives no reason is an answer without
       reasoning. Anything else is `undivided`: all of it is in `answer`, and nobody judges it.
    """
    text = _one_turn(text)
    for opening, closing in _TAGS:
        begin = opening.match(text)
        if begin is None and closing.pattern not in _UNOPENED:
            continue
        body = text[begin.end() :] if begin else text
        end = closing.search(body)
        if end is None and begin is None:
            continue
        if end is None:
            return Response(body.strip(), "", "think_unclosed")
        reasoning, answer = body[: end.start()].strip(), body[end.end() :].strip()
        if reasoning:
            return Response(reasoning, answer, "think_tags" if begin else "think_unopened")
        text = answer
        break
    if not text.strip():
        return Response("", "", "no_answer")
    if _TURN_START.search(text):
        return Response("", text.strip(), "undivided")
    return _stated(text) or _unmarked(text, truncated=truncated)


def _stated(text: str) -> Response | None:
    start = _last_line(text)
    last = text[start:]
    marker = _MARKER.search(last)
    if marker:
        breaks = [m.end() for m in _SENTENCE_START.finditer(last, 0, marker.start() + 1)]
        cut = start + max((b for b in breaks if b <= marker.start()), default=0)
        return Response(text[:cut].strip(), text[cut:].strip(), "marker")
    cut = -1
    for line in _LABELLED_LINE.finditer(text):
        cut = line.start()
    reasoning = text[: max(cut, 0)].strip()
    return Response(reasoning, text[cut:].strip(), "marker") if reasoning else None


def _unmarked(text: str, *, truncated: bool) -> Response:
    if truncated:
        return Response(text.strip(), "", "no_answer")
    sentences = [part for part in _SENTENCES.split(text) if re.search(r"\w", part)]
    alone = len(sentences) == 1 and not _GIVES_A_REASON.search(text)
    return Response("", text.strip(), "bare" if alone else "undivided")


_TAGS = tuple(
    (re.compile(r"\s*" + opening, re.IGNORECASE), re.compile(closing, re.IGNORECASE))
    for opening, closing in THINKING
)


def _one_turn(text: str) -> str:
    """The text without the template's marks around it."""
    end = len(text)
    while True:
        while end and text[end - 1].isspace():
            end -= 1
        mark = next((mark for mark in TURN_ENDS if text.endswith(mark, 0, end)), None)
        if mark is None:
            break
        end -= len(mark)
    begin = _OWN_TURN.match(text, 0, end)
    return text[begin.end() if begin else 0 : end]


def _last_line(text: str) -> int:
    """Where the last line begins that holds more than closing brackets."""
    end = len(text)
    while end > 0:
        start = text.rfind("\n", 0, end) + 1
        if not _CLOSERS_ONLY.fullmatch(text, start, end):
            return start
        end = start - 1
    return 0
