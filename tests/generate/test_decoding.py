"""Text of token ids, for byte-level and SentencePiece tokenizers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.generation import byte_level_tokenizer, sentencepiece_tokenizer
from tokenizers import Tokenizer

from cot_entropy.generate.decoding import Decode, continuation_text, decode_response

BYTE_LEVEL = byte_level_tokenizer()
SENTENCEPIECE = sentencepiece_tokenizer()
TEXT = "naïve 你好 🙂 end.\n\nThe answer is 3."


def decoder(tokenizer: Tokenizer) -> Decode:
    def decode(ids: Sequence[int]) -> str:
        return str(tokenizer.decode(list(ids), skip_special_tokens=False))

    return decode


def encode(tokenizer: Tokenizer, text: str) -> list[int]:
    return list(tokenizer.encode(text, add_special_tokens=False).ids)


@pytest.mark.parametrize("tokenizer", [BYTE_LEVEL, SENTENCEPIECE], ids=["bytes", "pieces"])
def test_token_ends_add_up_to_the_text(tokenizer: Tokenizer) -> None:
    """The text after a prompt is exact, and grows to its full length token by token."""
    prompt = encode(tokenizer, "How many?")
    both = encode(tokenizer, "How many?" + TEXT)
    assert both[: len(prompt)] == prompt
    decoded = decode_response(decoder(tokenizer), prompt, both[len(prompt) :])
    assert decoded.text == TEXT
    assert decoded.token_ends == sorted(decoded.token_ends)
    assert decoded.token_ends[-1] == len(TEXT)
    assert len(decoded.token_ends) == len(both) - len(prompt)


def test_a_split_character_ends_with_its_last_token() -> None:
    """Byte tokens of one character: the first ones add nothing, the last adds the character."""
    ids = encode(BYTE_LEVEL, "🙃")
    assert len(ids) > 1
    decoded = decode_response(decoder(BYTE_LEVEL), encode(BYTE_LEVEL, "a"), ids)
    assert decoded.text == "🙃"
    assert decoded.token_ends == [0] * (len(ids) - 1) + [1]


def test_a_word_start_keeps_its_space() -> None:
    """A SentencePiece response that begins with a word-start mark begins with a space."""
    prompt = encode(SENTENCEPIECE, "The")
    answer = SENTENCEPIECE.token_to_id("▁answer")
    decode = decoder(SENTENCEPIECE)
    assert decode([answer]) == "answer"
    assert decode_response(decode, prompt, [answer]).text == " answer"
    assert continuation_text(decode, prompt, [answer]) == " answer"


def test_a_continuation_completes_the_character_before_it() -> None:
    """A prefix that ends inside a character holds none of it; the completion holds it whole."""
    ids = encode(BYTE_LEVEL, "a🙃b")
    decode = decoder(BYTE_LEVEL)
    prefix, rest = ids[:-2], ids[-2:]
    assert continuation_text(decode, prefix, rest) == "🙃b"


def test_bytes_that_are_no_text_show_as_replacement() -> None:
    """A response cut inside a character ends with the replacement character."""
    ids = encode(BYTE_LEVEL, "a🙃")[:-1]
    decoded = decode_response(decoder(BYTE_LEVEL), [], ids)
    assert decoded.text == decoder(BYTE_LEVEL)(ids)
    assert decoded.token_ends[-1] == len(decoded.text)


def test_bytes_after_whole_bytes_do_not_destroy_them() -> None:
    """Byte fallback decodes a run of bytes at once; a broken end does not take back its start."""
    byte = SENTENCEPIECE.token_to_id
    whole = [byte(f"<0x{value:02X}>") for value in "你".encode()]
    broken = [byte("<0xE5>"), byte("<0xA5>")]
    decoded = decode_response(decoder(SENTENCEPIECE), byte_prompt(), [*whole, *broken, byte("a")])
    assert decoded.text.startswith("你")
    assert decoded.text.endswith("a")
    assert decoded.token_ends[len(whole) - 1] == 1


def byte_prompt() -> list[int]:
    return encode(SENTENCEPIECE, "The ")


CHARACTERS = st.sampled_from("a \n.é你🙂\x80") | st.characters(
    codec="utf-8", exclude_characters="\ufffd"
)


@pytest.mark.parametrize("tokenizer", [BYTE_LEVEL, SENTENCEPIECE], ids=["bytes", "pieces"])
@settings(max_examples=60, deadline=None)
@given(
    prompt=st.text(CHARACTERS, max_size=6),
    response=st.text(CHARACTERS, max_size=12),
)
def test_prefix_and_continuation_give_the_whole(
    tokenizer: Tokenizer, prompt: str, response: str
) -> None:
    """Text up to a cut, plus what follows it, is the text of all tokens, wherever the cut is."""
    decode = decoder(tokenizer)
    before = encode(tokenizer, "x" + prompt)
    ids = encode(tokenizer, "x" + response)[len(encode(tokenizer, "x")) :]
    whole = decode_response(decode, before, ids)
    for cut in range(len(ids)):
        head = whole.text[: whole.token_ends[cut - 1]] if cut else ""
        assert head + continuation_text(decode, [*before, *ids[:cut]], ids[cut:]) == whole.text
    assert whole.text == response
