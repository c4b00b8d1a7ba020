"""Draw the package's layers as they import each other: `python tools/layers.py`.

Each package stands one floor above the highest one that it imports; an arrow is left out where
other arrows lead there too. Writes docs/images/layers.svg; a test fails when it is not current.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from statistics import mean
from typing import Final

import grimp

PACKAGE: Final = "cot_entropy"
ROOT: Final = Path(__file__).parents[1]
FILE: Final = ROOT / "docs/images/layers.svg"

WIDTH, BOX, HEIGHT, FLOOR = 1000, 210, 34, 74
"""Pixels: the picture's width, a box's width and height, from one floor to the next."""

Imports = Mapping[str, frozenset[str]]


@cache
def imports() -> Imports:
    """What each package and module at the top imports of the others."""
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    top = graph.find_children(PACKAGE)
    for name in top:
        graph.squash_module(name)
    return {
        _short(name): frozenset(
            _short(other) for other in graph.find_modules_directly_imported_by(name) & top - {name}
        )
        for name in sorted(top)
    }


def floors(graph: Imports) -> dict[str, int]:
    """The floor of each package, from 1: the longest way down, itself included."""
    found: dict[str, int] = {}

    def floor(name: str, above: tuple[str, ...]) -> int:
        if name in above:
            raise ValueError(f"a circle of imports: {' -> '.join((*above, name))}")
        if name not in found:
            below = (floor(other, (*above, name)) for other in graph[name])
            found[name] = 1 + max(below, default=0)
        return found[name]

    for name in graph:
        floor(name, ())
    return found


def arrows(graph: Imports) -> list[tuple[str, str]]:
    """The imports to which no other imports lead, sorted."""
    below: dict[str, frozenset[str]] = {}
    for name in sorted(graph, key=floors(graph).__getitem__):
        below[name] = graph[name].union(*(below[other] for other in graph[name]))
    return sorted(
        (name, other)
        for name, others in graph.items()
        for other in others
        if not any(other in below[between] for between in others)
    )


def purpose(name: str) -> str:
    """The first sentence of a package's docstring."""
    tree = ast.parse((ROOT / "src" / PACKAGE / name / "__init__.py").read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").split(".")[0].replace("\n", " ").replace("`", "")


def picture(graph: Imports) -> str:
    """The layers as SVG, the command line on top."""
    by_floor, drawn = floors(graph), arrows(graph)
    highest = max(by_floor.values())
    place: dict[str, tuple[float, float]] = {}

    def over(name: str) -> float:
        """Where, across, the middle of what it stands on is."""
        return mean([place[b][0] for a, b in drawn if a == name] or [0])

    for number in range(1, highest + 1):
        row = [name for name in graph if by_floor[name] == number]
        for index, name in enumerate(sorted(row, key=over)):
            across = WIDTH * (index + 0.5) / len(row)
            place[name] = (across, (highest - number) * FLOOR + HEIGHT)
    lines = [
        f'<path d="M{place[a][0]:.0f} {place[a][1] + HEIGHT / 2:.0f}'
        f'L{place[b][0]:.0f} {place[b][1] - HEIGHT / 2:.0f}"/>'
        for a, b in drawn
    ]
    boxes = [
        f'<g><title>{escape(purpose(name))}</title><rect x="{x - BOX / 2:.0f}" '
        f'y="{y - HEIGHT / 2:.0f}" width="{BOX}" height="{HEIGHT}" rx="4"/>'
        f'<text x="{x:.0f}" y="{y + 5:.0f}">{name}</text></g>'
        for name, (x, y) in place.items()
    ]
    height = (highest - 1) * FLOOR + 2 * HEIGHT
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
            'aria-label="The packages in layers; arrows are imports">',
            "<style>rect{fill:#f4f6fb;stroke:#3f51b5}path{stroke:#889;fill:none}"
            "text{font:16px sans-serif;text-anchor:middle;fill:#1a237e}</style>",
            *lines,
            *boxes,
            "</svg>\n",
        ]
    )


def _short(name: str) -> str:
    return name.removeprefix(f"{PACKAGE}.")


if __name__ == "__main__":
    FILE.write_text(picture(imports()), encoding="utf-8")
