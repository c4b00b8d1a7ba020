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


def test_every_key_of_the_study_has_a_meaning() -> None:
    schema = json.loads(pages()["study.schema.json"])
    named = [key for key, value in schema["properties"].items() if value.get("description")]
    described_by_type = {"engine", "models", "datasets"}
    assert set(named) | described_by_type == set(schema["properties"])
