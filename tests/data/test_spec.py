"""What a configuration may say about a dataset."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from cot_entropy.data.job import DatasetSpec
from cot_entropy.data.sources.embedded import EmbeddedDataset
from cot_entropy.data.sources.hub import HubDataset
from cot_entropy.data.sources.local import LocalDataset

ADAPTER: TypeAdapter[Any] = TypeAdapter(DatasetSpec)
WORDS = {"source": "embedded", "name": "wordproblems", "answer": "number", "questions": 10}
LOCAL = {"source": "local", "path": "q.jsonl", "answer": "math", "sha256": "a" * 64}
HUB = {
    "source": "hub",
    "id": "openai/gsm8k",
    "name": "main",
    "answer": "number",
    "revision": "e" * 40,
    "sha256": "a" * 64,
}


@pytest.mark.parametrize(
    ("values", "kind"), [(WORDS, EmbeddedDataset), (LOCAL, LocalDataset), (HUB, HubDataset)]
)
def test_the_source_decides_the_kind(values: dict[str, Any], kind: type) -> None:
    """One key tells the three apart."""
    assert isinstance(ADAPTER.validate_python(values), kind)


def test_lists_from_yaml_are_taken() -> None:
    """YAML has no tuples."""
    spec = ADAPTER.validate_python(WORDS | {"steps": [1, 2], "sizes": ["small"]})
    assert (spec.steps, spec.sizes) == ((1, 2), ("small",))


@pytest.mark.parametrize(
    ("values", "change", "message"),
    [
        (WORDS, {"colour": 1}, "Extra inputs"),
        (WORDS, {"questions": "10"}, "valid integer"),
        (WORDS, {"questions": 0}, "greater than 0"),
        (WORDS, {"questions": None}, "generated without end"),
        (WORDS, {"steps": [6]}, "go up to 5"),
        (WORDS | {"name": "latex"}, {"steps": [4]}, "go up to 3"),
        (WORDS, {"steps": []}, "at least 1 item"),
        (WORDS, {"steps": ["1"]}, "valid integer"),
        (WORDS, {"sizes": ["huge"]}, "'small' or 'large'"),
        (WORDS, {"name": "algebra", "seed": 1}, "takes no `seed`"),
        (WORDS, {"answer": "text"}, "'number' or 'math'"),
        (LOCAL, {"sha256": "abc"}, "match pattern"),
        (LOCAL, {"path": "{a}.jsonl"}, "match pattern"),
        (HUB, {"revision": "main"}, "match pattern"),
        (HUB, {"id": "../folder"}, "match pattern"),
        (HUB, {"source": "url"}, "does not match any of the expected tags"),
    ],
)
def test_what_is_not_declared_is_refused(
    values: dict[str, Any], change: dict[str, Any], message: str
) -> None:
    """Unknown keys, wrong types, unpinned revisions, and settings that a generator lacks."""
    with pytest.raises(ValidationError, match=message):
        ADAPTER.validate_python(values | change)


@pytest.mark.parametrize("values", [LOCAL, HUB])
def test_a_hash_is_required_of_data_from_outside(values: dict[str, Any]) -> None:
    """Only what this package carries may go unchecked."""
    with pytest.raises(ValidationError, match="sha256"):
        ADAPTER.validate_python({key: item for key, item in values.items() if key != "sha256"})
