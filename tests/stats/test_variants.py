"""E12 and E13: planted differences between protocols come back, paired and to the digit."""

from __future__ import annotations

import csv
from copy import deepcopy
from pathlib import Path
from statistics import stdev
from typing import Any

import pytest
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score
from tests.stats.explore.simulated import random_rows

from cot_entropy.base.errors import DataError
from cot_entropy.formats.trajectories import write_trajectories
from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Plan
from cot_entropy.protocol.variants import Compared, VariantsJob
from cot_entropy.stats.cells import Cell, read_cell
from cot_entropy.stats.rows import VariantEstimate
from cot_entropy.stats.variants import compare_cell, compare_variants

PLAN = Path(__file__).parents[2] / "preregistration/plan.yaml"
N = 60


@pytest.fixture(scope="module")
def plan() -> Plan:
    return load_plan(PLAN).plan.model_copy(update={"resamples": 200})


@pytest.fixture
def rows() -> list[dict[str, Any]]:
    return random_rows(N)


def cell(path: Path, rows: list[dict[str, Any]]) -> Cell:
    write_trajectories(path, rows)
    return read_cell(path)


def changed(rows: list[dict[str, Any]], **values: Any) -> list[dict[str, Any]]:
    """Copies of the rows; a value may be a function of the row."""
    copies = deepcopy(rows)
    for row in copies:
        row.update({k: v(row) if callable(v) else v for k, v in values.items()})
    return copies


def compared(
    plan: Plan, folder: Path, rows: list[dict[str, Any]], variant: list[dict[str, Any]]
) -> dict[str, VariantEstimate]:
    own, other = cell(folder / "own.parquet", rows), cell(folder / "other.parquet", variant)
    found = compare_cell(plan, own, {"registered": own, "other": other}, [])
    return {row.quantity: row for row in found}


def test_a_variant_that_changes_nothing_differs_by_nothing(
    plan: Plan, tmp_path: Path, rows: list[dict[str, Any]]
) -> None:
    """Paired on the same resamples: the interval of the difference is 0 to 0."""
    found = compared(plan, tmp_path, rows, rows)
    for name in ("accuracy", "flag_rate", "rho_violations", "auroc_final_entropy"):
        row = found[f"{name}[other]"]
        assert (row.difference, row.difference_low, row.difference_high) == (0.0, 0.0, 0.0)


def test_tokens_that_each_question_saves_are_the_difference(
    plan: Plan, tmp_path: Path, rows: list[dict[str, Any]]
) -> None:
    fewer = changed(rows, probe_tokens=lambda row: row["probe_tokens"] - 10)
    row = compared(plan, tmp_path, rows, fewer)["tokens_per_question[other]"]
    found = (row.difference, row.difference_low, row.difference_high)
    assert found == pytest.approx((-10, -10, -10))


def test_answers_made_right_are_the_accuracy_gained(
    plan: Plan, tmp_path: Path, rows: list[dict[str, Any]]
) -> None:
    wrong = [row["question_id"] for row in rows if not row["correct"]][:6]
    better = changed(rows, correct=lambda row: row["correct"] or row["question_id"] in wrong)
    row = compared(plan, tmp_path, rows, better)["accuracy[other]"]
    assert row.difference == pytest.approx(6 / N)
    assert row.difference_low is not None
    assert row.difference_low >= 0


def test_a_planted_gap_is_found_under_the_variant_alone(
    plan: Plan, tmp_path: Path, rows: list[dict[str, Any]]
) -> None:
    """Right exactly where monotone: 100 points, less whatever the registered rows have."""
    shaped = changed(rows, correct=lambda row: bool(row["monotone"]))
    found = compared(plan, tmp_path, rows, shaped)
    gap = found["accuracy_gap_pp[other]"]
    own = found["accuracy_gap_pp[registered]"].estimate
    assert gap.estimate == pytest.approx(100)
    assert own is not None
    assert gap.difference == pytest.approx(100 - own)


def test_correlations_and_auroc_are_those_of_the_libraries(
    plan: Plan, tmp_path: Path, rows: list[dict[str, Any]]
) -> None:
    found = compared(plan, tmp_path, rows, rows)
    for column, quantity in (("violations", "rho_violations"), ("coherence", "rho_coherence")):
        pairs = [(row[column], row["correct"]) for row in rows if row[column] is not None]
        rho = spearmanr(*zip(*pairs, strict=True)).statistic
        assert found[f"{quantity}[registered]"].estimate == pytest.approx(rho)
    pairs = [
        (row["correct"], -row["final_entropy"]) for row in rows if row["final_entropy"] is not None
    ]
    area = roc_auc_score(*zip(*pairs, strict=True))
    assert found["auroc_final_entropy[registered]"].estimate == pytest.approx(area)


def test_the_spread_between_seeds_stands_beside_every_interval(
    plan: Plan, tmp_path: Path, rows: list[dict[str, Any]]
) -> None:
    """Accuracies of three decoding runs: their standard deviation, n - 1."""
    own = cell(tmp_path / "own.parquet", changed(rows, correct=False))
    runs = {
        f"seed_{count}": cell(
            tmp_path / f"{count}.parquet",
            changed(rows, correct=lambda row, count=count: int(row["question_id"][1:]) < count),
        )
        for count in (6, 12)
    }
    found = compare_cell(plan, own, {"registered": own, **runs}, [*runs.values()])
    (spread,) = {row.between_seed_sd for row in found if row.quantity.startswith("accuracy[")}
    assert spread == pytest.approx(stdev([0.0, 0.1, 0.2]))


def test_everything_is_exploratory_and_the_map_names_the_criterion(
    plan: Plan, tmp_path: Path, rows: list[dict[str, Any]]
) -> None:
    """H2's bounds; coherence that orders the answers perfectly is outside them."""
    ordered = sorted(row["coherence"] for row in rows if row["coherence"] is not None)
    middle = ordered[len(ordered) // 2]
    found = compared(
        plan, tmp_path, rows, changed(rows, correct=lambda row: (row["coherence"] or 0) > middle)
    )
    assert {row.kind for row in found.values()} == {"exploratory"}
    assert {row.id for row in found.values()} == {"E12", "E13"}
    assert found["rho_coherence[other]"].reason == (
        "null does not hold: 95% interval outside [-0.1, 0.1]"
    )


def job(own: Path, other: Path) -> VariantsJob:
    return VariantsJob(
        protocol="registered",
        cells=["model/data"],
        variants=[Compared(name="other", reseeded=False)],
        trajectories=[str(own), str(other)],
        code_digest="",
    )


def test_questions_are_paired_by_id_whatever_their_order(
    tmp_path: Path, rows: list[dict[str, Any]]
) -> None:
    own, other = tmp_path / "own.parquet", tmp_path / "other.parquet"
    write_trajectories(own, rows)
    write_trajectories(other, rows[::-1])
    compare_variants(job(own, other), plan=PLAN, out=tmp_path / "variants.csv")
    with (tmp_path / "variants.csv").open() as stream:
        table = {row["quantity"]: row for row in csv.DictReader(stream)}
    row = table["accuracy[other]"]
    assert (row["difference_low"], row["difference_high"]) == ("0.0", "0.0")
    assert row["variant"] == "other"
    assert row["trajectories_sha256"] != table["accuracy[registered]"]["trajectories_sha256"]


def test_other_questions_cannot_be_paired(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    own, other = tmp_path / "own.parquet", tmp_path / "other.parquet"
    write_trajectories(own, rows)
    write_trajectories(other, rows[1:])
    with pytest.raises(DataError, match="not the questions of model/data"):
        compare_variants(job(own, other), plan=PLAN, out=tmp_path / "variants.csv")
