"""E11: the consistency label beside the entropy signal, on the same chains (exploratory).

Chains that the judge calls consistent or inconsistent are compared; all others are counted. The
label is about the chain's own answer, so both outcomes are given: `correct` (majority of the
completions at the last prefix) and `chain_correct` (the chain's own answer).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.stats import fisher_exact

from cot_entropy.consistency.combined import combined_auroc
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.taxonomy import UNASSESSED
from cot_entropy.plan.entries.consistency import Consistency
from cot_entropy.stats.cells import Cell, Flags, Settings, Values
from cot_entropy.stats.explore.bootstrap import Rows, Weights, bootstrap, ratio
from cot_entropy.stats.explore.ranking import Ranking, auroc
from cot_entropy.stats.rows import Estimate

OUTCOMES: Final = ("correct", "chain_correct")
SIGNALS: Final = ("violations", "final_entropy")


@dataclass(frozen=True, kw_only=True)
class Joined:
    """The judge's label per question of a cell, each `(n,)`; `inconsistent` only where decided."""

    decided: Flags
    inconsistent: Flags
    counts: Mapping[str, int]


def estimate(
    cell: Cell, entry: Consistency, settings: Settings, *, judgements: Mapping[str, Judgement]
) -> list[Estimate]:
    """All E11 rows of one cell; judgements by question id.

    `auroc_<signal>_for_inconsistent` is P(signal higher in an inconsistent chain), ties half: 0.5
    where the two signals have nothing to do with each other.
    """
    rows = Rows(entry=entry, cell=cell)
    joined = join(cell, judgements)
    found = [
        rows.number(f"n_{name}", count, n=cell.n, reason="chains by outcome of the scan")
        for name, count in joined.counts.items()
    ]
    if "correct" in entry.params.against:
        for outcome in OUTCOMES:
            found.extend(_accuracy(rows, settings, joined, outcome))
    if "shape_flag" in entry.params.against:
        found.extend(_shape(rows, settings, joined))
    found.extend(
        _ranked(rows, settings, joined, signal)
        for signal in SIGNALS
        if signal in entry.params.against
    )
    for outcome in OUTCOMES:
        if "shape_flag" in entry.params.against:
            found.extend(_quadrants(rows, settings, joined, outcome))
        if "final_entropy" in entry.params.against:
            found.extend(
                combined_auroc(
                    rows,
                    settings,
                    outcome=outcome,
                    decided=joined.decided,
                    inconsistent=joined.inconsistent,
                    folds=entry.params.folds,
                )
            )
    return found


def join(cell: Cell, judgements: Mapping[str, Judgement]) -> Joined:
    """Line judgements up with a cell's questions; questions without one are `not_scanned`."""
    outcomes = np.array(
        [
            judgements[question].outcome if question in judgements else "not_scanned"
            for question in cell.frame["question_id"]
        ]
    )
    inconsistent = outcomes == "inconsistent"
    names = (
        "consistent", "inconsistent", "not_applicable", "judge_error", *UNASSESSED, "not_scanned",
    )  # fmt: skip
    return Joined(
        decided=inconsistent | (outcomes == "consistent"),
        inconsistent=inconsistent,
        counts={name: int(np.sum(outcomes == name)) for name in names},
    )


def _accuracy(rows: Rows, settings: Settings, joined: Joined, outcome: str) -> list[Estimate]:
    right = rows.cell.flags(outcome)
    kept = joined.decided & ~joined.inconsistent
    flagged = joined.inconsistent

    def statistic(weights: Weights) -> Values:
        accurate = [_share(weights, right, group) for group in (kept, flagged)]
        return np.stack([*accurate, 100 * (accurate[0] - accurate[1])])

    names = ("accuracy_consistent", "accuracy_inconsistent", "accuracy_gap_pp")
    sizes = (kept.sum(), flagged.sum(), joined.decided.sum())
    p_value = _fisher(right[kept], right[flagged])
    return [
        rows.row(
            f"{name}_{outcome}",
            number,
            n=int(size),
            p_value=p_value if name == "accuracy_gap_pp" else None,
            undefined="no chain with this label",
        )
        for name, number, size in zip(
            names, bootstrap(rows.cell, settings, statistic), sizes, strict=True
        )
    ]


def _shape(rows: Rows, settings: Settings, joined: Joined) -> list[Estimate]:
    """Whether the shape flag and the label pick the same chains."""
    cell = rows.cell
    base = joined.decided & cell.shape_defined
    flagged = base & ~cell.monotone
    monotone = base & cell.monotone

    def statistic(weights: Weights) -> Values:
        rates = [_share(weights, joined.inconsistent, group) for group in (monotone, flagged)]
        both = _share(weights, flagged & joined.inconsistent, base)
        shape, label = _share(weights, flagged, base), _share(weights, joined.inconsistent, base)
        expected = shape * label + (1 - shape) * (1 - label)
        observed = both + (1 - shape - label + both)
        return np.stack([*rates, ratio(observed - expected, 1 - expected)])

    names = (
        "inconsistent_share_monotone",
        "inconsistent_share_non_monotone",
        "kappa_inconsistent_non_monotone",
    )
    p_value = _fisher(joined.inconsistent[monotone], joined.inconsistent[flagged])
    sizes = (monotone.sum(), flagged.sum(), base.sum())
    return [
        rows.row(
            name,
            number,
            n=int(size),
            n_monotone=int(monotone.sum()),
            p_value=p_value if name.startswith("kappa") else None,
            undefined="no such chain, or a flag that never varies",
        )
        for name, number, size in zip(
            names, bootstrap(cell, settings, statistic), sizes, strict=True
        )
    ]


def _ranked(rows: Rows, settings: Settings, joined: Joined, signal: str) -> Estimate:
    values = rows.cell.values(signal)
    base = joined.decided & ~np.isnan(values)
    ranking = Ranking.of(values, joined.inconsistent, base)

    def statistic(weights: Weights) -> Values:
        return auroc(ranking.sums(weights))[None]

    return rows.row(
        f"auroc_{signal}_for_inconsistent",
        bootstrap(rows.cell, settings, statistic)[0],
        n=int(base.sum()),
        undefined="all chains have the same label",
    )


def _quadrants(rows: Rows, settings: Settings, joined: Joined, outcome: str) -> list[Estimate]:
    """Accuracy where both signals, one of them, or neither flags the chain."""
    cell = rows.cell
    right = cell.flags(outcome)
    base = joined.decided & cell.shape_defined
    shape, label = base & ~cell.monotone, base & joined.inconsistent
    groups = {
        "both": shape & label,
        "shape_only": shape & ~label,
        "consistency_only": label & ~shape,
        "neither": base & ~shape & ~label,
    }

    def statistic(weights: Weights) -> Values:
        return np.stack([_share(weights, right, group) for group in groups.values()])

    return [
        rows.row(
            f"accuracy_flagged_{name}_{outcome}",
            number,
            n=int(group.sum()),
            n_correct=int((group & right).sum()),
            undefined="no such chain",
        )
        for (name, group), number in zip(
            groups.items(), bootstrap(cell, settings, statistic), strict=True
        )
    ]


def _share(weights: Weights, flag: Flags, group: Flags) -> Values:
    """The weighted share of a flag within a group, `(b,)`; NaN where the group is empty."""
    total = (group @ weights).astype(np.float64)
    return ratio(((flag & group) @ weights).astype(np.float64), total)


def _fisher(first: Flags, second: Flags) -> float | None:
    """Fisher's exact test that a flag is as frequent in both groups; None for an empty group."""
    if not len(first) or not len(second):
        return None
    table = np.array([[group.sum(), (~group).sum()] for group in (first, second)])
    return float(fisher_exact(table).pvalue)
