"""preregistration/plan.yaml as strict models: names and numbers, no logic.

The plan names populations, estimands, intervals, rules and bounds; the code implements each name
(`cot_entropy.stats`). Both are frozen. A plan that names something unknown, leaves out a bound
or registers a rule that cannot come out both ways is refused with its line (`load_plan`).

Source: ../shared/protocol.md section 3; every entry says whether it comes from a paper.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cot_entropy.base.strict import Strict
from cot_entropy.plan.exploratory import ExploratoryEntry, PriorData, Source

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
    """Names in the study's `models`."""
    datasets: list[Name] = Field(min_length=1)
    """Names in the study's `datasets`."""

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells' names, `model/dataset`."""
        return tuple(f"{model}/{dataset}" for model in self.models for dataset in self.datasets)


class Protocol(Strict):
    """The named blocks of config/protocols.yaml that define the registered protocol."""

    chain: Name
    """Prompt, temperature and budget of the reference chains."""
    probe: Name
    """Segmentation, cap, samples and budget of the completions."""
    scoring: Name
    """Extraction, equivalence, threshold and outcome."""


class Bounds(Strict):
    """The values a rule compares an interval with, in the estimand's unit."""

    threshold: float | None = None
    """For `above` and `below`."""
    low: float | None = None
    """For `within`: the lower bound."""
    high: float | None = None
    """For `within`: the upper bound."""


class Levels(Strict):
    """Coverage of the deciding interval for each verdict."""

    supported: Level
    """Coverage for `supported`; 0.90 makes two one-sided tests at 0.05."""
    refuted: Level
    """Coverage for `refuted`."""


class MinimumSizes(Strict):
    """Below any of these a cell is `not assessable`."""

    questions: int = Field(default=0, ge=0)
    """Questions with a defined estimand."""
    group: int = Field(default=0, ge=0)
    """Chains in each shape group."""
    correct: int = Field(default=0, ge=0)
    """Right answers."""
    wrong: int = Field(default=0, ge=0)
    """Wrong answers."""
    rarer: int = Field(default=0, ge=0)
    """Answers of the rarer outcome."""


class Filter(Strict):
    """H5's model: a penalised logistic regression, cross-validated among monotone chains."""

    features: list[FilterFeature] = Field(min_length=1)
    """Numbers of the trajectory, standardised on the training folds."""
    penalty: float = Field(gt=0)
    """L2 weight on standardised coefficients; scikit-learn's C is its inverse."""
    folds: int = Field(ge=2, le=20)
    """Stratified folds; copies of a resampled question stay in one."""
    coverages: list[Annotated[float, Field(gt=0, le=1)]] = Field(min_length=1)
    """Shares of the monotone chains kept where accuracy gained is reported."""


class Hypothesis(Strict):
    """One registered claim: population, estimand, deciding interval, rule and bounds."""

    id: str = Field(pattern=r"^H[1-9][0-9]*[a-z]?$")
    """`H1` and on; a letter parts populations."""
    claim: str = Field(min_length=1)
    """The sentence under test."""
    population: str
    """One of `populations`."""
    estimand: Estimand
    """The number in each cell."""
    interval: Interval
    """The interval that decides."""
    interval_source: Source
    """Who chose that interval."""
    levels: Levels
    """Its coverage for each verdict."""
    reported_intervals: list[Interval] = Field(min_length=1)
    """Intervals that are reported beside it."""
    rule: Rule
    """Where the interval must lie for `supported`."""
    bounds: Bounds
    """What the rule compares with."""
    p_value: PValue
    """The p-value that is adjusted over the cells."""
    adjustment: Literal["holm"]
    """Holm's method."""
    assessable: MinimumSizes
    """The sizes without which a cell is not judged."""
    filter: Filter | None = None
    """For `filter_auroc` only."""
    source: Source
    """Who made the claim: a paper, what follows from it, or we."""
    prior_data: PriorData
    """What was known of the data when it was registered."""


class MissingData(Strict):
    """What becomes of undefined values; each name is the rule the code implements."""

    no_answer_majority: Literal["wrong"]
    """A majority without an answer."""
    prefix_without_answer: Literal["entropy_missing"]
    """A prefix at which all m completions have no answer."""
    undefined_shape: Literal["outside_and_counted"]
    """A chain with fewer than two defined entropies."""
    undefined_coherence: Literal["outside_and_counted"]
    """A chain without a defined first or last entropy."""
    resample_without_a_group: Literal["dropped_and_counted"]
    """A resample that leaves the statistic undefined."""
    missing_cell: Literal["not_run"]
    """A cell of the plan without trajectories."""
    not_assessable_in_holm: Literal["p_one"]
    """What such a cell counts as in the adjustment."""


class TimestampRoot(Strict):
    """A certificate that a timestamp's chain may end in."""

    name: str = Field(min_length=1)
    """Its subject, for readers."""
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """Of the certificate in DER, as `openssl x509 -fingerprint -sha256` prints it, plain."""


class Anchors(Strict):
    """Whose word on the freeze is believed; what is not named here stays a claim."""

    timestamp_roots: list[TimestampRoot] = Field(default_factory=list)
    """Roots of RFC 3161 timestamp authorities."""
    tag_signers: list[str] = Field(default_factory=list)
    """Who may sign a tag: OpenSSH public keys (`ssh-ed25519 AAAA...`) or GPG fingerprints."""


class Plan(Strict):
    """The whole registration."""

    schema_version: Literal[1]
    """Version of this format."""
    title: str = Field(min_length=1)
    """Title of the registration."""
    alpha: float = Field(gt=0, lt=0.5)
    """Adjusted p-values below it can support a claim."""
    level: Level
    """Coverage of reported intervals."""
    resamples: int = Field(ge=100, le=1_000_000)
    """Bootstrap resamples of questions."""
    permutations: int = Field(ge=100, le=1_000_000)
    """Permutations of the outcome."""
    seed: int = Field(ge=0, lt=2**53)
    """Seed of all resampling; a cell's stream is derived from it and the cell's name."""
    eps: float = Field(ge=0, le=2)
    """A rise above it, in nats, is a violation."""
    m: int = Field(ge=2, le=64)
    """Completions per prefix."""
    protocol: Protocol
    """The registered blocks of `config/protocols.yaml`."""
    populations: dict[Name, Population] = Field(min_length=1)
    """Sets of cells by name."""
    anchors: Anchors = Anchors()
    """Whose word on the freeze is believed."""
    missing_data: MissingData
    """What becomes of undefined values; each name is the rule that the code implements."""
    hypotheses: list[Hypothesis] = Field(min_length=1)
    """The confirmatory half."""
    exploratory: list[ExploratoryEntry]
    """The exploratory half."""

    @property
    def cells(self) -> tuple[str, ...]:
        """Every cell that the plan names, in the order of first mention."""
        return tuple(dict.fromkeys(cell for p in self.populations.values() for cell in p.cells))

    @property
    def entries(self) -> tuple[Hypothesis | ExploratoryEntry, ...]:
        """Both halves, in plan order."""
        return (*self.hypotheses, *self.exploratory)

    def cells_of(self, entry: Hypothesis | ExploratoryEntry) -> tuple[str, ...]:
        """The cells of an entry's population, in plan order."""
        return self.populations[entry.population].cells

    def rules(self) -> list[str]:
        """The modules of the rules that its exploratory entries name."""
        return [module for entry in self.exploratory for module in entry.rules()]
