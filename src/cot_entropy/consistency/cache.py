"""Judge replies by content: a scan that was stopped continues, a repeated one asks nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Generic, TypeVar

import rfc8785
from pydantic import BaseModel, ValidationError

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import write_text
from cot_entropy.base.strict import Strict, describe
from cot_entropy.consistency.prompt import Prompt
from cot_entropy.consistency.settings import JudgeSettings

Said = TypeVar("Said", bound=BaseModel)


class Reply(Strict, Generic[Said]):
    """A usable reply, the attempts it took and the judge's tokens over all of them."""

    verdict: Said
    attempts: int
    input_tokens: int
    output_tokens: int


def cache_key(prompt: Prompt, settings: JudgeSettings) -> str:
    """sha256 of the prompt and of every setting that can change the reply."""
    parts: dict[str, str | int | float] = {
        "prompt": prompt.sha256(),
        "model": settings.model,
        "temperature": settings.temperature,
        "seed": settings.seed,
        "max_tokens": settings.max_tokens,
        "attempts": settings.attempts,
        "field_chars": settings.field_chars or 0,
    }
    return hashlib.sha256(rfc8785.dumps({**parts})).hexdigest()


class ReplyCache:
    """A folder with one JSON file per usable reply; failures are never kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, key: str) -> Path:
        """The file of a key, spread over 256 folders."""
        return self.folder / key[:2] / f"{key}.json"

    def has(self, key: str) -> bool:
        """Whether a reply is kept."""
        return self.path(key).is_file()

    def get(self, key: str, form: type[Said]) -> Reply[Said] | None:
        """The reply of this form, or None.

        Raises DataError naming the file where it is not readable.
        """
        path = self.path(key)
        if not path.is_file():
            return None
        try:
            return Reply[form].model_validate_json(path.read_bytes())  # type: ignore[valid-type]
        except ValidationError as error:
            raise DataError(
                f"{path}: not a stored judge reply ({describe(error)}); delete it"
            ) from None

    def put(self, key: str, reply: Reply[Said]) -> None:
        """Keep a reply, whole or not at all."""
        write_text(self.path(key), reply.model_dump_json())
