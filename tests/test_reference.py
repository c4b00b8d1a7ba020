"""The generated reference pages are those that the models give now."""

import json
from pathlib import Path

import pytest

from cot_entropy.reference import FOLDER, pages

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", pages())
def test_a_generated_page_is_current(name: str) -> None:
    """Run `python -m cot_entropy.reference` after changing a model."""
    assert (ROOT / FOLDER / name).read_text(encoding="utf-8") == pages()[name]


@pytest.mark.parametrize("name", ["study.schema.json", "protocols.schema.json"])
def test_every_key_has_a_meaning(name: str) -> None:
    schema = json.loads(pages()[name])
    models = {"the file": schema, **schema["$defs"]}
    bare = [
        f"{model}.{key}"
        for model, definition in models.items()
        for key, value in definition.get("properties", {}).items()
        if not value.get("description") and key != "source"
    ]
    assert bare == []
