"""The tables beside a synthetic run at the size of the registered study: random numbers, no model.

Calibration on the full grid, every grader, and two dozen variants, so that a benchmark draws every
figure that a real study has.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
from tests.report.synthetic_run import PLAN, PROTOCOL

from cot_entropy.plan.load import load_plan
from cot_entropy.report.inputs import cell_files
from cot_entropy.stats.calibration.decidable import DecidableRow, decidable_rows
from cot_entropy.stats.calibration.effort import FULL
from cot_entropy.stats.calibration.pooled_studies import PooledCalibrationRow
from cot_entropy.stats.calibration.power import GAPS, DetectableRow, PowerRow
from cot_entropy.stats.calibration.records import write_records
from cot_entropy.stats.calibration.tally import CalibrationRow
from cot_entropy.stats.rows import VariantEstimate
from cot_entropy.stats.tables import VARIANT_COLUMNS, write_csv, write_table

VARIANTS = [f"variant_{number}" for number in range(1, 25)]
QUANTITIES = {"accuracy_gap_pp": 12.0, "flag_rate": 0.5, "rho_violations": -0.2, "accuracy": 0.7}
GRADERS = [*product(("registered", "zhao", "robust"), ("normalised", "by_value"))]
POOLED = PooledCalibrationRow(
    measure="mean_of_models_log_odds",
    log_odds=0.0,
    spread=0.3,
    shared=0.6,
    studies=2000,
    coverage=0.935,
    missed_below=0.03,
    missed_above=0.035,
    supports=0.035,
    covers=False,
)


def write_tables(results: Path, cells: Sequence[str], *, seed: int = 20261129) -> None:
    """Write all of them below results/<study>/."""
    rng = np.random.default_rng(seed)
    _write_calibration(results / "calibration", rng)
    rows = [
        VariantEstimate(
            id="E13", cell=cell, quantity=f"{name}[{variant}]", kind="exploratory", variant=variant, estimate=middle,
            difference=(moved := float(rng.normal(0, abs(middle) / 5))),
            difference_low=moved - abs(middle) / 5, difference_high=moved + abs(middle) / 5,
            between_seed_sd=abs(middle) / 50,
        )
        for cell, variant, (name, middle) in product(cells, VARIANTS, QUANTITIES.items())
    ]  # fmt: skip
    write_table(
        results / "variants.csv",
        rows,
        columns=VARIANT_COLUMNS,
        plan_sha256="",
        trajectories_sha256={},
    )
    columns = ("cell", "extraction", "equivalence", "registered", "accuracy_gap_pp")
    for cell in cells:
        graders = [
            (cell, *grader, grader == GRADERS[0], float(rng.normal(12, 3))) for grader in GRADERS
        ]
        write_csv(cell_files(results, cell, PROTOCOL).sensitivity, columns, graders)


def _write_calibration(folder: Path, rng: np.random.Generator) -> None:
    grid = [*product(FULL.sizes, FULL.accuracies, FULL.flag_rates)]
    intervals = ("agresti_caffo", "newcombe", "percentile", "bca")
    rows = [
        _interval(("accuracy_gap_pp", n, accuracy, rate, truth, name), rng)
        for (n, accuracy, rate), truth, name in product(grid, FULL.gaps, intervals)
    ]
    rows += [
        _interval(("rho_violations", n, accuracy, rate, truth, name), rng)
        for (n, accuracy, rate), truth, name in product(grid, FULL.rhos, ("permutation_t", "bca"))
    ]
    rows += [
        _interval(("rho_coherence", n, accuracy, None, truth, name), rng)
        for n, accuracy, truth, name in product(
            FULL.coherence_sizes, FULL.accuracies, FULL.coherence_rhos, ("permutation_t", "bca")
        )
    ]
    rows += [
        _interval(("filter_auroc", n, 1 - wrong, None, 0.5 + effect / 5, name), rng)
        for (n, wrong, effect), name in product(FULL.filters, ("normal_clipped", "percentile"))
    ]
    power = [
        PowerRow(
            estimand="accuracy_gap_pp", n=n, accuracy=accuracy, flag_rate=rate, effect=gap,
            verdict="supported", power=1 - float(np.exp(-gap * n * rate / 2000)),
            power_first_step=1 - float(np.exp(-gap * n * rate / 4000)), method="synthetic",
        )
        for (n, accuracy, rate), gap in product(grid, GAPS)
    ]  # fmt: skip
    power += [
        PowerRow(
            estimand=row.estimand, n=row.n, accuracy=row.accuracy, flag_rate=row.flag_rate,
            effect=row.truth, verdict="supported", power=float(rng.random()), power_first_step=0.0,
            method="synthetic",
        )
        for row in rows
        if row.decides and row.estimand != "accuracy_gap_pp" and row.false_support_limit is None
    ]  # fmt: skip
    detectable = [
        DetectableRow(n=n, accuracy=accuracy, flag_rate=rate, gap_pp=3 / rate if rate > 0.05 else None,
                      gap_pp_first_step=None)
        for n, accuracy, rate in grid
    ]  # fmt: skip
    write_records(folder / "calibration.csv", rows, CalibrationRow)
    write_records(folder / "power.csv", power, PowerRow)
    write_records(folder / "detectable.csv", detectable, DetectableRow)
    decidable = decidable_rows(power, load_plan(PLAN).plan)
    write_records(folder / "decidable.csv", decidable, DecidableRow)
    write_records(folder / "pooled.csv", [POOLED], PooledCalibrationRow)


def _interval(
    at: tuple[str, int, float, float | None, float, str], rng: np.random.Generator
) -> CalibrationRow:
    estimand, n, accuracy, flag_rate, truth, name = at
    coverage = min(1.0, float(rng.normal(0.948, 0.01)))
    claimed = truth == 0.0 if estimand == "rho_coherence" else truth not in {0.0, 0.5}
    supported = float(rng.uniform(0.0, 0.035)) if not claimed else 0.5
    return CalibrationRow(
        estimand=estimand, n=n, accuracy=accuracy, flag_rate=flag_rate, truth=truth, interval=name,
        decides=name in {"agresti_caffo", "permutation_t", "normal_clipped"}, studies=2000, assessable=1.0,
        coverage=coverage, missed_below=(1 - coverage) / 2, missed_above=(1 - coverage) / 2,
        interval_supports=supported, supported=supported, supported_first_step=supported / 2,
        refuted=0.0, false_support_limit=None if claimed else 0.032,
        within_limit=None if claimed else supported <= 0.032, covers=coverage >= 0.94,
    )  # fmt: skip
