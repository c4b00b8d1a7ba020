"""preregistration/plan.yaml as strict models: names and numbers, no logic.

The plan names populations, estimands, intervals, rules and bounds; the code implements each name
(`cot_entropy.stats`). Both are frozen. A plan that names something unknown, leaves out a bound
or registers a rule that cannot come out both ways is refused with its line.

Source: ../shared/protocol.md section 3; every entry says whether it comes from a paper.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from cot_entropy.errors import PlanError
from cot_entropy.prereg.exploratory import ExploratoryEntry, PriorData, Source, Strict
from cot_entropy.prereg.located_yaml import read_located_yaml, validate_located

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]
Level = Annotated[float, Field(gt=0.5, lt=1)]
Estimand = Literal["accuracy_gap_pp", "rho_coherence", "rho_violations", "filter_auroc"]
Interval = Literal[
    "percentile", "bca", "studentised", "newcombe", "fisher_z", "fisher_z_robust", "logit_robust"
]
Rule = Literal["above", "below", "within"]
PValue = Literal["fisher_two_sided", "two_one_sided", "permutation", "bootstrap"]
FilterFeature = Literal[
    "first_entropy", "last_entropy", "mean_entropy", "largest_drop", "n_units", "flat_share"
]

RANGES: Final[dict[Estimand, tuple[float, float]]] = {
    "accuracy_gap_pp": (-100.0, 100.0),
    "rho_coherence": (-1.0, 1.0),
    "rho_violations": (-1.0, 1.0),
    "filter_auroc": (0.0, 1.0),
}
"""The least and greatest value of each estimand, in its unit."""

INTERVALS: Final[dict[Estimand, frozenset[Interval]]] = {
    "accuracy_gap_pp": frozenset({"percentile", "bca", "studentised", "newcombe"}),
    "rho_coherence": frozenset({"percentile", "bca", "studentised", "fisher_z", "fisher_z_robust"}),
    "rho_violations": frozenset(
        {"percentile", "bca", "studentised", "fisher_z", "fisher_z_robust"}
    ),
    "filter_auroc": frozenset({"percentile", "bca", "logit_robust"}),
}
"""The intervals that the code implements for each estimand."""

P_VALUES: Final[dict[Estimand, frozenset[PValue]]] = {
    "accuracy_gap_pp": frozenset({"fisher_two_sided"}),
    "rho_coherence": frozenset({"two_one_sided", "permutation"}),
    "rho_violations": frozenset({"two_one_sided", "permutation"}),
    "filter_auroc": frozenset({"bootstrap", "permutation"}),
}
"""The tests that the code implements for each estimand."""


class Population(Strict):
    """Cells by reference to the study's configuration, in the order models x datasets."""

    models: list[Name] = Field(min_length=1)
    datasets: list[Name] = Field(min_length=1)

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells' names, `model/dataset`."""
        return tuple(f"{model}/{dataset}" for model in self.models for dataset in self.datasets)


class Protocol(Strict):
    """The named blocks of config/protocols.yaml that define the registered protocol."""

    chain: Name
    probe: Name
    scoring: Name


class Bounds(Strict):
    """The values a rule compares an interval with, in the estimand's unit."""

    threshold: float | None = None
    low: float | None = None
    high: float | None = None


class Levels(Strict):
    """Coverage of the deciding interval for each verdict."""

    supported: Level
    refuted: Level


class MinimumSizes(Strict):
    """Below any of these a cell is `not assessable`.

    `questions`: with a defined estimand. `group`: chains in each shape group. `correct` and
    `wrong`: right and wrong answers. `rarer`: of the rarer outcome.
    """

    questions: int = Field(default=0, ge=0)
    group: int = Field(default=0, ge=0)
    correct: int = Field(default=0, ge=0)
    wrong: int = Field(default=0, ge=0)
    rarer: int = Field(default=0, ge=0)


class Filter(Strict):
    """H5's model: a penalised logistic regression, cross-validated among monotone chains.

    `penalty` is the L2 weight on standardised coefficients (scikit-learn's C is its inverse);
    `coverages` are shares of the monotone chains kept when accuracy gained is reported.
    """

    features: list[FilterFeature] = Field(min_length=1)
    penalty: float = Field(gt=0)
    folds: int = Field(ge=2, le=20)
    coverages: list[Annotated[float, Field(gt=0, le=1)]] = Field(min_length=1)


class Hypothesis(Strict):
    """One registered claim: population, estimand, deciding interval, rule and bounds."""

    id: str = Field(pattern=r"^H[1-9][0-9]*[a-z]?$")
    claim: str = Field(min_length=1)
    population: str
    estimand: Estimand
    interval: Interval
    levels: Levels
    reported_intervals: list[Interval] = Field(min_length=1)
    rule: Rule
    bounds: Bounds
    p_value: PValue
    adjustment: Literal["holm"]
    assessable: MinimumSizes
    filter: Filter | None = None
    source: Source
    prior_data: PriorData

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        for interval in [self.interval, *self.reported_intervals]:
            if interval not in INTERVALS[self.estimand]:
                raise ValueError(f"interval `{interval}` is not implemented for {self.estimand}")
        if self.p_value not in P_VALUES[self.estimand]:
            raise ValueError(f"p-value `{self.p_value}` is not implemented for {self.estimand}")
        if (self.filter is not None) != (self.estimand == "filter_auroc"):
            raise ValueError("`filter` stands with the estimand filter_auroc, and only there")
        return self

    @model_validator(mode="after")
    def _both_ways(self) -> Self:
        least, greatest = RANGES[self.estimand]
        bounds = self.bounds
        if self.rule == "within":
            if bounds.low is None or bounds.high is None or bounds.threshold is not None:
                raise ValueError("rule `within` needs the bounds `low` and `high`, no other")
            if not bounds.low < bounds.high:
                raise ValueError("`low` must be below `high`, or nothing can be supported")
            if bounds.low <= least and bounds.high >= greatest:
                raise ValueError(f"bounds hold all of [{least}, {greatest}]: never refuted")
            if bounds.high <= least or bounds.low >= greatest:
                raise ValueError(f"bounds lie outside [{least}, {greatest}]: never supported")
            if self.p_value != "two_one_sided":
                raise ValueError("rule `within` needs the p-value `two_one_sided`")
        else:
            if bounds.threshold is None or bounds.low is not None or bounds.high is not None:
                raise ValueError(f"rule `{self.rule}` needs the bound `threshold`, no other")
            if not least < bounds.threshold < greatest:
                raise ValueError(
                    f"`threshold` must lie inside ({least}, {greatest}), "
                    "or the rule cannot come out both ways"
                )
            if self.p_value == "two_one_sided":
                raise ValueError(f"rule `{self.rule}` cannot use the p-value `two_one_sided`")
        if self.levels.refuted < self.levels.supported:
            raise ValueError("`levels.refuted` must not be below `levels.supported`")
        return self


class MissingData(Strict):
    """What becomes of undefined values; each name is the rule the code implements."""

    no_answer_majority: Literal["wrong"]
    prefix_without_answer: Literal["entropy_missing"]
    undefined_shape: Literal["outside_and_counted"]
    undefined_coherence: Literal["outside_and_counted"]
    resample_without_a_group: Literal["dropped_and_counted"]
    missing_cell: Literal["not_run"]
    not_assessable_in_holm: Literal["p_one"]


class Plan(Strict):
    """The whole registration."""

    schema_version: Literal[1]
    title: str = Field(min_length=1)
    alpha: float = Field(gt=0, lt=0.5)
    level: Level
    resamples: int = Field(ge=100, le=1_000_000)
    permutations: int = Field(ge=100, le=1_000_000)
    seed: int = Field(ge=0, lt=2**53)
    eps: float = Field(ge=0, le=2)
    m: int = Field(ge=2, le=64)
    protocol: Protocol
    populations: dict[Name, Population] = Field(min_length=1)
    missing_data: MissingData
    hypotheses: list[Hypothesis] = Field(min_length=1)
    exploratory: list[ExploratoryEntry]

    @property
    def cells(self) -> tuple[str, ...]:
        """Every cell that the plan names, in the order of first mention."""
        return tuple(dict.fromkeys(cell for p in self.populations.values() for cell in p.cells))

    def cells_of(self, entry: Hypothesis | ExploratoryEntry) -> tuple[str, ...]:
        """The cells of an entry's population, in plan order."""
        return self.populations[entry.population].cells


@dataclass(frozen=True)
class LoadedPlan:
    """A plan, and the sha256 of its content (canonical JSON, RFC 8785)."""

    plan: Plan
    sha256: str


def load_plan(path: Path) -> LoadedPlan:
    """Read and check a plan; raises PlanError naming file, line and key."""
    document = read_located_yaml(path, error=PlanError)
    plan = validate_located(document, Plan, error=PlanError)
    for location, message in _references(plan):
        key = ".".join(str(part) for part in location)
        raise PlanError(f"{path}:{document.line(location)}: `{key}`: {message}")
    return LoadedPlan(plan, document.canonical_sha256)


def _references(plan: Plan) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """What a single entry cannot see: names that point nowhere, ids that stand twice."""
    seen: set[str] = set()
    sections = (("hypotheses", plan.hypotheses), ("exploratory", plan.exploratory))
    for section, entries in sections:
        for index, entry in enumerate(entries):
            if entry.population not in plan.populations:
                known = ", ".join(plan.populations)
                yield (
                    (section, index, "population"),
                    f"no population `{entry.population}`; there are: {known}",
                )
            if entry.id in seen:
                yield (section, index, "id"), f"`{entry.id}` stands twice"
            seen.add(entry.id)
    for index, entry in enumerate(plan.exploratory):
        if entry.estimator == "coherence_map" and entry.params.criterion not in seen:
            location = ("exploratory", index, "params", "criterion")
            yield location, f"no hypothesis `{entry.params.criterion}`"
    for index, hypothesis in enumerate(plan.hypotheses):
        tail = 1 - hypothesis.levels.supported
        allowed = 2 * plan.alpha if hypothesis.rule == "within" else plan.alpha
        if tail > allowed + 1e-9:
            location = ("hypotheses", index, "levels", "supported")
            yield location, f"a level below {1 - allowed} exceeds alpha {plan.alpha}"
