"""The page that the tables are written into, and what they say of the machine."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from cot_entropy.base.files import write_text
from cot_entropy.engine.identity import engine_identity
from cot_entropy.protocol.engine import EngineSettings

PAGE: Final = Path("docs/benchmarks.md")


def put(section: str, text: str) -> None:
    """Replace one section of the page between its markers."""
    begin, end = f"<!-- {section} -->\n", f"<!-- end of {section} -->\n"
    page = PAGE.read_text("utf-8")
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{PAGE}: the markers of `{section}` are missing")
    write_text(PAGE, before + begin + text + end + after)


def machine(settings: EngineSettings) -> str:
    """The kind of machine and the versions, no name."""
    known = engine_identity(settings)
    return (
        f"{known.device}; vLLM {known.version}, torch {known.torch}, transformers "
        f"{known.transformers}"
    )
