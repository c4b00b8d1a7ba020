"""Chat prompts through tokenizer templates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.generation import (
    CHATML,
    DROPPING,
    REFUSING,
    THINKING,
    byte_level_tokenizer,
    model_folder,
    sentencepiece_tokenizer,
)

from cot_entropy.base.errors import ModelError
from cot_entropy.generate.prompts import ChatTokenizer

SYSTEM = "Solve the problem step by step."


def chat(tmp_path: Path, template: str | None) -> ChatTokenizer:
    return ChatTokenizer(model_folder(tmp_path / "model", template=template), SYSTEM)


def test_system_turn_is_native_where_the_template_has_one(tmp_path: Path) -> None:
    """ChatML prints a system turn of its own."""
    tokenizer = chat(tmp_path, CHATML)
    assert tokenizer.system_role == "native"
    assert tokenizer.decode(tokenizer.prompt("2+2?")) == (
        f"<|im_start|>system\n{SYSTEM}<|im_end|>\n<|im_start|>user\n2+2?<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def test_special_tokens_of_the_template_are_one_token_each(tmp_path: Path) -> None:
    """The template's markers become their own ids, not pieces of text."""
    tokenizer = chat(tmp_path, CHATML)
    start = byte_level_tokenizer().token_to_id("<|im_start|>")
    assert tokenizer.prompt("2+2?").count(start) == 3


@pytest.mark.parametrize("template", [REFUSING, DROPPING], ids=["refusing", "dropping"])
def test_system_prompt_is_merged_where_the_template_has_no_system_turn(
    tmp_path: Path, template: str
) -> None:
    """A template that refuses or silently drops a system turn gets it in the user turn."""
    tokenizer = chat(tmp_path, template)
    assert tokenizer.system_role == "merged"
    assert f"[INST] {SYSTEM}\n\n2+2? [/INST]" in tokenizer.decode(tokenizer.prompt("2+2?"))


def test_beginning_of_text_is_not_doubled(tmp_path: Path) -> None:
    """A tokenizer that adds <s> by itself does not add it to a template that prints it."""
    from tokenizers.processors import TemplateProcessing  # noqa: PLC0415

    backend = byte_level_tokenizer()
    start = backend.token_to_id("<s>")
    backend.post_processor = TemplateProcessing(single="<s> $A", special_tokens=[("<s>", start)])
    folder = model_folder(tmp_path / "model", template=REFUSING, tokenizer=backend)
    ids = ChatTokenizer(folder, SYSTEM).prompt("2+2?")
    assert ids[0] == start
    assert ids.count(start) == 1


def test_opened_thinking_is_recorded(tmp_path: Path) -> None:
    """A template that opens the reasoning itself is named as the response's start."""
    assert chat(tmp_path, THINKING).response_start == "<think>\n"


def test_no_response_start_without_opened_thinking(tmp_path: Path) -> None:
    """Templates that end with the assistant's turn open nothing."""
    assert chat(tmp_path, CHATML).response_start == ""


def test_missing_chat_template_is_one_clear_line(tmp_path: Path) -> None:
    """A base model's folder says what is missing."""
    with pytest.raises(ModelError, match=r"model: no chat template"):
        chat(tmp_path, None)


def test_missing_tokenizer_is_a_model_error(tmp_path: Path) -> None:
    """An empty folder is no model."""
    with pytest.raises(ModelError, match="no usable tokenizer"):
        ChatTokenizer(tmp_path, SYSTEM)


def test_broken_template_is_a_model_error(tmp_path: Path) -> None:
    """A template that cannot be parsed is reported, not raised through."""
    with pytest.raises(ModelError, match="chat template cannot be used"):
        chat(tmp_path, "{% for %}")


def test_template_does_not_see_today(tmp_path: Path) -> None:
    """A template that prints the date gives the same prompt every day."""
    dated = "{{ strftime_now('%d %b %Y') }} " + CHATML
    tokenizer = chat(tmp_path, dated)
    assert tokenizer.decode(tokenizer.prompt("2+2?")).startswith("26 Jul 2024 ")


def test_cue_follows_byte_level_text(tmp_path: Path) -> None:
    """A cue after a prefix decodes to itself."""
    tokenizer = chat(tmp_path, CHATML)
    assert tokenizer.decode(tokenizer.encode_after("\n\nFinal answer:")) == "\n\nFinal answer:"


def test_cue_follows_sentencepiece_text_without_a_space(tmp_path: Path) -> None:
    """No word-start mark slips in before the cue."""
    folder = model_folder(tmp_path / "model", tokenizer=sentencepiece_tokenizer())
    tokenizer = ChatTokenizer(folder, SYSTEM)
    before = tokenizer.prompt("x")
    ids = tokenizer.encode_after("\nThe answer")
    assert tokenizer.decode([*before, *ids]).endswith("\n\nThe answer")
    assert json.loads((folder / "config.json").read_text())["model_type"] == "llama"
