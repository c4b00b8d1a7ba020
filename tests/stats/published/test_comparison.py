"""Published figures: what their counts imply, intervals, and the comparison with ours."""

import csv
from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint
from tests.stats.published.figure_checks import (
    bonett_wright,
    check,
    published_interval,
)
from tests.stats.published.implied import ratio_range, rho_p

from cot_entropy.base.errors import PlanError
from cot_entropy.stats.published.comparison import comparison
from cot_entropy.stats.published.counts import Printed, counts_of, fitting_tables, tables
from cot_entropy.stats.published.model import load_published
from cot_entropy.stats.published.row import COLUMNS, write_comparison
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


STUDIES = load_published(PUBLISHED).studies
FIGURES = [
    pytest.param(study, figure, id=f"{study.id}-{index}-{figure.quantity}")
    for study in STUDIES
    for index, figure in enumerate(study.figures)
]


@pytest.mark.parametrize(("study", "figure"), FIGURES)
def test_the_stored_check_is_the_one_computed_from_the_printed_figures(study, figure):
    """Outcome, implied range and words: every table that fits the print, found again."""
    if figure.to is not None or study.cell in {"all", "r1-distill-qwen-7b"}:
        assert (figure.check, figure.implied, figure.interval) == ("not checkable", None, None)
        return
    fitting = fitting_tables(study)
    found = check(figure, study, fitting)
    assert figure.check == found.outcome
    if found.outcome == "not checkable":
        assert (figure.implied, figure.check_note) == (None, "")
        return
    assert figure.check_note == found.note
    ends = None if found.low is None else [found.low, found.high]
    assert figure.implied == (None if ends is None else pytest.approx(ends, rel=1e-5))


@pytest.mark.parametrize(("study", "figure"), FIGURES)
def test_the_stored_interval_is_the_one_of_the_counts(study, figure):
    """Wilson, Newcombe, or Bonett and Wright at the stored level, over all tables that fit."""
    found = published_interval(figure, study, fitting_tables(study), 0.95)
    assert figure.interval == (None if found is None else pytest.approx(list(found), rel=1e-5))


@pytest.mark.parametrize(
    ("study", "quantity", "changed"),
    [
        ("z26-pilot", "accuracy_gap_pp", "22.1"),
        ("z26-pilot", "rho_coherence_p", "0.33"),
        ("z26-pilot", "mean_seed_gap_pp", "9.3"),
        ("z26-pilot", "two_transitions_share_percent", "75"),
        ("z26-pilot", "accuracy_2_violations_percent", "29.6"),
        ("z26-mistral", "odds_ratio", "4.31"),
    ],
)
def test_changed_figure_is_found_out(study, quantity, changed):
    """The same check fails once the last printed digits are altered."""
    found = next(one for one in STUDIES if one.id == study)
    figures = [
        one.model_copy(update={"printed": changed}) if one.quantity == quantity else one
        for one in found.figures
    ]
    altered = found.model_copy(update={"figures": figures})
    (figure,) = (one for one in figures if one.quantity == quantity)
    assert check(figure, altered, fitting_tables(altered)).outcome == "differs"


def test_intervals_of_another_level_are_left_out(tmp_path):
    """The stored ones are 95 %; beside a plan of another level they would mislead."""
    rows = comparison(
        [ours("H1", "accuracy_gap_pp", 9.6, 6.0, 13.0)], PUBLISHED, level=0.9, cells=()
    )
    row = one(rows, "z26-full-gsm8k", "accuracy_gap_pp")
    assert (row.published_ci_low, row.difference_ci_low) == (None, None)
    assert row.difference == pytest.approx(-1.9)


def test_difference_of_accuracies_is_newcombes():
    """MOVER of two Wilson intervals equals statsmodels' Newcombe interval."""
    low, high = proportion_confint(800, 900, method="wilson")
    rows = compare(ours("H1", "accuracy_monotone", 800 / 900, low, high, n=900))
    row = one(rows, "z26-full-gsm8k", "accuracy_monotone_percent")
    expected = confint_proportions_2indep(800, 900, 837, 898, method="newcomb", compare="diff")
    assert row.matched == "model, dataset, size"
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
    assert row.difference_ci_low == pytest.approx(-1.9 - np.hypot(3.6, high - 11.5), abs=1e-4)
    assert row.difference_ci_high == pytest.approx(-1.9 + np.hypot(3.4, 11.5 - low), abs=1e-4)


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


def test_the_designs_nearest_to_ours_come_first():
    """R26's, whose protocol is ours; then Z26's, alike in model, dataset and size."""
    rows = compare()
    named = [row.matched.count(",") for row in rows]
    assert named == sorted(named, reverse=True)
    assert {row.matched for row in rows if row.source == "R26"} == {
        "model, dataset, size, protocol"
    }
    assert {row.matched for row in rows if row.source == "Z26"} == {"model, dataset, size"}


@pytest.mark.parametrize(
    ("study", "cell"),
    [
        ("z26-pilot", "qwen2.5-7b/gsm8k-pilot"),
        ("z26-mistral", "mistral-7b/gsm8k-pilot"),
        ("z26-full-gsm8k", "qwen2.5-7b/gsm8k"),
        ("z26-full-math500", "qwen2.5-7b/math500"),
    ],
)
def test_each_study_of_z26_is_keyed_to_a_cell_of_its_own_config(study, cell):
    """config/zhao.yaml makes the cell, with as many questions."""
    found = next(one for one in STUDIES if one.id == study)
    model, dataset = cell.split("/")
    config = yaml.safe_load((PUBLISHED.parents[1] / "config/zhao.yaml").read_text())
    assert found.cell == cell
    assert model in config["models"]
    sizes = {"gsm8k": 1319, "math500": 500}
    assert config["datasets"][dataset].get("questions", sizes.get(dataset)) == found.n


def test_seeds_are_set_beside_the_variants():
    """Z26's three gaps and their mean, 9.1: (8.3 + 13.8 + 5.2) / 3; ours 9, 12 and 6."""
    names = ("zhao", "zhao_seed_1", "zhao_seed_2")
    rows = compare(
        *(
            ours("E13", f"accuracy_gap_pp[{name}]", gap, cell="qwen2.5-7b/gsm8k-pilot")
            for name, gap in zip(names, (9.0, 12.0, 6.0), strict=True)
        )
    )
    seeds = [row for row in rows if row.quantity == "seed_gap_pp"]
    assert [(row.published, row.ours) for row in seeds] == [(8.3, 9.0), (13.8, 12.0), (5.2, 6.0)]
    mean = one(rows, "z26-pilot", "mean_seed_gap_pp")
    assert mean.ours == pytest.approx(9.0)
    assert mean.difference == pytest.approx(9.0 - 9.1)
    assert mean.difference_note == "no interval: ours is the mean of 3 rows"


def test_a_mean_over_runs_needs_every_run():
    rows = compare(
        ours("E13", "accuracy_gap_pp[zhao]", 9.0, cell="qwen2.5-7b/gsm8k-pilot"),
    )
    row = one(rows, "z26-pilot", "mean_seed_gap_pp")
    assert row.ours is None
    assert row.difference_note.startswith("no such row of ours")


def test_rhos_p_and_the_flag_rate_over_eps_are_compared():
    cell = "qwen2.5-7b/gsm8k-pilot"
    rows = compare(
        ours("E12", "rho_coherence", -0.02, cell=cell, p_value=0.7),
        ours("E4", "flag_rate[eps=0.1]", 0.7, cell=cell),
    )
    p = one(rows, "z26-pilot", "rho_coherence_p")
    assert (p.published, p.ours, p.difference) == (0.31, 0.7, None)
    rate = one(rows, "z26-pilot", "flag_rate_at_eps")
    assert rate.difference == pytest.approx(0.7 - 0.737)


def test_the_distilled_flag_rate_is_pooled_over_the_models_cells():
    """1 of 100 and 9 of 300 chains: 2.5 % of 400."""
    rows = comparison(
        [
            ours("H4a", "flag_rate", 0.01, cell="r1-distill-qwen-7b/gsm8k", n=100),
            ours("H4a", "flag_rate", 0.03, cell="r1-distill-qwen-7b/math500", n=300),
            ours("H4a", "flag_rate", 0.5, cell="r1-distill-qwen-7b/mine", n=300),
        ],
        PUBLISHED,
        level=0.95,
        cells={"r1-distill-qwen-7b/gsm8k", "r1-distill-qwen-7b/math500"},
    )
    row = one(rows, "r26-distilled", "flag_rate_percent")
    assert (row.published, row.ours, row.ours_n) == (1.0, pytest.approx(2.5), 400)


def test_conditions_that_miss_the_null_are_counted():
    words = ("null holds: 90%", "undecided: the interval", "null does not hold: 95%")
    rows = compare(
        *(
            ours("E12", "rho_coherence", 0.1, cell=f"m/{index}", reason=word)
            for index, word in enumerate(words)
        )
    )
    row = one(rows, "r26-all-cells", "conditions_missing_the_null")
    assert (row.published, row.ours) == (6.0, 2.0)


def test_a_printed_range_has_both_ends():
    """6 to 7 of 8, by the range of integration: R26 prints no single number."""
    ranges = [row for row in compare() if row.published_to is not None]
    assert [(row.published, row.published_to) for row in ranges] == [(6.0, 7.0)] * 3


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
    verdict = ours(
        "H1",
        "accuracy_gap_pp",
        9.0,
        6.0,
        13.0,
        cell="qwen2.5-7b/gsm8k-pilot",
        p_value=0.002,
        verdict="supported",
    )
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
    assert (row.matched, row.source, row.id, row.cell, row.ours) == (
        "", "", "H1", "llama3.1-8b/gsm8k", 5.0,
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
        ("quantity: flag_rate_at_eps", "quantity: odds", "quantity"),
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
