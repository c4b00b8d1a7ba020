"""Rows of a dataset on the Hugging Face hub."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import httpx
from datasets import load_dataset
from datasets.exceptions import DatasetsError
from huggingface_hub.utils import logging as hub_logging

from cot_entropy.base.errors import DataError


def hub_rows(
    *, path: str, name: str | None, split: str, revision: str | None, where: str
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one split, in order (`datasets.load_dataset`).

    Five retries of the library bound the wait for a hub that cannot be reached to about half a
    minute. Raises DataError in one line that says which token or which local file would help.
    """
    verbosity = hub_logging.get_verbosity()
    hub_logging.set_verbosity(logging.ERROR)  # its retries are not the user's to read
    try:
        loaded = load_dataset(path, name, split=split, revision=revision)
    except (OSError, DatasetsError, ValueError, RuntimeError, httpx.HTTPError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise DataError(
            f"{where}: {reason}; set HF_TOKEN to a token with access, connect to the hub, or "
            "save its records as JSON lines and name them with `source: local`"
        ) from error
    finally:
        hub_logging.set_verbosity(verbosity)
    yield from loaded
