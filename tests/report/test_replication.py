"""The section `Did it replicate?`, and the terminal's view of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.report.reported_runs import Reported

from cot_entropy.report.figures.replication_forest import replication_forest
from cot_entropy.report.replication import notes, pair_tables, sentence
from cot_entropy.report.show import print_to_text, show_replication
from cot_entropy.stats.replication.rows import ReplicationRow, read_replication
from cot_entropy.stats.replication.table import published_table

ROOT = Path(__file__).parents[2]
PLAN = ROOT / "preregistration" / "plan.yaml"


@pytest.fixture(scope="module")
def published() -> list[ReplicationRow]:
    return published_table(PLAN)


def test_forest_has_each_study_once_and_its_prediction(published: list[ReplicationRow]) -> None:
    """GSM8K of H1: Z26, its pilot and R26, with the prediction interval beside R26 only."""
    figure = replication_forest(published)
    assert figure is not None
    lines = [row for row in figure.rows if row[0] == "H1" and row[1] == "qwen2.5-7b/gsm8k"]
    assert [row[2] for row in lines] == ["z26-full-gsm8k", "z26-pilot", "r26-gsm8k"]
    assert [row[6] is not None for row in lines] == [False, False, True]


def test_matched_pairs_come_before_pilots(published: list[ReplicationRow]) -> None:
    """H1's last columns are pairs with the pilot."""
    (first, *_) = pair_tables(published)
    assert [column.pilot for column in first.columns] == sorted(
        column.pilot for column in first.columns
    )


def test_approximations_are_marked(published: list[ReplicationRow]) -> None:
    """R26's effects carry the sign, Z26's do not."""
    (first, *_) = pair_tables(published)
    answers = first.columns[0].answers
    assert answers["replication_effect"].shown.startswith("≈ 9.6 [")
    assert answers["original_effect"].shown.startswith("11.5 [")


def test_what_was_not_printed_is_listed(published: list[ReplicationRow]) -> None:
    """R26's groups, R26's rho on MATH-500 without an original, Z26's rho without a replication."""
    text = "\n".join(notes(published))
    assert "R26 prints neither flag rate nor group accuracies" in text
    assert "only R26 prints rho_coherence" in text
    assert "only Z26 prints rho_violations" in text


def test_the_sentence_counts_pairs(published: list[ReplicationRow]) -> None:
    """Two cells on two scales."""
    assert sentence(published).endswith("in 4 of 4 matched pairs.")


def test_null_claims_never_call_silence_a_success(published: list[ReplicationRow]) -> None:
    """`not significant in both` stands without a mark."""
    (table,) = [one for one in pair_tables(published) if one.hypothesis == "H2"]
    answer = table.columns[0].answers["significance"]
    assert (answer.shown, answer.mark) == ("not significant in both", "")


def test_the_page_has_the_section_with_the_forest_first(registered: Reported) -> None:
    """Its first figure is the forest, with this run in it."""
    section = registered.html.split('<section id="replication"')[1].split("</section>")[0]
    assert section.index('id="fig-replication_forest"') < section.index("<table")
    assert "this run" in section
    assert "One answer over the cells" in section


def test_the_terminal_shows_pairs_and_pooled_lines(registered: Reported) -> None:
    """Claims, measures and the cells together."""
    rows = read_replication(registered.results / "replication.csv")
    shown = print_to_text(show_replication(rows), width=250)
    for words in ("H1: does it replicate?", "this run", "Sceptical p", "pooled effect"):
        assert words in shown


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("cot-entropy")
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
    return subprocess.run(
        [str(program), *arguments], cwd=ROOT, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def test_the_published_studies_without_a_run() -> None:
    """What the documentation says: Z26 against R26 from the papers alone."""
    found = command("replication", "--published")
    assert found.returncode == 0
    assert "z26-full-gsm8k" in found.stdout
    assert "Not rebuilt from what was printed" in found.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("replication",), "give --published"),
        (("power", "--original", "nobody"), "`nobody` is no study with a gap"),
        (("power", "--original", "r26-gsm8k"), "give --accuracy and --flag-rate"),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], message: str) -> None:
    """Exit code 2, no traceback, and what to do."""
    found = command(*arguments)
    assert found.returncode == 2
    assert message in found.stderr
    assert "Traceback" not in found.stderr
