"""preregistration/plan.yaml as strict models: names and numbers, no logic.

The plan names populations, estimands, intervals, rules and bounds; the code implements each name
(`cot_entropy.stats`). Both are frozen. A plan that names something unknown, leaves out a bound
or registers a rule that cannot come out both ways is refused with its line (`load_plan`).

Source: ../shared/protocol.md section 3; every entry says whether it comes from a paper.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cot_entropy.prereg.exploratory import ExploratoryEntry, PriorData, Source, Strict

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]
Level = Annotated[float, Field(gt=0.5, lt=1)]
Estimand = Literal["accuracy_gap_pp", "rho_coherence", "rho_violations", "filter_auroc"]
Interval = Literal["percentile", "normal_clipped", "newcombe", "agresti_caffo", "permutation_t"]
Rule = Literal["above", "below", "within"]
PValue = Literal["fisher_two_sided", "two_one_sided", "permutation", "bootstrap", "bootstrap_z"]
FilterFeature = Literal["first_entropy", "last_entropy", "mean_entropy", "largest_drop", "n_units"]


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
    """One registered claim: population, estimand, deciding interval, rule and bounds.

    `source` is that of the claim, `interval_source` that of the interval which decides it.
    """

    id: str = Field(pattern=r"^H[1-9][0-9]*[a-z]?$")
    claim: str = Field(min_length=1)
    population: str
    estimand: Estimand
    interval: Interval
    interval_source: Source
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
