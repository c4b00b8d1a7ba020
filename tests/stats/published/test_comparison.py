"""Published figures: what their counts imply, intervals, and the comparison with ours."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from cot_entropy.base.errors import PlanError
from cot_entropy.stats.published.comparison import COLUMNS, comparison, write_comparison
from cot_entropy.stats.published.implied import Printed, counts_of, ratio_range, rho_p, tables
from cot_entropy.stats.published.intervals import bonett_wright
from cot_entropy.stats.published.model import load_published
from cot_entropy.stats.rows import Estimate

PUBLISHED = Path(__file__).parents[3] / "preregistration" / "published.yaml"


def compare(*rows):
    return comparison(rows, PUBLISHED, level=0.95, cells={"m/0", "m/1", "m/2", "m/3"})


def one(rows, study, quantity):
    found = [row for row in rows if (row.study, row.quantity) == (study, quantity)]
    assert len(found) == 1
    return found[0]


def ours(identifier, quantity, estimate, low=None, high=None, *, cell="qwen2.5-7b/gsm8k", **rest):
    return Estimate(
        id=identifier, cell=cell, quantity=quantity, kind="confirmatory", estimate=estimate,
        ci_low=low, ci_high=high, **rest,
    )  # fmt: skip


def test_pilot_counts_are_the_only_ones_that_fit():
    """n = 300, 73.7 %, 68.8 % v 46.8 %: 152 of 221 and 37 of 79, the issue's counts."""
    found = list(tables(300, Printed("73.7"), Printed("68.8"), Printed("46.8")))
    assert [(t.right_monotone, t.monotone, t.right_other, t.other) for t in found] == [
        (152, 221, 37, 79)
    ]


def test_every_table_is_found():
    """Against all tables of 30 chains, rounded by numpy."""
    expected = {
        (a, n1, b)
        for n1 in range(1, 30)
        for a in range(n1 + 1)
        for b in range(30 - n1 + 1)
        if np.round(100 * a / n1) == 67 and np.round(100 * b / (30 - n1)) == 33
    }
    found = list(tables(30, None, Printed("67"), Printed("33")))
    assert {(t.right_monotone, t.monotone, t.right_other) for t in found} == expected
    assert expected


def test_pilot_odds_ratio_agrees():
    """(152 * 42) / (69 * 37) = 2.5006, printed 2.50."""
    row = one(compare(), "z26-pilot", "odds_ratio")
    assert row.check == "agrees"
    assert row.implied_low == row.implied_high == pytest.approx(152 * 42 / (69 * 37))


def test_pilot_fisher_p_differs_and_the_reason_is_data():
    """Two-sided Fisher 0.00068; printed 0.0005 is one-sided 0.00049 or chi-square 0.00053."""
    row = one(compare(), "z26-pilot", "fisher_p")
    table = [[152, 69], [37, 42]]
    assert row.check == "differs"
    assert row.implied_low == pytest.approx(stats.fisher_exact(table).pvalue)
    assert round(row.implied_low, 5) == 0.00068
    assert "one-sided Fisher 0.00049" in row.check_note
    assert "uncorrected chi-square 0.00053" in row.check_note


def test_accuracy_that_no_count_gives_differs():
    """50.5 % of 500 would be 252.5 right answers; 252 of 499 rounds to it."""
    row = one(compare(), "r26-math500", "accuracy_percent")
    assert row.check == "differs"
    assert "499 (252 right)" in row.check_note


@pytest.mark.parametrize(
    ("study", "quantity"),
    [
        ("z26-full-gsm8k", "accuracy_gap_pp"),
        ("z26-full-math500", "accuracy_gap_pp"),
        ("z26-full-math500", "accuracy_percent"),
        ("z26-pilot", "rho_coherence_p"),
        ("z26-pilot", "mean_seed_gap_pp"),
        ("z26-pilot", "two_transitions_share_percent"),
        ("z26-pilot", "shape_flag_selective_gain_pp"),
        ("z26-pilot", "accuracy_1_violation_percent"),
        ("z26-mistral", "odds_ratio"),
    ],
)
def test_figure_agrees_with_its_own_counts(study, quantity):
    """Figures that the paper's other figures bear out."""
    assert one(compare(), study, quantity).check == "agrees"


@pytest.mark.parametrize(
    ("study", "figure", "changed"),
    [
        ("z26-pilot", 'accuracy_gap_pp, printed: "21.9"', 'accuracy_gap_pp, printed: "22.1"'),
        ("z26-pilot", 'rho_coherence_p, printed: "0.31"', 'rho_coherence_p, printed: "0.33"'),
        ("z26-pilot", 'mean_seed_gap_pp, printed: "9.1"', 'mean_seed_gap_pp, printed: "9.3"'),
        ("z26-pilot", 'two_transitions_share_percent, printed: "76"', 'two_transitions_share_percent, printed: "75"'),
        ("z26-pilot", 'accuracy_2_violations_percent, printed: "28.6"', 'accuracy_2_violations_percent, printed: "29.6"'),
        ("z26-mistral", 'odds_ratio, printed: "4.33"', 'odds_ratio, printed: "4.31"'),
    ],
)  # fmt: skip
def test_changed_figure_is_found_out(tmp_path, study, figure, changed):
    """The same check fails once the last printed digits are altered."""
    text = PUBLISHED.read_text()
    assert text.count(figure) == 1
    (tmp_path / "p.yaml").write_text(text.replace(figure, changed))
    rows = comparison([], tmp_path / "p.yaml", level=0.95, cells=())
    assert one(rows, study, changed.split(",")[0]).check == "differs"


def test_difference_of_accuracies_is_newcombes():
    """MOVER of two Wilson intervals equals statsmodels' Newcombe interval."""
    low, high = proportion_confint(800, 900, method="wilson")
    rows = compare(ours("H1", "accuracy_monotone", 800 / 900, low, high, n=900))
    row = one(rows, "z26-full-gsm8k", "accuracy_monotone_percent")
    expected = confint_proportions_2indep(800, 900, 837, 898, method="newcomb", compare="diff")
    assert row.setting == "matched"
    assert row.ours == pytest.approx(100 * 800 / 900)
    assert row.difference == pytest.approx(100 * 800 / 900 - 93.2)
    shift = 93.2 - 100 * 837 / 898
    found = row.difference_ci_low + shift, row.difference_ci_high + shift
    assert found == pytest.approx([100 * value for value in expected], abs=0.01)


def test_gap_differs_by_mover():
    """Ours 9.6 (6, 13) less 11.5 with Newcombe's interval of 837/898 v 344/421, by hand."""
    row = one(
        compare(ours("H1", "accuracy_gap_pp", 9.6, 6.0, 13.0)), "z26-full-gsm8k", "accuracy_gap_pp"
    )
    low, high = (
        100 * v
        for v in confint_proportions_2indep(837, 898, 344, 421, method="newcomb", compare="diff")
    )
    assert row.difference == pytest.approx(-1.9)
    assert row.difference_ci_low == pytest.approx(-1.9 - np.hypot(3.6, high - 11.5), abs=1e-6)
    assert row.difference_ci_high == pytest.approx(-1.9 + np.hypot(3.4, 11.5 - low), abs=1e-6)


def test_rho_interval_covers_as_stated():
    """Bonett and Wright's interval of a simulated normal sample's Spearman rho covers near 95 %."""
    rng = np.random.default_rng(0)
    normal = rng.multivariate_normal([0, 0], [[1, 0.4], [0.4, 1]], size=(800, 100))
    truth = 6 / np.pi * np.arcsin(0.2)
    covered = 0
    for sample in normal:
        low, high = bonett_wright(stats.spearmanr(*sample.T).statistic, 100, level=0.95)
        covered += low <= truth <= high
    assert 0.93 < covered / 800 < 0.97


def test_unknown_counts_give_a_difference_without_interval():
    """R26 prints a gap and no counts."""
    row = one(
        compare(ours("H1", "accuracy_gap_pp", 9.0, 6.0, 13.0)), "r26-gsm8k", "accuracy_gap_pp"
    )
    assert row.difference == pytest.approx(-0.6)
    assert row.difference_ci_low is None
    assert "counts are not known" in row.difference_note


def test_matched_designs_come_first_and_pilots_are_marked():
    """The pilot of 300 questions stands apart, whatever the order of the file."""
    settings = [row.setting for row in compare()]
    assert settings == sorted(settings, key=["matched", "unmatched"].index)
    assert one(compare(), "z26-pilot", "accuracy_gap_pp").setting == "unmatched"


def test_overall_accuracy_comes_from_the_counts_of_h1():
    """200 right of 480 chains with a shape is 41.7 %."""
    rows = compare(
        ours(
            "H1",
            "accuracy_gap_pp",
            30.0,
            20.0,
            40.0,
            cell="qwen2.5-7b/math500",
            n=480,
            n_correct=200,
        )
    )
    row = one(rows, "z26-full-math500", "accuracy_percent")
    assert row.ours == pytest.approx(100 * 200 / 480)
    assert row.difference_ci_low < row.difference < row.difference_ci_high


def test_p_values_stand_side_by_side_and_are_not_subtracted():
    """A difference of p-values measures nothing."""
    verdict = ours("H1", "accuracy_gap_pp", 9.0, 6.0, 13.0, p_value=0.002, verdict="supported")
    row = one(compare(verdict), "z26-pilot", "fisher_p")
    assert (row.published, row.ours, row.difference) == (0.0005, 0.002, None)
    assert (row.ours_ci_low, row.ours_verdict) == (None, None)


def test_cells_won_are_counted():
    """Two of three cells above 0; an undefined one and one that is in no plan are not counted."""
    name = "auroc_difference[final_entropy - shape_flag]"
    rows = compare(
        ours("E1", name, 0.3, cell="toy/0"),
        *(
            ours("E1", name, value, cell=f"m/{i}")
            for i, value in enumerate([0.1, 0.02, -0.1, None])
        ),
    )
    row = next(row for row in rows if row.id == "E1")
    assert (row.published, row.ours) == (8.0, 2.0)
    assert row.difference_note == "2 of the 3 registered cells run"


def test_verdict_without_a_published_figure_has_a_row():
    """Every registered number is in the table, published or not."""
    verdict = ours(
        "H1", "accuracy_gap_pp", 5.0, 1.0, 9.0, cell="llama3.1-8b/gsm8k", verdict="supported"
    )
    row = compare(verdict)[-1]
    assert (row.setting, row.id, row.cell, row.ours) == (
        "no published figure", "H1", "llama3.1-8b/gsm8k", 5.0,
    )  # fmt: skip
    assert row.published is None


def test_undefined_row_of_ours_gives_its_reason():
    """Not assessable here: the published number stands alone, with the reason."""
    mine = ours("H2", "rho_coherence", None, verdict="not assessable", reason="under 100 questions")
    row = one(compare(mine), "r26-gsm8k", "rho_coherence")
    assert (row.ours, row.difference, row.ours_verdict) == (None, None, "not assessable")
    assert row.difference_note == "under 100 questions"


def test_csv_has_one_line_per_row_and_no_nan(tmp_path):
    """Reads back with the declared columns, undefined fields empty."""
    rows = compare(ours("H1", "accuracy_gap_pp", 9.6, 6.0, 13.0))
    write_comparison(tmp_path / "comparison.csv", rows)
    with (tmp_path / "comparison.csv").open(newline="") as stream:
        found = list(csv.DictReader(stream))
    assert tuple(found[0]) == COLUMNS
    assert len(found) == len(rows)
    assert not {"nan", "inf", "-0.0", "None"} & {value for row in found for value in row.values()}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("source: Z26\n    cell: mistral", "source: Z99\n    cell: mistral", "source `Z99`"),
        ("id: z26-mistral", "id: z26-pilot", "stands twice"),
        ('printed: "4.33"', "printed: 4.33", "printed"),
        ('printed: "4.33"', 'printed: ".nan"', "printed"),
        ("quantity: odds_ratio, printed: \"4.33\"", "quantity: odds, printed: \"4.33\"", "quantity"),
    ],
)  # fmt: skip
def test_bad_file_is_refused_with_its_line(tmp_path, old, new, message):
    """File, line and key of what cannot be used."""
    text = PUBLISHED.read_text()
    assert old in text
    path = tmp_path / "published.yaml"
    path.write_text(text.replace(old, new))
    line = text[: text.index(old)].count("\n") + 1
    with pytest.raises(PlanError, match=message) as caught:
        load_published(path)
    assert str(caught.value).startswith(f"{path}:{line}:")


def test_half_rounds_either_way():
    """12.5 % prints as 12 or 13."""
    assert counts_of(8, Printed("12")) == counts_of(8, Printed("13")) == [1]


def test_rho_p_equals_scipys_t_approximation():
    """scipy.stats.spearmanr's p for a sample's own rho lies in the printed range."""
    rng = np.random.default_rng(3)
    found = stats.spearmanr(*rng.normal(size=(2, 60)))
    low, high = rho_p(Printed(f"{found.statistic:.9f}"), 60)
    assert low <= found.pvalue <= high
    assert high - low < 1e-6


def test_ratio_range_by_hand():
    """16.65 / 21.95 to 16.75 / 21.85."""
    found = ratio_range(Printed("16.7"), Printed("21.9"))
    assert found == pytest.approx((100 * 16.65 / 21.95, 100 * 16.75 / 21.85))
