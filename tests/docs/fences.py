"""The fenced blocks of the documentation, as the tests run them.

A block whose language is `bash` holds commands. The HTML comment right above it may say how it is
tested; without one, a test runs it as it stands in a project with finished runs:

    <!-- not run: why -->          nobody runs it
    <!-- dry run: why -->          snakemake's -n is added to each line
    <!-- in a fresh clone -->      a test runs it where nothing has been run yet
    <!-- setup -->                 the tutorial's: makes the environment that a test has already
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt

ROOT: Final = Path(__file__).parents[2]
MARK: Final = re.compile(
    r"<!-- (?P<kind>not run|dry run|in a fresh clone|setup)(: (?P<why>.+))? -->"
)
REASONED: Final = ("not run", "dry run")


@dataclass(frozen=True)
class Block:
    """A fenced or indented block: where it stands, its language, its text, and its mark."""

    page: str
    line: int
    language: str
    text: str
    kind: str
    why: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[Path]:
    """README, contributing guide, and every page of the documentation."""
    top = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    return [*top, *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> list[Block]:
    """The blocks of one page; raises ValueError on a comment that is no mark."""
    name = page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else page.name
    found: list[Block] = []
    comment = ""
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type in {"fence", "code_block"} and token.map:
            kind, why = _mark(comment, name)
            line = token.map[0] + 1
            found.append(Block(name, line, token.info.strip(), token.content, kind, why))
        comment = token.content.strip() if token.type == "html_block" else ""
    return found


def commands(page: Path) -> list[Block]:
    """The blocks of one page that hold commands."""
    return [block for block in blocks(page) if block.language == "bash"]


def _mark(comment: str, page: str) -> tuple[str, str]:
    if not comment:
        return "", ""
    mark = MARK.fullmatch(comment)
    if mark is None:
        raise ValueError(f"{page}: {comment}: stands above a block and is no mark of it")
    return mark["kind"], mark["why"] or ""
