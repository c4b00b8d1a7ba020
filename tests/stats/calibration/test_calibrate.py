"""The quick calibration, from end to end, and the facts that chose the deciding intervals."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Hypothesis
from cot_entropy.registration.items import CALIBRATION
from cot_entropy.stats.calibration import calibrate
from cot_entropy.stats.calibration.decidable import DecidableRow
from cot_entropy.stats.calibration.effort import FULL, QUICK
from cot_entropy.stats.calibration.planning import SuccessRow
from cot_entropy.stats.calibration.pooled_studies import PooledCalibrationRow
from cot_entropy.stats.calibration.power import DetectableRow, PowerRow
from cot_entropy.stats.calibration.records import read_records
from cot_entropy.stats.calibration.studies import gap_studies, rank_studies
from cot_entropy.stats.calibration.tally import CalibrationRow
from cot_entropy.stats.populations import coherence_shares, violation_shares

PATH = Path(__file__).parents[3] / "preregistration/plan.yaml"
PLAN = load_plan(PATH).plan
SOME = replace(QUICK, studies=600, exact_like=3000, resamples=300, permutations=300)


def hypothesis(identifier: str) -> Hypothesis:
    return next(one for one in PLAN.hypotheses if one.id == identifier)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, str]]]:
    out = tmp_path_factory.mktemp("calibration")
    calibrate(PATH, out, effort="quick", jobs=1)
    found = {}
    for path in out.iterdir():
        with path.open(newline="") as stream:
            found[path.name] = list(csv.DictReader(stream))
    return found


@pytest.mark.full
def test_the_tables_are_written(tables: dict[str, list[dict[str, str]]]) -> None:
    """And nothing else: the folder of finished settings is gone."""
    expected = {
        *("calibration.csv", "coverage_map.csv"),
        *("power.csv", "detectable.csv", "decidable.csv", "pooled.csv", "success.csv"),
    }
    assert set(tables) == expected


@pytest.mark.full
def test_every_hypothesis_has_its_deciding_interval_simulated(
    tables: dict[str, list[dict[str, str]]],
) -> None:
    """Each estimand of the plan, by the interval that decides it."""
    decided = {
        (row["estimand"], row["interval"])
        for row in tables["calibration.csv"]
        if row["decides"] == "true"
    }
    assert decided == {(one.estimand, one.interval) for one in PLAN.hypotheses}


@pytest.mark.full
def test_no_deciding_interval_exceeds_its_limit(tables: dict[str, list[dict[str, str]]]) -> None:
    """False support at most 2.5 % (5 % for each one-sided test of H2) plus two standard errors."""
    rows = [row for row in tables["calibration.csv"] if row["decides"] == "true"]
    assert any(row["within_limit"] for row in rows)
    assert "false" not in {row["within_limit"] for row in rows}


@pytest.mark.full
def test_the_map_holds_the_settings_that_miss_their_coverage(
    tables: dict[str, list[dict[str, str]]],
) -> None:
    """The rows whose coverage is below the level by more than two standard errors."""
    missed = [
        row
        for row in tables["calibration.csv"]
        if float(row["coverage"]) < 0.95 - 2 * math.sqrt(0.95 * 0.05 / float(row["studies"]))
    ]
    assert tables["coverage_map.csv"] == missed


@pytest.mark.parametrize("name", CALIBRATION)
def test_the_registered_tables_have_the_columns_of_a_new_calibration(name: str) -> None:
    """What stands beside the plan was written by this version of the code."""
    path = PATH.parent / name
    if not path.exists():
        pytest.skip("the plan has not been calibrated in full yet")
    kind = {
        "power": PowerRow,
        "detectable": DetectableRow,
        "decidable": DecidableRow,
        "pooled": PooledCalibrationRow,
        "success": SuccessRow,
    }.get(path.stem, CalibrationRow)
    assert read_records(path, kind)


def test_every_registered_rule_keeps_its_error_rate() -> None:
    """In the registered tables no deciding interval supports a false claim too often."""
    path = PATH.parent / "calibration/calibration.csv"
    if not path.exists():
        pytest.skip("the plan has not been calibrated in full yet")
    rows = [row for row in read_records(path, CalibrationRow) if row.decides]
    assert {row.estimand for row in rows if row.within_limit is not None} == {
        one.estimand for one in PLAN.hypotheses
    }
    beyond = [row for row in rows if row.within_limit is False]
    assert beyond == []


@pytest.mark.full
def test_every_number_is_finite(tables: dict[str, list[dict[str, str]]]) -> None:
    """No NaN, no infinity, no minus zero."""
    for rows in tables.values():
        for row in rows:
            assert not {"nan", "inf", "-inf", "-0.0"} & set(row.values())


def test_at_least_2000_studies_a_setting_in_the_full_run() -> None:
    """As registered; fewer resamples inside each."""
    assert min(FULL.studies, FULL.exact_like) >= 2000


def test_percentile_interval_fails_where_the_protocol_says_it_does() -> None:
    """93 % accuracy, 40 monotone chains of 1319: it supports a false claim too often, and the
    deciding interval does not."""
    rows = gap_studies(
        hypothesis("H1"),
        PLAN,
        effort=replace(SOME, studies=2000),
        n=1319,
        accuracy=0.93,
        flag_rate=40 / 1319,
        gap=0.0,
        rng=np.random.default_rng(1),
    )
    found = {row.interval: row for row in rows}
    percentile = found["percentile"]
    assert percentile.false_support_limit is not None
    assert percentile.interval_supports > percentile.false_support_limit
    assert percentile.coverage < 0.94
    assert found["agresti_caffo"].within_limit is True
    assert found["agresti_caffo"].covers is True


def test_permutation_interval_holds_where_few_chains_have_violations() -> None:
    """95 % right, 95 % monotone, n = 500: expected one wrong answer with violations."""
    rows = rank_studies(
        hypothesis("H3"),
        PLAN,
        effort=replace(SOME, studies=1500),
        n=500,
        accuracy=0.95,
        flag_rate=0.95,
        levels=violation_shares(0.95),
        rho=0.0,
        rng=np.random.default_rng(2),
    )
    found = {row.interval: row for row in rows}
    assert found["permutation_t"].within_limit is True
    assert found["permutation_t"].covers is True
    assert found["percentile"].covers is False


def test_permutation_interval_covers_away_from_zero() -> None:
    """rho = -0.2 in a cell of 95 % right answers and 75 % monotone chains."""
    rows = rank_studies(
        hypothesis("H3"),
        PLAN,
        effort=replace(SOME, studies=1000),
        n=1319,
        accuracy=0.95,
        flag_rate=0.75,
        levels=violation_shares(0.75),
        rho=-0.2,
        rng=np.random.default_rng(4),
    )
    found = {row.interval: row for row in rows}
    assert found["permutation_t"].covers is True


@pytest.mark.parametrize(("n", "least", "most"), [(1319, 0.88, 1.0), (300, 0.0, 0.12)])
def test_equivalence_has_power_at_1319_and_none_at_300(n: int, least: float, most: float) -> None:
    """rho = 0. Arithmetic for n = 1319: 2 Phi((0.1 sqrt(n - 1)) - 1.645) - 1 = 0.95."""
    rows = rank_studies(
        hypothesis("H2"),
        PLAN,
        effort=SOME,
        n=n,
        accuracy=0.7,
        flag_rate=None,
        levels=coherence_shares(),
        rho=0.0,
        rng=np.random.default_rng(3),
    )
    (deciding,) = [row for row in rows if row.decides]
    assert least <= deciding.supported <= most
