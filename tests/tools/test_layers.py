"""The package's layers: what may import what, how many floors there are, and their picture."""

import ast
import re
import tomllib
from pathlib import Path

import pytest
from tools.layers import FILE, arrows, floors, imports, picture

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/cot_entropy"
EVERYTHING = "every layer below it"


def layers() -> list[list[str]]:
    """The contract's layers, top first."""
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    return [
        [name.strip() for name in layer.split("|")] for layer in linter["contracts"][0]["layers"]
    ]


def below(package: str) -> set[str]:
    number = next(index for index, layer in enumerate(layers()) if package in layer)
    return {name for layer in layers()[number + 1 :] for name in layer}


def allowed(package: str) -> set[str]:
    """What a package's docstring says that it may import."""
    text = ast.get_docstring(ast.parse((SOURCE / package / "__init__.py").read_text())) or ""
    (sentence,) = re.findall(r"May import ([^.]+)\.", text.replace("\n", " "))
    named = set(re.findall(r"`(\w+)`", sentence))
    return below(package) if EVERYTHING in sentence else named


def test_nothing_stands_at_the_top_but_the_face() -> None:
    assert {path.name for path in SOURCE.glob("*.py")} == {"__init__.py"}


def test_there_are_at_most_eleven_floors() -> None:
    """The longest import path over packages and modules at the top, both ends counted."""
    assert max(floors(imports()).values()) <= 11


def test_every_package_has_its_layer() -> None:
    assert sorted(name for layer in layers() for name in layer) == sorted(imports())


@pytest.mark.parametrize("package", sorted(imports()))
def test_a_package_imports_what_its_docstring_allows(package: str) -> None:
    """And the docstring allows nothing that the contract of the layers forbids."""
    assert imports()[package] <= allowed(package)
    assert allowed(package) <= below(package)


def test_floors_are_counted_along_the_longest_way() -> None:
    graph = {"a": frozenset("bc"), "b": frozenset("c"), "c": frozenset(), "d": frozenset()}
    assert floors(graph) == {"a": 3, "b": 2, "c": 1, "d": 1}
    assert arrows(graph) == [("a", "b"), ("b", "c")]


def test_a_circle_is_no_layer() -> None:
    with pytest.raises(ValueError, match="circle"):
        floors({"a": frozenset("b"), "b": frozenset("a")})


def test_the_picture_is_current() -> None:
    """`python tools/layers.py` writes it."""
    assert FILE.read_text(encoding="utf-8") == picture(imports())
