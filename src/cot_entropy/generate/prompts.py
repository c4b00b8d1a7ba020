"""From a question to prompt token ids, by the model's own tokenizer and chat template.

The template decides everything, the beginning-of-text token included: its rendering is tokenised
without adding special tokens, so none is doubled. Only local files are read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from jinja2 import TemplateError
from transformers import PreTrainedTokenizerFast

from cot_entropy.base.errors import ModelError
from cot_entropy.generate.decoding import encode_after

SystemRole = Literal["native", "merged"]

TEMPLATE_DATE: Final = datetime(2024, 7, 26, tzinfo=UTC)
"""What templates that print today's date are told (Llama 3.1's own default)."""

OPENED_THINKING: Final = re.compile(r"<think>\s*$")
PROBE: Final = "probe question"


class ChatTokenizer:
    """The tokenizer of one model, for one system prompt."""

    def __init__(self, folder: Path, system_prompt: str) -> None:
        """Load from a local folder; raises ModelError without tokenizer or chat template."""
        try:
            self._tokenizer: Any = PreTrainedTokenizerFast.from_pretrained(
                str(folder), local_files_only=True, trust_remote_code=False
            )
        except (OSError, ValueError, KeyError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ModelError(f"{folder}: no usable tokenizer ({reason})") from None
        if not self._tokenizer.is_fast:
            raise ModelError(f"{folder}: tokenizer.json is missing (a fast tokenizer is needed)")
        template = self._tokenizer.chat_template
        if not (template.get("default") if isinstance(template, dict) else template):
            raise ModelError(
                f"{folder}: no chat template; use an instruction-tuned model, or add its "
                "chat_template.jinja to the folder"
            )
        self._folder = folder
        self._system = system_prompt
        self._backend = self._tokenizer.backend_tokenizer
        self.system_role: SystemRole = self._find_system_role()
        found = OPENED_THINKING.search(self._render(PROBE))
        self.response_start: str = found.group() if found else ""

    def prompt(self, question: str) -> list[int]:
        """The token ids of the chat that asks `question`, up to where the response begins."""
        return self._encode(self._render(question))

    def decode(self, ids: Sequence[int]) -> str:
        """The text of tokens, special ones included."""
        text: str = self._backend.decode(list(ids), skip_special_tokens=False)
        return text

    def encode_after(self, text: str) -> list[int]:
        """The tokens of text that follows other text (no word-start mark is put before it)."""
        return encode_after(self._encode, text)

    def _encode(self, text: str) -> list[int]:
        ids: list[int] = self._backend.encode(text, add_special_tokens=False).ids
        return ids

    def _render(self, question: str, role: SystemRole | None = None) -> str:
        if (role or self.system_role) == "native":
            turns = [
                {"role": "system", "content": self._system},
                {"role": "user", "content": question},
            ]
        else:
            turns = [{"role": "user", "content": f"{self._system}\n\n{question}"}]
        rendered: str = self._tokenizer.apply_chat_template(
            turns,
            tokenize=False,
            add_generation_prompt=True,
            strftime_now=TEMPLATE_DATE.strftime,
        )
        return rendered

    def _find_system_role(self) -> SystemRole:
        """Native if the template prints a system turn; merged if it refuses or drops it."""
        problem = "it drops the question"
        for role in ("native", "merged"):
            try:
                rendered = self._render(PROBE, role)
            except TemplateError as error:
                problem = str(error)
                continue
            if self._system.strip() in rendered and PROBE in rendered:
                return role
        raise ModelError(f"{self._folder}: the chat template cannot be used: {problem}")
