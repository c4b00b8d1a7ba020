"""From token ids to text, exactly: where each token's text ends, and what a continuation adds.

Decoding one token by itself is wrong twice over: a character can be spread over several tokens
(byte-level BPE, byte fallback), and a tokenizer that marks word starts (SentencePiece) drops the
space of whatever token comes first. So every piece of text here is the difference between two
decodings that start at the same token.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

Decode = Callable[[Sequence[int]], str]
"""Token ids to text, special tokens kept."""
Encode = Callable[[str], list[int]]
"""Text to token ids, none added."""

CONTEXT_TOKENS: Final = 8
UTF8_BYTES: Final = 4
INCOMPLETE: Final = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a response and, per token, its length up to and with that token."""

    text: str
    token_ends: list[int]
    """A token that ends in the middle of a character ends where the last whole one does."""


def decode_response(decode: Decode, prompt: Sequence[int], response: Sequence[int]) -> Decoded:
    """The text that `response` adds after `prompt`, and where each token ends in it."""
    start, done = _context(decode, prompt)
    ids = [*prompt[start:], *response]
    start, done = 0, done - start
    pieces: list[str] = []
    length = 0
    ends = []
    for stop in range(len(ids) - len(response) + 1, len(ids) + 1):
        piece = _difference(decode, ids, start, done, stop)
        if stop == len(ids) or not piece.endswith(INCOMPLETE):
            pieces.append(piece)
            length += len(piece)
            start, done = done, stop
        ends.append(length)
    return Decoded("".join(pieces), ends)


def continuation_text(decode: Decode, before: Sequence[int], response: Sequence[int]) -> str:
    """The text that `response` adds after the tokens `before`.

    A character that `before` began and `response` completes belongs to the response.
    """
    start, done = _context(decode, before)
    ids = [*before[start:], *response]
    return _difference(decode, ids, 0, done - start, len(ids))


def encode_after(encode: Encode, text: str) -> list[int]:
    """The tokens of text that follows other text (no word-start mark is put before it)."""
    before = encode(".")
    both = encode("." + text)
    if both[: len(before)] == before:
        return both[len(before) :]
    return encode(text)


def _context(decode: Decode, ids: Sequence[int]) -> tuple[int, int]:
    """Where the last few tokens start, and where they end, in whole characters.

    Byte fallback turns a run of bytes that is broken anywhere into nothing but replacement
    characters, so both ends are moved back, by at most the three tokens that a character of four
    bytes can miss.
    """
    for done in range(len(ids), max(-1, len(ids) - UTF8_BYTES), -1):
        first = max(0, done - CONTEXT_TOKENS)
        for start in range(first, max(-1, first - UTF8_BYTES), -1):
            text = decode(ids[start:done])
            if not text.startswith(INCOMPLETE) and not text.endswith(INCOMPLETE):
                return start, done
    return max(0, len(ids) - CONTEXT_TOKENS), len(ids)


def _difference(decode: Decode, ids: Sequence[int], start: int, done: int, stop: int) -> str:
    """What ids[done:stop] add to the text of ids[start:done]."""
    before = decode(ids[start:done])
    after = decode(ids[start:stop])
    if after.startswith(before):
        return after[len(before) :]
    return decode(ids[done:stop])
