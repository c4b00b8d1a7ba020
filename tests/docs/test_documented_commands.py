"""Every command of README and documentation is run here, or says visibly why it cannot be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.docs.fences import REASONED, ROOT, Block, blocks, commands, pages
from tests.docs.workshop import Workshop, clone, finish

LANGUAGES = {"bash", "json", "python", "text", "yaml"}
LIKE_A_COMMAND = re.compile(
    r"^\s*(\$ )?(cot-entropy|snakemake|make|python|pip|conda|git|inspect|scout) "
)
GENERATED = ROOT / "docs/reference/command-line.md"
TUTORIAL = ROOT / "docs/tutorial.md"
WRITTEN = [page for page in pages() if page not in (GENERATED, TUTORIAL)]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_block_says_what_it_is(page: Path) -> None:
    """A command cannot hide in an indented block or in one of another language."""
    found = blocks(page)
    assert [str(block) for block in found if block.language not in LANGUAGES] == []
    hidden = [
        f"{block}: {line}"
        for block in found
        for line in block.text.splitlines()
        if block.language != "bash" and LIKE_A_COMMAND.match(line)
    ]
    assert hidden == []


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_what_is_not_run_says_why(page: Path) -> None:
    unexplained = [
        str(block) for block in commands(page) if block.kind in REASONED and not block.why
    ]
    assert unexplained == []


def test_a_comment_that_is_no_mark_is_refused(tmp_path: Path) -> None:
    """A misspelt mark must not switch a test off."""
    page = tmp_path / "page.md"
    page.write_text("<!-- not runn: later -->\n```bash\nfalse\n```\n")
    with pytest.raises(ValueError, match="no mark"):
        blocks(page)


def test_a_block_that_fails_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("text\n\n```bash\ntrue\nfalse | cat\n```\n")
    assert len(failures(Workshop(tmp_path), commands(page))) == 1


def dry(block: Block) -> str:
    """The block with -n added to each command; raises ValueError where one is no snakemake."""
    lines = block.text.replace("\\\n", " ").splitlines()
    if not all(line.startswith("snakemake ") for line in lines):
        raise ValueError(f"{block}: only snakemake has a dry run")
    return "\n".join(f"{line.split('  #')[0]} -n" for line in lines)


def failures(workshop: Workshop, found: list[Block]) -> list[str]:
    """What failed, with the end of its output."""
    failed = []
    for block in found:
        done = workshop.bash(dry(block) if block.kind == "dry run" else block.text)
        if done.returncode != 0:
            failed.append(f"{block} ended with {done.returncode}:\n{done.stdout[-2000:]}")
    return failed


def of_kind(page: Path, *kinds: str) -> list[Block]:
    return [block for block in commands(page) if block.kind in kinds]


def run_pages(found: list[Path], tmp_path: Path) -> list[str]:
    """Run the blocks of each page, each page in a project of its own."""
    fresh = clone(tmp_path / "fresh")
    failed = []
    for number, page in enumerate(found):
        todo = of_kind(page, "dry run", "in a fresh clone")
        failed += failures(fresh.copy(tmp_path / f"fresh{number}"), todo) if todo else []
    finished = finish(fresh)
    for number, page in enumerate(found):
        todo = of_kind(page, "")
        failed += failures(finished.copy(tmp_path / f"finished{number}"), todo) if todo else []
    return failed


@pytest.mark.full
def test_the_commands_of_readme_and_pages_end_with_0(tmp_path: Path) -> None:
    """As they stand, on a small run of the scripted engine; the tutorial has a test of its own."""
    assert "\n".join(run_pages(WRITTEN, tmp_path)) == ""


@pytest.mark.full
def test_the_example_of_every_verb_ends_with_0(tmp_path: Path) -> None:
    """The same examples that `--help` prints."""
    assert "\n".join(run_pages([GENERATED], tmp_path)) == ""
