"""Which quantities of `estimates.csv` the report draws, by the plan's estimator name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, kw_only=True)
class Spec:
    """One figure of an entry: its quantities, how they are drawn, what they are read against.

    A quantity of the stem reads `stem` or `stem[label]`, or as `pattern` says, whose group
    `label` then names it.
    """

    stem: str
    kind: Literal["intervals", "lines"]
    title: str
    unit: str
    reference: float | None
    x_label: str = ""
    note: str = ""
    pattern: str = ""
    says: Literal["label", "label_and_reason"] = "label"
    """Whether an interval's label goes on with what the row's reason says, up to its colon."""

    def label(self, quantity: str) -> str | None:
        """The label of a quantity of this figure, None for any other quantity."""
        pattern = self.pattern or rf"{re.escape(self.stem)}(?:\[(?P<label>.*)\])?"
        match = re.fullmatch(pattern, quantity)
        return (match["label"] or "this run") if match else None


SPECS: Final[dict[str, tuple[Spec, ...]]] = {
    "signal_auroc": (
        Spec(
            stem="auroc",
            kind="intervals",
            title="AUROC of each signal",
            unit="AUROC",
            reference=0.5,
            note="A higher score means more likely right; 0.5 is no information.",
        ),
        Spec(
            stem="auroc_difference",
            kind="intervals",
            title="AUROC against the shape flag",
            unit="difference",
            reference=0.0,
            pattern=r"auroc_difference\[(?P<label>.*) - shape_flag\]",
            note="Paired differences on the same resamples; right of the line beats the flag.",
        ),
    ),
    "risk_coverage": (
        Spec(
            stem="aurc_shared",
            kind="intervals",
            title="Risk-coverage area over the shared range",
            unit="area, lower is better",
            reference=None,
        ),
    ),
    "coupling": (
        Spec(
            stem="accuracy_gap_pp",
            kind="intervals",
            title="The gap under each outcome",
            unit="percentage points",
            reference=0.0,
        ),
        Spec(
            stem="auroc", kind="intervals", title="AUROC under each outcome", unit="AUROC",
            reference=0.5,
        ),
    ),
    "eps_sweep": (
        Spec(
            stem="accuracy_gap_pp",
            kind="lines",
            title="The gap over the violation threshold",
            unit="gap, points",
            reference=0.0,
            x_label="eps, nats",
            note=(
                "With five answers per prefix H takes seven values, 0.1046 nats apart at least, so "
                "every eps above 0 and below that gives the same flags, which shows no robustness."
            ),
        ),
        Spec(
            stem="flag_rate", kind="lines", title="Share of monotone chains over the threshold",
            unit="share", reference=None, x_label="eps, nats",
        ),
    ),
    "trajectory_budget": (
        Spec(
            stem="accuracy_gap_pp",
            kind="lines",
            title="The gap from the first transitions",
            unit="gap, points",
            reference=0.0,
            x_label="first transitions used",
        ),
        Spec(
            stem="token_share_percent",
            kind="lines",
            title="Tokens of the first transitions",
            unit="% of the tokens",
            reference=None,
            x_label="first transitions used",
        ),
    ),
    "length_adjusted": (
        Spec(
            stem="accuracy_gap_pp", kind="intervals", title="The gap within length strata",
            unit="percentage points", reference=0.0,
        ),
    ),
    "no_answer": (
        Spec(
            stem="accuracy_gap_pp", kind="intervals", title="The gap under each handling",
            unit="percentage points", reference=0.0,
        ),
    ),
    "fewer_samples": (
        Spec(
            stem="accuracy_gap_pp", kind="intervals", title="The gap with fewer completions",
            unit="percentage points", reference=0.0,
        ),
    ),
    "cost": (
        Spec(
            stem="tokens_per_question", kind="intervals", title="Tokens per question",
            unit="tokens", reference=0.0,
            pattern=r"(?:tokens_per_question\[)?(?P<label>[^\[\]]+?)(?:_per_question|\])",
            note="Self-consistency is this run's mean chain, sampled as often as named.",
        ),
        Spec(
            stem="voting_accuracy", kind="intervals", title="Accuracy of vote and majority answer",
            unit="share right", reference=None, pattern=r"accuracy\[(?P<label>.+)\]",
            note="Every question answered: by the vote over sampled chains, by the completions.",
        ),
        Spec(
            stem="voting_auroc", kind="intervals", title="AUROC of the vote's share and of signals",
            unit="AUROC", reference=0.5, pattern=r"auroc\[(?P<label>.+)\]",
            note="Each ranks the answers of its own method.",
        ),
    ),
    "token_confidence": (
        Spec(
            stem="ece", kind="lines", title="Calibration error of token confidence by step",
            unit="ECE", reference=None, x_label="prefix k",
        ),
    ),
    "consistency": (
        Spec(
            stem="auroc", kind="intervals", title="AUROC of consistency and entropy for errors",
            unit="AUROC", reference=0.5, pattern=r"auroc_(?P<label>(?!combined_minus).+)",
        ),
        Spec(
            stem="accuracy", kind="intervals", title="Accuracy by what consistency and shape flag",
            unit="share right", reference=None,
            pattern=r"accuracy_(?P<label>(?:(?:in)?consistent|flagged)_.+)",
            note="By the majority (correct) and by the chain's own answer (chain correct).",
        ),
    ),
    "coherence_map": (
        Spec(
            stem="rho_coherence", kind="intervals", title="Where the magnitude null holds",
            unit="Spearman rho", reference=0.0, says="label_and_reason",
            note="95 % intervals; the word is by H2's bounds and levels on percentile intervals.",
        ),
    ),
    "variants": (
        Spec(
            stem="accuracy_gap_pp", kind="intervals", title="The gap, one protocol block changed",
            unit="percentage points", reference=0.0,
        ),
        Spec(
            stem="accuracy", kind="intervals", title="Accuracy, one protocol block changed",
            unit="share right", reference=None,
        ),
    ),
}  # fmt: skip
"""By the plan's estimator name. An entry without one is shown as a table only."""
