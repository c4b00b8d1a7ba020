"""The model card's table, from small trajectories written for the test."""

from pathlib import Path
from typing import Any

import pytest
from tools.model_card import (
    BEGIN,
    END,
    CellFigures,
    accuracy_by_stratum,
    cell_figures,
    fill,
    table,
)

from cot_entropy.base.errors import DataError
from cot_entropy.formats.run_summary import RunSummary, write_summary
from cot_entropy.formats.trajectories import write_trajectories


def summary(stage: str, *, seconds: float, attempts: int = 1) -> RunSummary:
    return RunSummary(
        stage=stage,
        questions=4,
        questions_resumed=0,
        questions_failed=0,
        attempts=attempts,
        engine_starts=attempts,
        restarts=0,
        generated_tokens=1,
        prompt_tokens_computed=1,
        prompt_tokens_reused=0,
        wall_seconds=seconds,
        start_seconds=1.0,
        busy_share=0.5,
    )


def row(identity: str, *, correct: bool, monotone: bool | None, stratum: str) -> dict[str, Any]:
    return {
        "cell": "m/d",
        "question_id": identity,
        "n_units": 1,
        "n_units_chain": 1,
        "entropies": [0.5, 0.0],
        "answers_missing": [0, 0],
        "completions_empty": [0, 0],
        "violations": None if monotone is None else int(not monotone),
        "monotone": monotone,
        "coherence": 0.5,
        "final_entropy": 0.0,
        "final_confidence": 1.0,
        "majority_answer": "1",
        "majority_tied": False,
        "correct": correct,
        "chain_answer": "1",
        "chain_correct": correct,
        "chain_tokens": 10,
        "chain_truncated": False,
        "probe_tokens": 30,
        "stratum": stratum,
    }


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    """Four questions: three right; two monotone, one not, one undefined."""
    folder = tmp_path / "m" / "d"
    probe = folder / "registered" / "registered"
    rows = [
        row("a", correct=True, monotone=True, stratum="steps=1;size=small"),
        row("b", correct=True, monotone=True, stratum="steps=1;size=large"),
        row("c", correct=True, monotone=False, stratum="steps=2;size=small"),
        row("d", correct=False, monotone=None, stratum="steps=2;size=large"),
    ]
    write_trajectories(probe / "registered" / "trajectories.parquet", rows)
    write_summary(folder / "registered" / "chains.jsonl.zst", summary("chains", seconds=6.0))
    write_summary(probe / "completions.jsonl.zst", summary("completions", seconds=14.0))
    return folder


def test_the_figures_of_a_cell(cell: Path) -> None:
    """3 of 4 right; 2 of the 3 defined shapes monotone; 40 tokens and (6 + 14) / 4 seconds each."""
    assert cell_figures(cell) == CellFigures(
        model="m",
        dataset="d",
        questions=4,
        accuracy=75.0,
        flag_rate=pytest.approx(200 / 3),
        monotone=2,
        not_monotone=1,
        tokens=40.0,
        seconds=5.0,
    )


def test_accuracy_by_part_of_the_stratum(cell: Path) -> None:
    """Two questions each; of those with two steps, one is right."""
    frame = accuracy_by_stratum(cell).set_index("part")
    assert frame.loc["steps=2", "size"] == 2
    assert frame.loc["steps=2", "mean"] == 50.0
    assert frame.loc["steps=1", "mean"] == 100.0


def test_the_table_has_one_row_per_cell(cell: Path) -> None:
    """Headings, a rule, the row."""
    lines = table([cell_figures(cell)]).splitlines()
    assert len(lines) == 3
    assert lines[2] == "| m | d | 4 | 75.0 | 66.7 | 2 / 1 | 40 | 5.00 |"


def test_a_cell_that_did_not_run_is_named(cell: Path) -> None:
    """The missing file, not a traceback."""
    (cell / "registered" / "chains.run.json").unlink()
    with pytest.raises(DataError, match=r"chains\.run\.json: no such file; run the cell first"):
        cell_figures(cell)


def test_a_continued_stage_has_no_time(cell: Path) -> None:
    """Its seconds hold work that a stop threw away."""
    chains = cell / "registered" / "chains.jsonl.zst"
    write_summary(chains, summary("chains", seconds=6.0, attempts=2))
    with pytest.raises(DataError, match="was continued"):
        cell_figures(cell)


def test_a_card_is_filled_between_its_markers(tmp_path: Path) -> None:
    """What stands around them stays."""
    card = tmp_path / "README.md"
    card.write_text(f"above\n{BEGIN}\nold\n{END}\nbelow\n")
    fill(card, "new\n")
    assert card.read_text() == f"above\n{BEGIN}\nnew\n{END}\nbelow\n"


def test_a_card_without_markers_is_left_alone(tmp_path: Path) -> None:
    """And named."""
    card = tmp_path / "README.md"
    card.write_text("no markers\n")
    with pytest.raises(DataError, match=r"README\.md: the markers of the table are missing"):
        fill(card, "new\n")
    assert card.read_text() == "no markers\n"
