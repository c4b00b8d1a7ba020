"""The tutorial, followed to the letter."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.fences import Block
from tests.docs.follow_tutorial import follow, script

ROOT = Path(__file__).parents[2]


def block(text: str) -> Block:
    return Block("page.md", 1, "bash", text, "", "")


def test_blocks_share_one_shell() -> None:
    """What one block sets, `source` included, the next one has."""
    made = script([block("name=Ann\n"), block('echo "hello $name"\n')])
    done = subprocess.run(["bash", "-c", made], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "hello Ann"


def test_the_first_failing_command_ends_it() -> None:
    made = script([block("false | cat\n"), block("echo reached\n")])
    done = subprocess.run(["bash", "-c", made], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "reached" not in done.stdout


@pytest.mark.full
@pytest.mark.engine
def test_the_tutorial_works_in_a_fresh_clone(tmp_path: Path) -> None:
    """Every command, on the real engine; the demo asks 4 questions per dataset instead of 280."""
    folder = tmp_path / "clone"
    command = [sys.executable, "-m", "tests.docs.follow_tutorial"]
    command += ["--folder", str(folder), "--environment", str(Path(sys.executable).parents[1])]
    done = subprocess.run([*command, "--demo-questions", "4"], cwd=ROOT, check=False)
    assert done.returncode == 0
    with (folder / "results/mine/verdicts.csv").open(newline="") as stream:
        judged = [row for row in csv.DictReader(stream) if row["cell"] == "smollm2-135m-demo/mine"]
    assert {row["verdict"] for row in judged} == {"not assessable"}
    assert {row["id"] for row in judged} >= {"H1", "H2", "H3", "H5"}
    assert (folder / "results/demo/report.html").is_file()


def test_a_clone_without_an_environment_of_its_own_is_told_the_given_one(tmp_path: Path) -> None:
    """The page's first block is left out; its `.venv` is there all the same."""
    (tmp_path / "docs").mkdir()
    page = "<!-- setup -->\n```bash\nexit 3\n```\n\n```bash\ntest -x .venv/bin/python\n```\n"
    (tmp_path / "docs/tutorial.md").write_text(page)
    assert follow(tmp_path, environment=Path(sys.executable).parents[1]) == 0
