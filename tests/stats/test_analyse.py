"""The analysis from files: every cell has its rows, whatever is missing or degenerate."""

from __future__ import annotations

import csv
import math
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scipy import stats
from tests.stats.explore.simulated import random_rows

from cot_entropy.base.errors import DataError, PlanError
from cot_entropy.base.files import sha256_file
from cot_entropy.formats.trajectories import write_trajectories
from cot_entropy.plan.load import load_plan
from cot_entropy.stats.analyse import analyse
from cot_entropy.stats.row_status import Departure, Standings

ROOT = Path(__file__).parents[2]
PLAN = ROOT / "preregistration" / "plan.yaml"
REGISTERED = 6 + 8 + 6 + 2 + 2 + 8
"""Rows of H1, H2, H3, H4a, H4b and H5: one per cell of each one's population."""
QWEN = "qwen2.5-7b/gsm8k"
DISTILLED = "r1-distill-qwen-7b/gsm8k"
Rows = list[dict[str, Any]]
Make = Callable[..., Path]


@pytest.fixture(scope="module")
def quick_plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The registered plan with few resamples."""
    path = tmp_path_factory.mktemp("plan") / "plan.yaml"
    text = PLAN.read_text().replace("resamples: 10000", "resamples: 100")
    path.write_text(text.replace("permutations: 10000", "permutations: 999"))
    return path


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def _make(cell: str, rows: Rows) -> Path:
        path = tmp_path / f"{cell.replace('/', '-')}.parquet"
        write_trajectories(path, [{**row, "cell": cell} for row in rows])
        return path

    return _make


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def verdict_of(rows: list[dict[str, str]], identifier: str, cell: str) -> dict[str, str]:
    (row,) = [row for row in rows if row["id"] == identifier and row["cell"] == cell]
    return row


def test_every_hypothesis_and_cell_has_a_row_in_plan_order(
    quick_plan: Path, make: Make, tmp_path: Path
) -> None:
    """6 + 8 + 6 + 2 + 2 + 8 rows, most of them not run."""
    analyse(quick_plan, [make(QWEN, random_rows(150))], tmp_path / "out")
    plan = load_plan(quick_plan).plan
    expected = [(h.id, cell) for h in plan.hypotheses for cell in plan.cells_of(h)]
    rows = read(tmp_path / "out/verdicts.csv")
    assert [(row["id"], row["cell"]) for row in rows] == expected
    assert len(expected) == 32
    absent = [row for row in rows if row["cell"] != QWEN]
    assert {row["verdict"] for row in absent} == {"not run"}
    assert all("no trajectories" in row["reason"] for row in absent)


def test_columns_are_those_of_the_contract(quick_plan: Path, make: Make, tmp_path: Path) -> None:
    """Contract 4 of design.md, and the deviations that touch the row."""
    analyse(quick_plan, [make(QWEN, random_rows(40))], tmp_path)
    verdicts = (tmp_path / "verdicts.csv").read_text().splitlines()[0]
    assert verdicts == (
        "id,cell,kind,estimate,ci_low,ci_high,p_value,p_holm,n,n_monotone,n_correct,"
        "verdict,reason,plan_sha256,trajectories_sha256,deviations"
    )
    estimates = (tmp_path / "estimates.csv").read_text().splitlines()[0]
    assert set(estimates.split(",")) == {*verdicts.split(","), "quantity"}


def test_numbers_agree_with_scipy(quick_plan: Path, make: Make, tmp_path: Path) -> None:
    """Gap and Fisher's p, rho of coherence and violations, from the rows by plain code."""
    rows = random_rows(300, seed=4)
    path = make(QWEN, rows)
    analyse(quick_plan, [path], tmp_path)
    verdicts = read(tmp_path / "verdicts.csv")
    shaped = [row for row in rows if row["monotone"] is not None]
    table = [
        [sum(r["monotone"] == flag and r["correct"] == ok for r in shaped) for ok in (True, False)]
        for flag in (True, False)
    ]
    gap = 100 * (table[0][0] / sum(table[0]) - table[1][0] / sum(table[1]))
    h1 = verdict_of(verdicts, "H1", QWEN)
    assert float(h1["estimate"]) == pytest.approx(gap)
    assert float(h1["p_value"]) == pytest.approx(stats.fisher_exact(table).pvalue)
    assert int(h1["n"]) == len(shaped)
    assert h1["trajectories_sha256"] == sha256_file(path)
    for identifier, signal in (("H2", "coherence"), ("H3", "violations")):
        used = [row for row in rows if row[signal] is not None]
        expected = stats.spearmanr([r[signal] for r in used], [r["correct"] for r in used])
        got = verdict_of(verdicts, identifier, QWEN)["estimate"]
        assert float(got) == pytest.approx(expected.statistic)


def test_accuracy_by_violations_stands_beside_h3(
    quick_plan: Path, make: Make, tmp_path: Path
) -> None:
    """At 0, 1, 2 and 3 or more violations, by plain code."""
    rows = random_rows(300, seed=4)
    analyse(quick_plan, [make(QWEN, rows)], tmp_path)
    found = {row["quantity"]: row for row in read(tmp_path / "estimates.csv") if row["id"] == "H3"}
    for name, wanted in (("0", {0}), ("1", {1}), ("2", {2}), ("3_or_more", {3, 4, 5, 6, 7})):
        right = [row["correct"] for row in rows if row["violations"] in wanted]
        row = found[f"accuracy_at_{name}_violations"]
        assert int(row["n"]) == len(right)
        assert float(row["estimate"]) == pytest.approx(sum(right) / len(right))


def test_reported_intervals_stand_beside_the_deciding_one(
    quick_plan: Path, make: Make, tmp_path: Path
) -> None:
    """The percentile bootstrap everywhere, as R26 reports it; H2 at 95 and at 90 %."""
    analyse(quick_plan, [make(QWEN, random_rows(150))], tmp_path)
    found = {(row["id"], row["quantity"]) for row in read(tmp_path / "estimates.csv")}
    for hypothesis in load_plan(quick_plan).plan.hypotheses:
        if hypothesis.population != "distilled":
            assert (hypothesis.id, f"{hypothesis.estimand}_percentile_95") in found
    assert ("H2", "rho_coherence_permutation_t_90") in found


def test_exploratory_entries_of_missing_cells_are_not_run(
    quick_plan: Path, make: Make, tmp_path: Path
) -> None:
    """A row for each of E1..E15 in each of the seven other cells."""
    analyse(quick_plan, [make(QWEN, random_rows(40))], tmp_path)
    rows = [row for row in read(tmp_path / "estimates.csv") if row["cell"] not in {QWEN}]
    absent = [row for row in rows if row["id"].startswith("E")]
    assert len(absent) == 15 * 7
    assert {row["verdict"] for row in absent} == {"not run"}


def test_questions_left_out_are_counted(quick_plan: Path, make: Make, tmp_path: Path) -> None:
    """Undefined shapes stand outside H1 and in its reason."""
    rows = random_rows(150, seed=4)
    outside = sum(row["monotone"] is None for row in rows)
    assert outside > 0
    analyse(quick_plan, [make(QWEN, rows)], tmp_path)
    reason = verdict_of(read(tmp_path / "verdicts.csv"), "H1", QWEN)["reason"]
    assert f"{outside} of 150 questions left out" in reason


def test_without_a_freeze_everything_is_exploratory(
    quick_plan: Path, make: Make, tmp_path: Path
) -> None:
    """Contract 3: exploratory (unverified)."""
    analyse(quick_plan, [make(QWEN, random_rows(40))], tmp_path)
    rows = read(tmp_path / "verdicts.csv") + read(tmp_path / "estimates.csv")
    assert {row["kind"] for row in rows} == {"exploratory"}
    assert all("unverified" in row["reason"] for row in read(tmp_path / "verdicts.csv"))


def test_a_matching_freeze_makes_the_plans_cells_confirmatory_save_the_demoted(
    quick_plan: Path, make: Make, tmp_path: Path
) -> None:
    """Demoted cells and cells outside the plan stay exploratory, with the reason."""
    paths = [make(cell, random_rows(40)) for cell in (QWEN, DISTILLED, "demo/gsm8k")]
    loaded = load_plan(quick_plan)
    standings = Standings(
        registered={one.id: loaded.plan.cells_of(one) for one in loaded.plan.hypotheses},
        departures=(Departure(item="stage/score", frozen="a", found="b", cells=(DISTILLED,)),),
        plan_sha256=loaded.sha256,
    )
    analyse(quick_plan, paths, tmp_path, standings=standings, jobs=1)
    rows = read(tmp_path / "verdicts.csv")
    assert verdict_of(rows, "H1", QWEN)["kind"] == "confirmatory"
    assert verdict_of(rows, "H4a", DISTILLED)["kind"] == "exploratory"
    assert "stage/score differs from the freeze" in verdict_of(rows, "H4a", DISTILLED)["reason"]
    assert verdict_of(rows, "H1", "demo/gsm8k")["kind"] == "exploratory"
    assert "not in the plan's cells" in verdict_of(rows, "H1", "demo/gsm8k")["reason"]


def test_cells_outside_the_plan_come_last_and_are_tested_once(
    quick_plan: Path, make: Make, tmp_path: Path
) -> None:
    """H4a and H4b would repeat H1 and H3."""
    analyse(quick_plan, [make("demo/own", random_rows(120))], tmp_path)
    rows = read(tmp_path / "verdicts.csv")
    assert [row["id"] for row in rows[REGISTERED:]] == ["H1", "H2", "H3", "H5"]
    assert {row["cell"] for row in rows[REGISTERED:]} == {"demo/own"}


def test_holm_runs_over_the_plans_cells(quick_plan: Path, make: Make, tmp_path: Path) -> None:
    """One cell of six run: its p-value is multiplied by six, five cells count as p = 1."""
    analyse(quick_plan, [make(QWEN, random_rows(300, seed=4))], tmp_path)
    row = verdict_of(read(tmp_path / "verdicts.csv"), "H3", QWEN)
    assert float(row["p_holm"]) == pytest.approx(min(1.0, 6 * float(row["p_value"])))


def test_a_cell_that_an_earlier_stage_lost_has_failed(
    quick_plan: Path, make: Make, tmp_path: Path
) -> None:
    """The verdict word and the reason given."""
    paths = [make(DISTILLED, random_rows(40))]
    analyse(quick_plan, paths, tmp_path, failed={QWEN: "generation ran out of memory"})
    row = verdict_of(read(tmp_path / "verdicts.csv"), "H1", QWEN)
    assert row["verdict"] == "failed"
    assert row["reason"].startswith("generation ran out of memory")


def test_same_input_gives_the_same_bytes_whatever_the_number_of_processes(
    quick_plan: Path, make: Make, tmp_path: Path
) -> None:
    """One process, and two."""
    paths = [make(QWEN, random_rows(120)), make(DISTILLED, random_rows(110, seed=1))]
    for jobs in (1, 2):
        analyse(quick_plan, paths, tmp_path / str(jobs), jobs=jobs)
    for name in ("verdicts.csv", "estimates.csv"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def degenerate(kind: str) -> Rows:
    """Rows that starve the statistics in one way each."""
    rows = random_rows(1 if kind == "one question" else 110, seed=6)
    for row in rows:
        if kind == "all right":
            row["correct"] = True
        elif kind == "all wrong":
            row["correct"] = False
        elif kind == "all monotone":
            row |= {"violations": 0, "monotone": True}
        elif kind == "none monotone":
            row |= {"violations": 2, "monotone": False}
        elif kind == "constant signals":
            row |= {"entropies": [0.0, 0.0], "violations": 0, "monotone": True}
            row |= {"coherence": 0.0, "final_entropy": 0.0, "final_confidence": 1.0}
            row |= {"n_units": 1, "n_units_chain": 1}
        elif kind == "nothing answered":
            row |= {"entropies": [None] * len(row["entropies"]), "violations": None}
            row |= {"monotone": None, "coherence": None, "final_entropy": None}
            row |= {"final_confidence": None, "majority_answer": None, "correct": False}
            row |= {"answer_clusters": [[-1] * 5 for _ in row["entropies"]]}
        elif kind == "empty chains":
            row |= {"entropies": row["entropies"][:1], "n_units": 0, "n_units_chain": 0}
            row |= {"violations": None, "monotone": None}
            row |= {"coherence": None if row["entropies"][0] is None else 0.0}
    return rows


REQUIRED_ONLY = {
    *("answer_clusters", "final_samples_correct", "probe_tokens_by_prefix", "stratum"),
    *("completion_mean_logprobs", "samples_correct", "chain_mean_logprob"),
    *("chain_token_entropy", "chain_token_remainder"),
}


@pytest.mark.parametrize(
    "kind",
    [
        *("one question", "all right", "all wrong", "all monotone", "none monotone"),
        *("constant signals", "nothing answered", "empty chains"),
    ],
)
def test_degenerate_data_are_normal_data(
    quick_plan: Path, make: Make, tmp_path: Path, kind: str
) -> None:
    """A verdict with a reason everywhere, no warning, no NaN, infinity or minus zero."""
    rows = [{k: v for k, v in row.items() if k not in REQUIRED_ONLY} for row in degenerate(kind)]
    path = make(QWEN, rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        analyse(quick_plan, [path], tmp_path)
    verdicts = [row for row in read(tmp_path / "verdicts.csv") if row["cell"] == QWEN]
    assert all(row["verdict"] and row["reason"] for row in verdicts)
    assert verdict_of(verdicts, "H1", QWEN)["verdict"] == "not assessable"
    for row in verdicts + read(tmp_path / "estimates.csv"):
        for column in ("estimate", "ci_low", "ci_high", "p_value", "p_holm"):
            assert row[column] != "-0.0"
            assert row[column] == "" or math.isfinite(float(row[column]))


def test_small_groups_are_not_assessable_with_the_reason(
    quick_plan: Path, make: Make, tmp_path: Path
) -> None:
    """29 non-monotone chains: one too few."""
    rows = random_rows(200, seed=8)
    for index, row in enumerate(rows):
        row |= {"monotone": index >= 29, "violations": int(index < 29), "correct": index % 3 > 0}
    analyse(quick_plan, [make(QWEN, rows)], tmp_path)
    row = verdict_of(read(tmp_path / "verdicts.csv"), "H1", QWEN)
    assert row["verdict"] == "not assessable"
    assert row["reason"].startswith("29 non-monotone chains, fewer than 30")


@pytest.mark.parametrize(
    ("flip", "expected"), [(False, "supported"), (True, "refuted")], ids=["above", "below"]
)
def test_a_clear_gap_is_decided_either_way(
    quick_plan: Path, make: Make, tmp_path: Path, flip: bool, expected: str
) -> None:
    """80 % against 40 % in 100 chains each, and the reverse."""
    rows = random_rows(200, seed=8)
    for index, row in enumerate(rows):
        monotone = index < 100
        right = index % 10 < (8 if monotone != flip else 4)
        row |= {"monotone": monotone, "violations": int(not monotone), "correct": right}
    analyse(quick_plan, [make(QWEN, rows)], tmp_path)
    assert verdict_of(read(tmp_path / "verdicts.csv"), "H1", QWEN)["verdict"] == expected


def test_the_same_cell_twice_is_refused(quick_plan: Path, make: Make, tmp_path: Path) -> None:
    """Nothing is written."""
    first = make(QWEN, random_rows(40))
    second = tmp_path / "copy.parquet"
    shutil.copy(first, second)
    with pytest.raises(DataError, match=r"copy\.parquet.*was given before"):
        analyse(quick_plan, [first, second], tmp_path / "out", jobs=1)
    assert not (tmp_path / "out").exists()


def test_a_file_of_two_cells_is_refused(quick_plan: Path, tmp_path: Path) -> None:
    """One file, one cell."""
    rows = random_rows(4)
    rows[0]["cell"] = "other/cell"
    path = tmp_path / "mixed.parquet"
    write_trajectories(path, rows)
    with pytest.raises(DataError, match="holds 2 cells"):
        analyse(quick_plan, [path], tmp_path / "out")


def test_contradictory_shape_columns_are_refused(quick_plan: Path, tmp_path: Path) -> None:
    """A chain with two violations cannot be monotone."""
    rows = random_rows(4)
    rows[2] |= {"violations": 2, "monotone": True}
    path = tmp_path / "contradiction.parquet"
    write_trajectories(path, rows)
    with pytest.raises(DataError, match="`q2`: `violations` and `monotone` contradict"):
        analyse(quick_plan, [path], tmp_path / "out")


def test_a_repeated_question_is_refused(quick_plan: Path, tmp_path: Path) -> None:
    """A question counts once."""
    rows = random_rows(4)
    rows[3]["question_id"] = rows[0]["question_id"]
    path = tmp_path / "twice.parquet"
    write_trajectories(path, rows)
    with pytest.raises(DataError, match="stands twice"):
        analyse(quick_plan, [path], tmp_path / "out")


def test_no_questions_are_refused(quick_plan: Path, tmp_path: Path) -> None:
    """An empty file has no cell."""
    path = tmp_path / "empty.parquet"
    write_trajectories(path, [])
    with pytest.raises(DataError, match="no questions"):
        analyse(quick_plan, [path], tmp_path / "out")


def test_no_plan_no_analysis(make: Make, tmp_path: Path) -> None:
    """The plan is read before anything else."""
    with pytest.raises(PlanError):
        analyse(tmp_path / "none.yaml", [make(QWEN, random_rows(4))], tmp_path / "out")


def test_no_trajectories_still_give_every_row(quick_plan: Path, tmp_path: Path) -> None:
    """All not run."""
    analyse(quick_plan, [], tmp_path)
    rows = read(tmp_path / "verdicts.csv")
    assert len(rows) == REGISTERED
    assert {row["verdict"] for row in rows} == {"not run"}
