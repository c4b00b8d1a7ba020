"""Reads a plan and refuses what no single value shows to be wrong, with file and line.

A plan that names something unknown, leaves out a bound or registers a rule that cannot come out
both ways (never supported, or never refuted, whatever the data) is no plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cot_entropy.base.errors import PlanError
from cot_entropy.base.located_yaml import Location, read_located_yaml, validate_located
from cot_entropy.plan.exploratory import ExploratoryEntry
from cot_entropy.plan.model import Estimand, Hypothesis, Interval, Plan, PValue

RANGES: Final[dict[Estimand, tuple[float, float]]] = {
    "accuracy_gap_pp": (-100.0, 100.0),
    "rho_coherence": (-1.0, 1.0),
    "rho_violations": (-1.0, 1.0),
    "filter_auroc": (0.0, 1.0),
}
"""The least and greatest value of each estimand, in its unit."""

INTERVALS: Final[dict[Estimand, frozenset[Interval]]] = {
    "accuracy_gap_pp": frozenset({"percentile", "newcombe", "agresti_caffo"}),
    "rho_coherence": frozenset({"percentile", "permutation_t"}),
    "rho_violations": frozenset({"percentile", "permutation_t"}),
    "filter_auroc": frozenset({"percentile", "normal_clipped"}),
}
"""The intervals that the code implements for each estimand."""

P_VALUES: Final[dict[Estimand, frozenset[PValue]]] = {
    "accuracy_gap_pp": frozenset({"fisher_two_sided"}),
    "rho_coherence": frozenset({"two_one_sided", "permutation"}),
    "rho_violations": frozenset({"two_one_sided", "permutation"}),
    "filter_auroc": frozenset({"bootstrap", "bootstrap_z"}),
}
"""The tests that the code implements for each estimand."""


@dataclass(frozen=True)
class LoadedPlan:
    """A plan, and the sha256 of its content (canonical JSON, RFC 8785)."""

    plan: Plan
    sha256: str


def load_plan(path: Path) -> LoadedPlan:
    """Read and check a plan; raises PlanError naming file, line and key."""
    document = read_located_yaml(path, error=PlanError)
    plan = validate_located(document, Plan, error=PlanError)
    for location, message in plan_problems(plan):
        key = ".".join(str(part) for part in location)
        raise PlanError(f"{path}:{document.line(location)}: `{key}`: {message}")
    return LoadedPlan(plan, document.canonical_sha256)


Problem = tuple[Location, str]


def plan_problems(plan: Plan) -> Iterator[Problem]:
    """Yield (where in the plan, what is wrong) for every contradiction between its values."""
    yield from _reference_problems(plan)
    for index, hypothesis in enumerate(plan.hypotheses):
        for key, message in _hypothesis_problems(hypothesis, plan.alpha):
            yield ("hypotheses", index, *key), message


def _reference_problems(plan: Plan) -> Iterator[Problem]:
    seen: set[str] = set()
    for section in ("hypotheses", "exploratory"):
        entries: list[Hypothesis | ExploratoryEntry] = getattr(plan, section)
        for index, entry in enumerate(entries):
            if entry.population not in plan.populations:
                known = ", ".join(plan.populations)
                message = f"no population `{entry.population}`; there are: {known}"
                yield (section, index, "population"), message
            if entry.id in seen:
                yield (section, index, "id"), f"`{entry.id}` stands twice"
            seen.add(entry.id)
    for index, entry in enumerate(plan.exploratory):
        if entry.estimator == "variants":
            names = entry.params.variants
            for name in dict.fromkeys(one for one in names if names.count(one) > 1):
                location = ("exploratory", index, "params", "factors")
                yield location, f"variant `{name}` stands twice"
        if entry.estimator == "coherence_map" and entry.params.criterion not in seen:
            location = ("exploratory", index, "params", "criterion")
            yield location, f"no hypothesis `{entry.params.criterion}`"


def _hypothesis_problems(hypothesis: Hypothesis, alpha: float) -> Iterator[Problem]:
    yield from _name_problems(hypothesis)
    if hypothesis.rule == "within":
        yield from _within_problems(hypothesis)
    else:
        yield from _one_sided_problems(hypothesis)
    levels = hypothesis.levels
    if levels.refuted < levels.supported:
        yield ("levels", "refuted"), "must not be below `supported`, or both could come out"
    allowed = 2 * alpha if hypothesis.rule == "within" else alpha
    if 1 - levels.supported > allowed + 1e-9:
        yield ("levels", "supported"), f"a level below {1 - allowed:g} exceeds alpha {alpha:g}"


def _name_problems(hypothesis: Hypothesis) -> Iterator[Problem]:
    estimand = hypothesis.estimand
    known = INTERVALS[estimand]
    if hypothesis.interval not in known:
        yield ("interval",), f"`{hypothesis.interval}` is not implemented for {estimand}"
    for index, interval in enumerate(hypothesis.reported_intervals):
        if interval not in known:
            yield ("reported_intervals", index), f"`{interval}` is not implemented for {estimand}"
    if hypothesis.p_value not in P_VALUES[estimand]:
        yield ("p_value",), f"`{hypothesis.p_value}` is not implemented for {estimand}"
    if (hypothesis.filter is not None) != (estimand == "filter_auroc"):
        yield ("filter",), "stands with the estimand filter_auroc, and only there"


def _within_problems(hypothesis: Hypothesis) -> Iterator[Problem]:
    least, greatest = RANGES[hypothesis.estimand]
    low, high = hypothesis.bounds.low, hypothesis.bounds.high
    if low is None or high is None or hypothesis.bounds.threshold is not None:
        yield ("bounds",), "rule `within` needs the bounds `low` and `high`, no other"
    elif not low < high:
        yield ("bounds",), "`low` must be below `high`, or nothing can be supported"
    elif low <= least and high >= greatest:
        yield ("bounds",), f"hold all of [{least:g}, {greatest:g}], so nothing can be refuted"
    elif high <= least or low >= greatest:
        yield ("bounds",), f"lie outside [{least:g}, {greatest:g}], so nothing can be supported"
    if hypothesis.p_value != "two_one_sided":
        yield ("p_value",), "rule `within` needs the p-value `two_one_sided`"


def _one_sided_problems(hypothesis: Hypothesis) -> Iterator[Problem]:
    least, greatest = RANGES[hypothesis.estimand]
    bounds = hypothesis.bounds
    if bounds.threshold is None or bounds.low is not None or bounds.high is not None:
        yield ("bounds",), f"rule `{hypothesis.rule}` needs the bound `threshold`, no other"
    elif not least < bounds.threshold < greatest:
        yield (
            ("bounds", "threshold"),
            f"must lie inside ({least:g}, {greatest:g}), or the rule cannot come out both ways",
        )
    if hypothesis.p_value == "two_one_sided":
        yield ("p_value",), f"rule `{hypothesis.rule}` cannot use the p-value `two_one_sided`"
