from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.rates import (
    JudgeAccuracy,
    corrected,
    rates,
    rogan_gladen,
    wilson,
    write_rates,
)
from cot_entropy.consistency.taxonomy import not_faithfulness
from cot_entropy.consistency.transcript import Transcript

from .labelled import judged

GOOD = JudgeAccuracy(found=90, inconsistent=100, cleared=80, consistent=100)


def some(*outcomes: tuple[str, int]) -> list[Judgement]:
    made = []
    for outcome, count in outcomes:
        for _ in range(count):
            transcript = Transcript(
                id=f"q{len(made)}", source="cell", question="q", reasoning="r", answer="a"
            )
            made.append(judged(transcript, outcome))
    return made


def test_wilson_is_the_published_interval() -> None:
    """Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662; 0 of 20 gives 0 to 0.1611."""
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)


def test_rogan_gladen_by_hand() -> None:
    """(0.41 + 0.8 - 1) / (0.9 + 0.8 - 1) = 0.21 / 0.7 = 0.3."""
    assert rogan_gladen(0.41, sensitivity=0.9, specificity=0.8) == pytest.approx(0.3)


def test_rogan_gladen_inverts_the_error() -> None:
    """A true share of 0.25 is observed as 0.25 Se + 0.75 (1 - Sp)."""
    observed = 0.25 * 0.7 + 0.75 * (1 - 0.85)
    assert rogan_gladen(observed, sensitivity=0.7, specificity=0.85) == pytest.approx(0.25)


@pytest.mark.parametrize(("observed", "true"), [(0.05, 0.0), (0.99, 1.0)])
def test_rogan_gladen_stays_a_share(observed: float, true: float) -> None:
    """Fewer positives than the false ones alone would give means none."""
    assert rogan_gladen(observed, sensitivity=0.9, specificity=0.8) == true


def test_a_perfect_judge_corrects_nothing() -> None:
    """With Se = Sp = 1 on many items the corrected rate is the raw one."""
    sure = JudgeAccuracy(found=100_000, inconsistent=100_000, cleared=100_000, consistent=100_000)
    row = corrected(30, 100, accuracy=sure, source="s", judge="j")
    assert row.rate == pytest.approx(0.3)
    assert (row.ci_low, row.ci_high) == pytest.approx(wilson(30, 100), abs=0.01)


def test_a_small_benchmark_widens_the_interval() -> None:
    """The uncertainty of sensitivity and specificity is carried through."""
    small = JudgeAccuracy(found=9, inconsistent=10, cleared=8, consistent=10)
    wide, narrow = (corrected(410, 1000, accuracy=a, source="s", judge="j") for a in (small, GOOD))
    assert wide.rate == narrow.rate == pytest.approx(0.3)
    assert wide.ci_high is not None
    assert wide.ci_low is not None
    assert narrow.ci_high is not None
    assert narrow.ci_low is not None
    assert wide.ci_high - wide.ci_low > 1.5 * (narrow.ci_high - narrow.ci_low)


def test_the_interval_covers_the_true_share() -> None:
    """300 simulated benchmarks and fields at 0.3, Se 0.9, Sp 0.8: coverage at least 0.95 less 3 standard errors."""
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(300):
        accuracy = JudgeAccuracy(
            found=int(rng.binomial(40, 0.9)),
            inconsistent=40,
            cleared=int(rng.binomial(40, 0.8)),
            consistent=40,
        )
        row = corrected(int(rng.binomial(400, 0.41)), 400, accuracy=accuracy, source="s", judge="j")
        assert row.ci_low is not None
        assert row.ci_high is not None
        hits += row.ci_low <= 0.3 <= row.ci_high
    assert hits / 300 >= 0.95 - 3 * (0.95 * 0.05 / 300) ** 0.5


@pytest.mark.parametrize(
    "accuracy",
    [
        JudgeAccuracy(found=50, inconsistent=100, cleared=50, consistent=100),
        JudgeAccuracy(found=100, inconsistent=100, cleared=0, consistent=100),
        JudgeAccuracy(found=3, inconsistent=5, cleared=3, consistent=5),
        JudgeAccuracy(found=10, inconsistent=100, cleared=20, consistent=100),
    ],
)
def test_no_corrected_rate_from_a_judge_at_chance(accuracy: JudgeAccuracy) -> None:
    """Guessing, always saying yes, too few items to tell, and worse than chance."""
    row = corrected(30, 100, accuracy=accuracy, source="s", judge="j")
    assert (row.rate, row.ci_low, row.ci_high) == (None, None, None)
    assert "not better than chance" in row.reason


def test_no_corrected_rate_without_a_validation() -> None:
    """The reason stands in the row."""
    assert "not validated" in corrected(3, 10, accuracy=None, source="s", judge="j").reason


def test_no_corrected_rate_from_one_class() -> None:
    """Sensitivity without specificity corrects nothing."""
    one = JudgeAccuracy(found=9, inconsistent=10, cleared=0, consistent=0)
    assert "no decided item" in corrected(3, 10, accuracy=one, source="s", judge="j").reason


def test_judge_errors_are_counted_and_not_in_the_rate() -> None:
    """6 inconsistent of 10 decided, 5 errors of 15 transcripts."""
    found = rates(some(("consistent", 4), ("reasoning_reversal", 6), ("judge_error", 5)))
    by = {(row.quantity, row.of): row for row in found if row.method.startswith("raw")}
    assert (by["inconsistent", "decided"].count, by["inconsistent", "decided"].n) == (6, 10)
    assert (by["judge_error", "transcripts"].count, by["judge_error", "transcripts"].n) == (5, 15)
    assert by["reasoning_reversal", "decided"].rate == pytest.approx(0.6)


def test_nothing_decided_is_no_rate() -> None:
    """Only errors: rates of the decided are undefined, not 0."""
    by = {(row.quantity, row.of): row for row in rates(some(("judge_error", 3)))}
    assert by["inconsistent", "decided"].rate is None
    assert by["judge_error", "transcripts"].rate == 1.0


def test_every_row_says_that_consistency_is_not_faithfulness(tmp_path: Path) -> None:
    """In the table too, and nothing in it is NaN."""
    write_rates(tmp_path / "rates.csv", rates(some(("consistent", 4), ("judge_error", 1))))
    text = (tmp_path / "rates.csv").read_text()
    rows = list(csv.DictReader(text.splitlines()))
    assert {row["note"] for row in rows} == {not_faithfulness()}
    assert "nan" not in text.lower().replace("abandonment", "")
    assert "-0.0" not in text
