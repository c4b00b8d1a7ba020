"""The generated reference pages are those that the models give now."""

import json
import re
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from cot_entropy.cli import app
from cot_entropy.consistency.cli import app as consistency
from cot_entropy.formats.trajectories import SCHEMA
from cot_entropy.reference import FOLDER, pages
from cot_entropy.reference.formats import attribute_docstrings
from cot_entropy.stats.rows import VariantEstimate
from cot_entropy.stats.tables import ESTIMATE_COLUMNS, VARIANT_COLUMNS, VERDICT_COLUMNS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", pages())
def test_a_generated_page_is_current(name: str) -> None:
    """Run `python -m cot_entropy.reference` after changing a model."""
    assert (ROOT / FOLDER / name).read_text(encoding="utf-8") == pages()[name]


@pytest.mark.parametrize("name", ["study.schema.json", "protocols.schema.json", "plan.schema.json"])
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


def verbs(application: typer.Typer) -> list[str]:
    return list(get_command(application).commands)


def test_every_verb_has_a_section_with_an_example() -> None:
    """`cot-entropy consistency` is a group: its verbs have theirs."""
    parts = re.split(r"^## ", pages()["command-line.md"], flags=re.MULTILINE)
    sections = dict(part.split("\n", 1) for part in parts[1:])
    expected = {f"cot-entropy {verb}" for verb in verbs(app) if verb != "consistency"}
    expected |= {f"cot-entropy consistency {verb}" for verb in verbs(consistency)}
    assert expected <= sections.keys()
    assert [name for name in expected if "```bash\n" not in sections[name]] == []


@pytest.mark.parametrize("column", sorted({*VERDICT_COLUMNS, *ESTIMATE_COLUMNS, *VARIANT_COLUMNS}))
def test_every_column_of_a_table_of_estimates_has_a_meaning(column: str) -> None:
    row = rf"^\| `{column}` \| [^|]*(\\\|[^|]*)* \| [^|]{{3,}} \|$"
    assert re.search(row, pages()["formats.md"], re.MULTILINE)


def test_the_formats_page_names_every_column_of_the_trajectories() -> None:
    found = set(re.findall(r"^\| `(\w+)` \|", pages()["formats.md"], re.MULTILINE))
    assert set(SCHEMA.names) <= found


def test_docstrings_below_attributes_are_found_in_the_bases_too() -> None:
    notes = attribute_docstrings(VariantEstimate)
    assert notes["variant"] == "The protocol."
    assert notes["p_value"] == "Before adjustment."
