from __future__ import annotations

from pathlib import Path

import pytest

from cot_entropy.base.errors import DataError
from cot_entropy.consistency.cache import Reply, ReplyCache
from cot_entropy.consistency.judgement import Verdict

from .scripted import verdict

KEY = "ab" * 32


def reply() -> Reply[Verdict]:
    return Reply(
        verdict=Verdict.model_validate_json(verdict()), attempts=1, input_tokens=5, output_tokens=6
    )


def test_what_was_put_is_got(tmp_path: Path) -> None:
    """A reply survives the file unchanged."""
    cache = ReplyCache(tmp_path)
    cache.put(KEY, reply())
    assert cache.get(KEY, Verdict) == reply()


def test_an_unknown_key_is_none(tmp_path: Path) -> None:
    """Nothing there is not an error."""
    assert ReplyCache(tmp_path).get(KEY, Verdict) is None


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b'{"verdict": null}'])
def test_a_broken_file_is_named(tmp_path: Path, content: bytes) -> None:
    """A damaged cache is never taken for a verdict."""
    cache = ReplyCache(tmp_path)
    cache.put(KEY, reply())
    cache.path(KEY).write_bytes(content)
    with pytest.raises(DataError, match=f"{KEY}.json: not a stored judge reply"):
        cache.get(KEY, Verdict)
