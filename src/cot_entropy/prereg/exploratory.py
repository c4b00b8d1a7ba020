"""The exploratory entries of the plan, E1..E13: each estimator's name and its parameters.

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

from pydantic import BaseModel, ConfigDict, Field

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
    "semantic_entropy",
    "p_majority",
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


class Strict(BaseModel):
    """A frozen part of the plan in which an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class SignalParams(Strict):
    """E1: signals to rank by, each compared with `reference` on the same resamples."""

    signals: list[Signal] = Field(min_length=1)
    reference: Signal


class RiskCoverageParams(Strict):
    """E2: signals, and the ranges of coverage that the area is taken over."""

    signals: list[Signal] = Field(min_length=1)
    ranges: list[Literal["achievable", "zero_extended", "shared"]] = Field(min_length=1)


class CouplingParams(Strict):
    """E3: outcomes by which correctness is judged."""

    outcomes: list[Outcome] = Field(min_length=1)
    signals: list[Signal] = Field(min_length=1)


class EpsSweepParams(Strict):
    """E4: violation thresholds in nats."""

    eps: list[Eps] = Field(min_length=1)


class TrajectoryBudgetParams(Strict):
    """E5: numbers of first transitions to use."""

    transitions: list[Annotated[int, Field(ge=1, le=64)]] = Field(min_length=1)


class LengthParams(Strict):
    """E6: equal-count strata of each covariate, and the covariates of the adjusted regression."""

    strata: int = Field(ge=2, le=10)
    stratify_by: list[Literal["n_units_chain", "chain_tokens"]] = Field(min_length=1)
    covariates: list[Covariate] = Field(min_length=1)


class NoAnswerParams(Strict):
    """E7: what a completion without an answer is in the distribution, and chains to leave out."""

    rules: list[NoAnswerRule] = Field(min_length=1)
    exclusions: list[Literal["none", "empty_last_prefix", "any_missing_answer"]] = Field(
        min_length=1
    )


class FewerSamplesParams(Strict):
    """E8: sizes of the subsets of m, all subsets of each size."""

    sizes: list[Annotated[int, Field(ge=2, le=64)]] = Field(min_length=1)


class CostParams(Strict):
    """E9: chains of the self-consistency baseline whose tokens are set beside ours."""

    self_consistency_chains: int = Field(ge=1, le=1000)


class TokenConfidenceParams(Strict):
    """E10: equal-width bins of the expected calibration error, and steps reported."""

    bins: int = Field(ge=2, le=100)


class ConsistencyParams(Strict):
    """E11: what the consistency label is set against."""

    against: list[Literal["correct", "shape_flag", "violations", "final_entropy"]] = Field(
        min_length=1
    )
    folds: int = Field(ge=2, le=20)


class CoherenceMapParams(Strict):
    """E12: the hypothesis whose estimand and bounds are mapped over cells and variants."""

    criterion: str


class VariantParams(Strict):
    """E13: quantities compared between variants, one protocol block replaced at a time."""

    quantities: list[VariantQuantity] = Field(min_length=1)
    seeds: int = Field(ge=1, le=100)


class _Entry(Strict):
    id: str = Field(pattern=r"^E[1-9][0-9]*$")
    title: str = Field(min_length=1)
    population: str
    source: Source
    prior_data: PriorData


class SignalAuroc(_Entry):
    """E1: AUROC of every signal for the registered outcome."""

    estimator: Literal["signal_auroc"]
    params: SignalParams


class RiskCoverage(_Entry):
    """E2: risk-coverage areas."""

    estimator: Literal["risk_coverage"]
    params: RiskCoverageParams


class Coupling(_Entry):
    """E3: the outcome decoupled from the samples that give the entropy."""

    estimator: Literal["coupling"]
    params: CouplingParams


class EpsSweep(_Entry):
    """E4: the violation threshold varied."""

    estimator: Literal["eps_sweep"]
    params: EpsSweepParams


class TrajectoryBudget(_Entry):
    """E5: the gap, and the tokens, of the first transitions."""

    estimator: Literal["trajectory_budget"]
    params: TrajectoryBudgetParams


class LengthAdjusted(_Entry):
    """E6: the shape flag within length strata and adjusted for length."""

    estimator: Literal["length_adjusted"]
    params: LengthParams


class NoAnswer(_Entry):
    """E7: handling of completions without an answer."""

    estimator: Literal["no_answer"]
    params: NoAnswerParams


class FewerSamples(_Entry):
    """E8: fewer completions per prefix."""

    estimator: Literal["fewer_samples"]
    params: FewerSamplesParams


class Cost(_Entry):
    """E9: tokens per question."""

    estimator: Literal["cost"]
    params: CostParams


class TokenConfidence(_Entry):
    """E10: token log-probability confidence by step depth."""

    estimator: Literal["token_confidence"]
    params: TokenConfidenceParams


class Consistency(_Entry):
    """E11: reasoning consistency beside the entropy signal."""

    estimator: Literal["consistency"]
    params: ConsistencyParams


class CoherenceMap(_Entry):
    """E12: where the magnitude null holds."""

    estimator: Literal["coherence_map"]
    params: CoherenceMapParams


class Variants(_Entry):
    """E13: protocol variants, one factor at a time."""

    estimator: Literal["variants"]
    params: VariantParams


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
    | Variants,
    Field(discriminator="estimator"),
]
