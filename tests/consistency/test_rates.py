from __future__ import annotations

import csv
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from cot_entropy.consistency.intervals import (
    JudgeAccuracy,
    better_than_chance,
    corrected,
    lang_reiczigel,
    rogan_gladen,
    wilson,
)
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.rates import ALL, Validated, rates, write_rates
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
    row = corrected(30, 100, accuracy=sure)
    assert row.rate == pytest.approx(0.3)
    assert (row.ci_low, row.ci_high) == pytest.approx(wilson(30, 100), abs=0.01)


def test_a_small_benchmark_widens_the_interval() -> None:
    """The uncertainty of sensitivity and specificity is carried through."""
    small = JudgeAccuracy(found=9, inconsistent=10, cleared=8, consistent=10)
    wide, narrow = (corrected(410, 1000, accuracy=a) for a in (small, GOOD))
    assert wide.rate == narrow.rate == pytest.approx(0.3)
    assert wide.ci_high is not None
    assert wide.ci_low is not None
    assert narrow.ci_high is not None
    assert narrow.ci_low is not None
    assert wide.ci_high - wide.ci_low > 1.5 * (narrow.ci_high - narrow.ci_low)


def test_lang_reiczigel_by_hand() -> None:
    """41 of 100, 8 of 8 found, 8 of 8 cleared; z^2 = 3.84146.

    p' = (41 + 1.92073) / 103.84146 = 0.413330, Se' = Sp' = 9 / 10, true' = (p' - 0.1) / 0.8 =
    0.391662, both variances 0.9 * 0.1 / 10 = 0.009. Shift 2 z^2 0.009 (2 true' - 1) = -0.014982.
    Standard error sqrt(0.002335 + 0.009 (0.153399 + 0.370076)) / 0.8 = 0.104929.
    0.376680 -+ 1.959964 * 0.104929 is 0.171023 to 0.582337.
    """
    accuracy = JudgeAccuracy(found=8, inconsistent=8, cleared=8, consistent=8)
    assert lang_reiczigel(41, 100, accuracy) == pytest.approx((0.171023, 0.582337), abs=2e-6)


def test_four_items_a_class_leave_much_open() -> None:
    """0 of 120, 3 of 4 found, 4 of 4 cleared: 0 to 0.1907, far above the raw 0.031.

    p' = 1.92073 / 123.84146 = 0.015510, Se' = 2 / 3, Sp' = 5 / 6, true' = (p' - 1 / 6) / 0.5 =
    -0.302314, variances 1 / 27 and 5 / 216, shift 2 z^2 (true' / 27 - (1 - true') 5 / 216) =
    -0.317635, standard error 0.413609: -0.619949 + 1.959964 * 0.413609 = 0.190709.
    """
    accuracy = JudgeAccuracy(found=3, inconsistent=4, cleared=4, consistent=4)
    row = corrected(0, 120, accuracy=accuracy)
    assert (row.rate, row.ci_low, row.ci_high) == pytest.approx((0, 0, 0.190709), abs=2e-6)


def test_better_than_chance_by_hand() -> None:
    """Wilson: 3 of 4 from 0.30064, 0 of 4 to 0.48990; 0.75 - sqrt(0.44936^2 + 0.48990^2) > 0.

    2 of 4 from 0.15004: 0.5 - sqrt(0.34996^2 + 0.48990^2) < 0.
    """
    found = (JudgeAccuracy(found=k, inconsistent=4, cleared=4, consistent=4) for k in (3, 2))
    assert [better_than_chance(accuracy) for accuracy in found] == [True, False]


def test_the_interval_holds_the_estimate() -> None:
    """Wherever there is one: all benchmarks of up to six items a class, all counts of nine."""
    sizes = [(x, y) for x in range(1, 7) for y in range(1, 7)]
    for inconsistent, consistent in sizes:
        for found, cleared in product(range(inconsistent + 1), range(consistent + 1)):
            accuracy = JudgeAccuracy(
                found=found, inconsistent=inconsistent, cleared=cleared, consistent=consistent
            )
            if not better_than_chance(accuracy):
                continue
            for count in range(10):
                row = corrected(count, 9, accuracy=accuracy)
                if "contradicts" in row.reason:
                    continue
                assert row.rate is not None
                assert row.ci_low is not None
                assert row.ci_high is not None
                assert 0 <= row.ci_low <= row.rate <= row.ci_high <= 1
                assert row.ci_low < row.ci_high


@pytest.mark.parametrize(
    ("size", "true", "se", "sp"),
    [(40, 0.3, 0.9, 0.8), (6, 0.02, 0.75, 1.0), (6, 0.2, 0.9, 0.9), (4, 0.05, 0.9, 1.0)],
)
def test_the_interval_covers_the_true_share(size: int, true: float, se: float, sp: float) -> None:
    """400 simulated benchmarks and fields of 120: at least 0.93 of those with a corrected rate."""
    rng = np.random.default_rng(5)
    observed = true * se + (1 - true) * (1 - sp)
    hits = []
    for _ in range(400):
        accuracy = JudgeAccuracy(
            found=int(rng.binomial(size, se)),
            inconsistent=size,
            cleared=int(rng.binomial(size, sp)),
            consistent=size,
        )
        count = int(rng.binomial(120, observed))
        row = corrected(count, 120, accuracy=accuracy)
        if row.ci_low is not None and row.ci_high is not None:
            hits.append(row.ci_low <= true <= row.ci_high)
    assert len(hits) > 300
    assert sum(hits) / len(hits) >= 0.93


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
    row = corrected(30, 100, accuracy=accuracy)
    assert (row.rate, row.ci_low, row.ci_high) == (None, None, None)
    assert "not better than chance" in row.reason


def test_no_corrected_rate_where_field_and_benchmark_contradict_each_other() -> None:
    """A judge that wrongly flags 2 of 10 benchmark items would flag some 24 of 120 clean ones;
    where it flags none, every corrected value is below 0."""
    accuracy = JudgeAccuracy(found=10, inconsistent=10, cleared=8, consistent=10)
    row = corrected(0, 120, accuracy=accuracy)
    assert (row.rate, row.ci_low, row.ci_high) == (None, None, None)
    assert "contradicts" in row.reason


def test_no_corrected_rate_without_a_validation() -> None:
    """The reason stands in the row."""
    (row,) = (
        row
        for row in rates(some(("consistent", 4), ("reasoning_reversal", 6)))
        if row.method.startswith("corrected")
    )
    assert row.rate is None
    assert "not validated" in row.reason


def test_no_corrected_rate_from_one_class() -> None:
    """Sensitivity without specificity corrects nothing."""
    one = JudgeAccuracy(found=9, inconsistent=10, cleared=0, consistent=0)
    assert "no decided item" in corrected(3, 10, accuracy=one).reason


def test_judge_errors_are_counted_and_not_in_the_rate() -> None:
    """6 inconsistent of 10 decided, 5 errors of 15 assessed."""
    found = rates(some(("consistent", 4), ("reasoning_reversal", 6), ("judge_error", 5)))
    by = {
        (row.quantity, row.of): row
        for row in found
        if row.decided_by == ALL and "raw" in row.method
    }
    assert (by["inconsistent", "decided"].count, by["inconsistent", "decided"].n) == (6, 10)
    assert (by["judge_error", "assessed"].count, by["judge_error", "assessed"].n) == (5, 15)
    assert by["reasoning_reversal", "decided"].rate == pytest.approx(0.6)


def test_nothing_decided_is_no_rate() -> None:
    """Only errors: rates of the decided are undefined, not 0."""
    by = {(row.quantity, row.of): row for row in rates(some(("judge_error", 3)))}
    assert by["inconsistent", "decided"].rate is None
    assert by["judge_error", "assessed"].rate == 1.0


def test_every_row_says_that_consistency_is_not_faithfulness(tmp_path: Path) -> None:
    """In the table too, and nothing in it is NaN."""
    write_rates(tmp_path / "rates.csv", rates(some(("consistent", 4), ("judge_error", 1))))
    text = (tmp_path / "rates.csv").read_text()
    rows = list(csv.DictReader(text.splitlines()))
    assert {row["note"] for row in rows} == {not_faithfulness()}
    assert "nan" not in text.lower().replace("abandonment", "")
    assert "-0.0" not in text


def of(model: str, task: str, sample: str, outcome: str, turn: int | None = None) -> Judgement:
    transcript = Transcript(
        id=f"{task}/{sample}/{model}/{turn}", source="s", question="q", reasoning="r", answer="a",
        model=model, task=task, sample=f"{task}/{sample}", turn=turn,
    )  # fmt: skip
    return judged(transcript, outcome)


def test_what_cannot_be_judged_is_counted_beside_the_rates() -> None:
    """In no numerator and no denominator: 1 of 3 decided, 3 assessed, 4 of 7 outside."""
    outside = ("no_reasoning_recorded", "reasoning_hidden", "refusal", "undivided")
    found = rates(
        some(("consistent", 2), ("reasoning_reversal", 1), *((name, 1) for name in outside))
    )
    by = {(row.quantity, row.of): row for row in found if row.decided_by == ALL}
    assert (by["inconsistent", "assessed"].count, by["inconsistent", "assessed"].n) == (1, 3)
    assert by["inconsistent", "decided"].n == 3
    for name in outside:
        row = by[name, "transcripts"]
        assert (row.count, row.n, row.rate, row.reason) == (1, 7, None, "outside every rate")


def test_rates_are_split_by_what_decided() -> None:
    """Two absent by rule and one reversal by the judge, of four decided."""
    made = some(("absent_reasoning", 2), ("reasoning_reversal", 1), ("consistent", 1))
    made = [
        one.model_copy(update={"decided_by": "rule"}) if one.subtype == "absent_reasoning" else one
        for one in made
    ]
    by = {
        (r.quantity, r.decided_by): r
        for r in rates(made)
        if r.of == "decided" and "raw" in r.method
    }
    counts = {who: by["inconsistent", who].count for who in (ALL, "rule", "judge")}
    assert counts == {ALL: 3, "rule": 2, "judge": 1}
    assert {by["inconsistent", who].n for who in counts} == {4}


def test_rates_by_model_and_task() -> None:
    """Two models, two tasks: pooled, each, and each pair; the pair's counts by hand."""
    made = [
        of("m1", "t1", "1", "consistent"),
        of("m1", "t2", "1", "reasoning_reversal"),
        of("m2", "t1", "1", "reasoning_reversal"),
        of("m2", "t2", "1", "reasoning_reversal"),
    ]
    by = {
        (row.model, row.task): (row.count, row.n)
        for row in rates(made)
        if (row.quantity, row.of, row.decided_by) == ("inconsistent", "decided", ALL)
        and "raw" in row.method
    }
    assert by[ALL, ALL] == (3, 4)
    assert (by["m1", ALL], by["m2", ALL], by[ALL, "t1"], by[ALL, "t2"]) == (
        (1, 2),
        (2, 2),
        (1, 2),
        (2, 2),
    )
    assert (by["m1", "t1"], by["m2", "t1"]) == ((0, 1), (1, 1))
    assert len(by) == 9


def test_single_turns_have_rates_of_their_own() -> None:
    """A conversation counts once, whatever its number of answers."""
    made = [of("m", "t", "1", "consistent"), *(of("m", "t", "1", "consistent", n) for n in (1, 2))]
    sizes = {row.unit: row.n for row in rates(made) if row.of == "assessed"}
    assert sizes == {"transcript": 1, "turn": 2}


def test_epochs_of_one_sample_count_as_a_cluster() -> None:
    """Ten samples, each the same in ten epochs: the interval is about that of ten, not of 100.

    5 of 10 clusters all positive: residuals +-5, variance 10/9 * 10 * 25 / 100^2 = 0.02778, so
    0.25 / 0.02778 = 9 effective observations.
    """
    made = [
        of("m", "t", str(sample), "reasoning_reversal" if sample < 5 else "consistent")
        for sample in range(10)
        for _ in range(10)
    ]
    row = next(r for r in rates(made) if r.quantity == "inconsistent" and r.of == "decided")
    assert (row.count, row.n, row.method) == (50, 100, "raw, Wilson, clustered by sample")
    assert (row.ci_low, row.ci_high) == pytest.approx(wilson(4.5, 9))


def test_repeats_without_variation_count_each_sample_once() -> None:
    """Whether two epochs of a sample agree cannot be known where everything agrees."""
    made = [of("m", "t", str(sample), "consistent") for sample in range(10) for _ in range(5)]
    row = next(r for r in rates(made) if r.quantity == "inconsistent" and r.of == "decided")
    assert (row.ci_low, row.ci_high) == pytest.approx(wilson(0, 10))


def test_a_corrected_rate_names_the_kind_of_its_items() -> None:
    """Se = Sp = 1 on many items changes nothing but the words."""
    sure = JudgeAccuracy(found=10**5, inconsistent=10**5, cleared=10**5, consistent=10**5)
    validated = Validated(accuracy=sure, domain="agentic", on_benchmark={})
    made = some(("consistent", 70), ("reasoning_reversal", 30))
    (row,) = (row for row in rates(made, validated=validated) if "Rogan" in row.method)
    assert (row.rate, row.method) == (pytest.approx(0.3), "corrected, Rogan-Gladen, agentic items")
