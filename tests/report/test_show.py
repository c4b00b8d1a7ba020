"""`cot-entropy show` in a terminal."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.report.reported_runs import Reported

from cot_entropy.base.errors import DataError
from cot_entropy.report.show import print_to_text, show_question, show_verdicts
from cot_entropy.report.text import SYMBOLS
from cot_entropy.stats.read_tables import read_rows


def test_the_matrix_names_every_run_cell_and_hypothesis(scripted: Reported) -> None:
    """H1..H3 and H5 stand for cells outside the plan; the registered ones were not run."""
    shown = print_to_text(show_verdicts(scripted.results))
    for word in ("wordproblems", "algebra", "H1", "H2", "H3", "H5", "exploratory"):
        assert word in shown
    assert "not run: qwen2.5-7b/gsm8k" in shown


def test_a_hypothesis_about_other_cells_is_named_below(scripted: Reported) -> None:
    """H4 is about the distilled model, which this run has no cell of."""
    shown = print_to_text(show_verdicts(scripted.results))
    assert "H4a, H4b: about none of the cells that were run" in shown


def test_the_matrix_says_what_its_words_and_numbers_are(scripted: Reported, tmp_path: Path) -> None:
    """Each verdict word that stands in it, what the brackets hold, each estimand's unit."""
    shutil.copyfile(scripted.results / "verdicts.csv", tmp_path / "verdicts.csv")
    (tmp_path / "provenance/registration").mkdir(parents=True)
    shutil.copyfile(scripted.plan, tmp_path / "provenance/registration/plan.yaml")
    shown = print_to_text(show_verdicts(tmp_path), width=300)
    words = {row.verdict for row in read_rows(tmp_path / "verdicts.csv")} - {"not run"}
    assert all(f"{SYMBOLS[word]} {word}: " in shown for word in words)
    assert "in brackets the interval that decides" in shown
    assert "H1: accuracy(monotone) - accuracy(non-monotone), percentage points" in shown


def test_one_cell_is_shown_alone(scripted: Reported) -> None:
    shown = print_to_text(show_verdicts(scripted.results, cell="toy/algebra"))
    assert "algebra" in shown
    assert "wordproblems" not in shown
    with pytest.raises(DataError, match=r"no cell `toy/x`; there are: .*toy/algebra"):
        show_verdicts(scripted.results, cell="toy/x")


def test_a_question_is_shown_prefix_by_prefix(registered: Reported) -> None:
    """k = 0 has no unit; every prefix has its entropy."""
    shown = print_to_text(show_question(registered.results, "gsm8k-3"))
    assert "qwen2.5-7b/gsm8k gsm8k-3" in shown
    assert "The answer is" in shown


def test_markup_in_a_chain_stays_text(scripted: Reported) -> None:
    """Square brackets are rich's markup, and text from a run is never read as such."""
    shown = print_to_text(show_question(scripted.results, "algebra-0"), width=300)
    assert "<img src=x" in shown


def test_an_unknown_question_names_the_cells_searched(scripted: Reported) -> None:
    """The way out: another id."""
    with pytest.raises(DataError, match="no question `q` in toy/algebra"):
        show_question(scripted.results, "q")


def test_an_unknown_cell_names_the_known_ones(scripted: Reported) -> None:
    """A path in place of a cell reaches no file."""
    with pytest.raises(DataError, match=r"no cell `\.\./x`; there are: toy/algebra"):
        show_question(scripted.results, "algebra-0", cell="../x")


def test_a_table_without_a_verdict_is_refused(scripted: Reported, tmp_path: Path) -> None:
    """A header alone is no result."""
    header = (scripted.results / "verdicts.csv").read_text().splitlines()[0]
    (tmp_path / "verdicts.csv").write_text(header + "\n")
    with pytest.raises(DataError, match="holds no verdict"):
        show_verdicts(tmp_path)


COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?[39][0-7][;m]")


def shown_by_the_command(results: Path, **environment: str) -> str:
    code = "from cot_entropy.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "show", str(results)],
        env={**os.environ, "TERM": "xterm-256color", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_no_color_switches_colours_off(scripted: Reported, tmp_path: Path) -> None:
    """https://no-color.org: any value that is not empty, also where colours are forced."""
    rows = (scripted.results / "verdicts.csv").read_text()
    (tmp_path / "verdicts.csv").write_text(rows.replace("not assessable", "supported"))
    coloured = shown_by_the_command(tmp_path, FORCE_COLOR="1")
    plain = shown_by_the_command(tmp_path, FORCE_COLOR="1", NO_COLOR="1")
    assert COLOUR.search(coloured)
    assert not COLOUR.search(plain)
