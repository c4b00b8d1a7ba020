"""The recipes of the how-to pages, as files to add: what each page's Python blocks are, in order."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.docs.fences import ROOT, blocks

RECIPES: Final = {
    "change-the-segmentation.md": ["generate/segmentation/sentences.py"],
    "add-a-signal.md": ["stats/signals/first_fall.py"],
    "add-an-extraction-rule.md": ["answers/extraction/last_line.py"],
    "add-an-estimator.md": ["plan/entries/hardest.py", "stats/estimators/hardest.py"],
    "add-a-model-or-dataset.md": ["data/sources/table.py"],
}


def follow(page: str, package: Path) -> None:
    """Add the files of one page to a copy of the package, as the page says."""
    path = ROOT / "docs/howto" / page
    found = [block.text for block in blocks(path) if block.language == "python"]
    for name, text in zip(RECIPES[page], found, strict=True):
        assert f"`src/cot_entropy/{name}`" in path.read_text(encoding="utf-8"), name
        assert not (package / name).exists()
        (package / name).write_text(text, encoding="utf-8")
