"""The exploratory entries of the plan, E1..E15: each estimator's name and its parameters.

An entry reads, in preregistration/plan.yaml:

    - id: E4
      title: Flags and gap over the violation threshold
      population: all
      estimator: eps_sweep
      params: {eps: [0.0, 0.01, 0.1]}
      source: inferred
      prior_data: published_results_known

Each estimator has one parameter model, so that an unknown or missing parameter is refused.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cot_entropy.base.strict import Strict
from cot_entropy.protocol.scoring import NoAnswer as NoAnswerRule

Source = Literal["paper", "inferred", "ours"]
PriorData = Literal["none", "benchmarks_known", "published_results_known"]
Signal = Literal[
    "final_entropy",
    "shape_flag",
    "violations",
    "coherence",
    "mean_entropy",
    "final_confidence",
    "chain_length",
    "mean_token_logprob",
    "perplexity",
    "token_entropy",
    "semantic_entropy",
    "p_majority",
    "entropy_instability",
    "prefix_baseline",
    "entropy_area",
    "change_point",
]
Outcome = Literal["majority", "chain", "held_out"]
Covariate = Literal["n_units_chain", "chain_tokens", "chain_truncated"]
VariantQuantity = Literal[
    "accuracy_gap",
    "flag_rate",
    "rho_violations",
    "accuracy",
    "auroc_final_entropy",
    "tokens_per_question",
]
Eps = Annotated[float, Field(ge=0, le=2)]


class SignalParams(Strict):
    """E1: signals to rank by, each compared with `reference` on the same resamples."""

    signals: list[Signal] = Field(min_length=1)
    """Signals to rank by."""
    reference: Signal
    """The signal that each is compared with."""


class RiskCoverageParams(Strict):
    """E2: signals, and the ranges of coverage that the area is taken over."""

    signals: list[Signal] = Field(min_length=1)
    """Signals to rank by."""
    ranges: list[Literal["achievable", "zero_extended", "shared"]] = Field(min_length=1)
    """Ranges of coverage that the area is taken over."""


class CouplingParams(Strict):
    """E3: outcomes by which correctness is judged."""

    outcomes: list[Outcome] = Field(min_length=1)
    """Outcomes by which correctness is judged."""
    signals: list[Signal] = Field(min_length=1)
    """Signals whose AUROC is given for each."""


class EpsSweepParams(Strict):
    """E4: violation thresholds in nats."""

    eps: list[Eps] = Field(min_length=1)
    """Thresholds in nats."""


class TrajectoryBudgetParams(Strict):
    """E5: numbers of first transitions to use."""

    transitions: list[Annotated[int, Field(ge=1, le=64)]] = Field(min_length=1)
    """Numbers of first transitions to use."""


class LengthParams(Strict):
    """E6: equal-count strata of each covariate, and the covariates of the adjusted regression."""

    strata: int = Field(ge=2, le=10)
    """Strata of equal counts."""
    stratify_by: list[Literal["n_units_chain", "chain_tokens"]] = Field(min_length=1)
    """What they are cut by."""
    covariates: list[Covariate] = Field(min_length=1)
    """Covariates of the adjusted regression."""


class NoAnswerParams(Strict):
    """E7: what a completion without an answer is in the distribution, and chains to leave out."""

    rules: list[NoAnswerRule] = Field(min_length=1)
    """What a completion without an answer is in the distribution."""
    exclusions: list[Literal["none", "empty_last_prefix", "any_missing_answer"]] = Field(
        min_length=1
    )
    """Chains to leave out."""


class FewerSamplesParams(Strict):
    """E8: sizes of the subsets of m, all subsets of each size."""

    sizes: list[Annotated[int, Field(ge=2, le=64)]] = Field(min_length=1)
    """Sizes of the subsets of m; all subsets of each."""


class CostParams(Strict):
    """E9: chains of the self-consistency baseline whose tokens are set beside ours."""

    self_consistency_chains: int = Field(ge=1, le=1000)
    """Chains of the baseline whose tokens are set beside ours."""


class TokenConfidenceParams(Strict):
    """E10: equal-width bins of the expected calibration error, and steps reported."""

    bins: int = Field(ge=2, le=100)
    """Equal-width bins of the calibration error."""


class ConsistencyParams(Strict):
    """E11: what the consistency label is set against."""

    against: list[Literal["correct", "shape_flag", "violations", "final_entropy"]] = Field(
        min_length=1
    )
    """What the label is set against."""
    folds: int = Field(ge=2, le=20)
    """Folds of the combined regression."""


class CoherenceMapParams(Strict):
    """E12: the hypothesis whose estimand and bounds are mapped over cells and variants."""

    criterion: str
    """The hypothesis whose estimand and bounds are mapped."""


class Factor(Strict):
    """One part of the protocol that is varied, and by which protocols."""

    factor: Literal["segmentation", "unit_cap", "outcome", "chain_budget", "decoding_run"]
    """What changes; held-out outcomes are E3's."""
    variants: list[str] = Field(min_length=1)
    """Names in `config/protocols.yaml`."""
    quantity: VariantQuantity
    """The number that R26 reports on."""


class VariantParams(Strict):
    """E13: quantities compared between variants, one protocol block replaced at a time."""

    factors: list[Factor] = Field(min_length=1)
    """The registered variants, by what they change."""
    quantities: list[VariantQuantity] = Field(min_length=1)
    """Numbers that are compared."""
    seeds: int = Field(ge=1, le=100)
    """Decoding runs, the study's own and those with another seed."""

    @property
    def variants(self) -> tuple[str, ...]:
        """Every registered variant, in order."""
        return tuple(name for one in self.factors for name in one.variants)


class ReplicationParams(Strict):
    """E14: the numbers that the measures of replication take."""

    small_power: float = Field(gt=0.05, lt=1)
    """Small telescopes: the original's power for the effect that counts as small."""
    null_prior_sd: float = Field(gt=0, le=10)
    """Bayes factor for the null: standard deviation of the prior on atanh(rho)."""
    evidence: float = Field(ge=1, le=1000)
    """The Bayes factor from which a claim, or the null, counts as favoured."""


class PooledParams(Strict):
    """E15: what is left out in turn, and what the flag may interact with."""

    leave_out: list[Literal["model", "dataset"]]
    """What is left out, one at a time."""
    interactions: list[Literal["dataset", "model", "chain_length"]]
    """What the flag's odds ratio may depend on."""


class _Entry(Strict):
    id: str = Field(pattern=r"^E[1-9][0-9]*$")
    """`E1` and on."""
    title: str = Field(min_length=1)
    """What is estimated."""
    population: str
    """One of `populations`."""
    source: Source
    """Who chose it."""
    prior_data: PriorData
    """What was known of the data when it was registered."""


class SignalAuroc(_Entry):
    """E1: AUROC of every signal for the registered outcome."""

    estimator: Literal["signal_auroc"]
    """The estimator that the code implements."""
    params: SignalParams
    """Its parameters."""


class RiskCoverage(_Entry):
    """E2: risk-coverage areas."""

    estimator: Literal["risk_coverage"]
    """The estimator that the code implements."""
    params: RiskCoverageParams
    """Its parameters."""


class Coupling(_Entry):
    """E3: the outcome decoupled from the samples that give the entropy."""

    estimator: Literal["coupling"]
    """The estimator that the code implements."""
    params: CouplingParams
    """Its parameters."""


class EpsSweep(_Entry):
    """E4: the violation threshold varied."""

    estimator: Literal["eps_sweep"]
    """The estimator that the code implements."""
    params: EpsSweepParams
    """Its parameters."""


class TrajectoryBudget(_Entry):
    """E5: the gap, and the tokens, of the first transitions."""

    estimator: Literal["trajectory_budget"]
    """The estimator that the code implements."""
    params: TrajectoryBudgetParams
    """Its parameters."""


class LengthAdjusted(_Entry):
    """E6: the shape flag within length strata and adjusted for length."""

    estimator: Literal["length_adjusted"]
    """The estimator that the code implements."""
    params: LengthParams
    """Its parameters."""


class NoAnswer(_Entry):
    """E7: handling of completions without an answer."""

    estimator: Literal["no_answer"]
    """The estimator that the code implements."""
    params: NoAnswerParams
    """Its parameters."""


class FewerSamples(_Entry):
    """E8: fewer completions per prefix."""

    estimator: Literal["fewer_samples"]
    """The estimator that the code implements."""
    params: FewerSamplesParams
    """Its parameters."""


class Cost(_Entry):
    """E9: tokens per question."""

    estimator: Literal["cost"]
    """The estimator that the code implements."""
    params: CostParams
    """Its parameters."""


class TokenConfidence(_Entry):
    """E10: token log-probability confidence by step depth."""

    estimator: Literal["token_confidence"]
    """The estimator that the code implements."""
    params: TokenConfidenceParams
    """Its parameters."""


class Consistency(_Entry):
    """E11: reasoning consistency beside the entropy signal."""

    estimator: Literal["consistency"]
    """The estimator that the code implements."""
    params: ConsistencyParams
    """Its parameters."""


class CoherenceMap(_Entry):
    """E12: where the magnitude null holds."""

    estimator: Literal["coherence_map"]
    """The estimator that the code implements."""
    params: CoherenceMapParams
    """Its parameters."""


class Variants(_Entry):
    """E13: protocol variants, one factor at a time."""

    estimator: Literal["variants"]
    """The estimator that the code implements."""
    params: VariantParams
    """Its parameters."""


class Replication(_Entry):
    """E14: originals beside replications by the field's measures."""

    estimator: Literal["replication"]
    """The estimator that the code implements."""
    params: ReplicationParams
    """Its parameters."""


class PooledEffects(_Entry):
    """E15: one answer over the cells."""

    estimator: Literal["pooled"]
    """The estimator that the code implements."""
    params: PooledParams
    """Its parameters."""


ExploratoryEntry = Annotated[
    SignalAuroc
    | RiskCoverage
    | Coupling
    | EpsSweep
    | TrajectoryBudget
    | LengthAdjusted
    | NoAnswer
    | FewerSamples
    | Cost
    | TokenConfidence
    | Consistency
    | CoherenceMap
    | Variants
    | Replication
    | PooledEffects,
    Field(discriminator="estimator"),
]
