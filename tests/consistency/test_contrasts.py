from __future__ import annotations

import csv
from pathlib import Path

import pytest

from cot_entropy.consistency.contrasts import contrasts, write_contrasts
from cot_entropy.consistency.intervals import difference, wilson
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.rates import ALL
from cot_entropy.consistency.transcript import Transcript

from .labelled import judged


def several(model: str, task: str, *outcomes: tuple[str, int]) -> list[Judgement]:
    found = []
    for outcome, count in outcomes:
        for _ in range(count):
            number = len(found)
            transcript = Transcript(
                id=f"{model}/{task}/{number}", source="s", question="q", reasoning="r", answer="a",
                model=model, task=task, sample=f"{task}/{number}",
            )  # fmt: skip
            found.append(judged(transcript, outcome))
    return found


MADE = [
    *several("m1", "t1", ("consistent", 14), ("reasoning_reversal", 56)),
    *several("m2", "t1", ("consistent", 32), ("reasoning_reversal", 48)),
    *several("m1", "t2", ("consistent", 10), ("judge_error", 3)),
]


def test_models_are_compared_within_a_task_and_in_all() -> None:
    """56 of 70 against 48 of 80 in the first task; with the second, 56 of 80 against 48 of 80."""
    rows = {
        (row.first, row.second, row.task): row
        for row in contrasts(MADE)
        if (row.between, row.quantity) == ("models", "inconsistent")
    }
    assert set(rows) == {("m1", "m2", "t1"), ("m1", "m2", ALL)}
    row = rows["m1", "m2", "t1"]
    expected = difference((0.8, *wilson(56, 70)), (0.6, *wilson(48, 80)))
    assert (row.difference, row.ci_low, row.ci_high) == pytest.approx(expected)
    assert (rows["m1", "m2", ALL].n_first, rows["m1", "m2", ALL].n_second) == (80, 80)


def test_tasks_are_compared_for_a_model_and_in_all() -> None:
    """The second task has one model, so for the other nothing is compared."""
    rows = [r for r in contrasts(MADE) if (r.between, r.quantity) == ("tasks", "inconsistent")]
    assert [(r.first, r.second, r.model, r.n_second) for r in rows] == [
        ("t1", "t2", ALL, 10),
        ("t1", "t2", "m1", 10),
    ]


def test_subtypes_are_compared_in_all_per_model_and_per_task() -> None:
    """15 pairs in each of five groups; reversals against confusion, 104 and 0 of 160."""
    rows = [row for row in contrasts(MADE) if row.between == "subtypes"]
    assert len(rows) == 15 * 5
    row = next(
        r for r in rows if (r.first, r.second) == ("apparent_confusion", "reasoning_reversal")
    )
    assert (row.difference, row.n_first) == (pytest.approx(-104 / 160), 160)


def test_a_scan_of_one_model_and_task_compares_subtypes_only(tmp_path: Path) -> None:
    """And one without a decided transcript compares nothing; its table has its columns."""
    assert {row.between for row in contrasts(several("m", "t", ("consistent", 3)))} == {"subtypes"}
    write_contrasts(tmp_path / "c.csv", contrasts(several("m", "t", ("judge_error", 1))))
    assert next(csv.reader((tmp_path / "c.csv").read_text().splitlines()))[:2] == [
        "between",
        "first",
    ]
