"""Claims of no effect: equivalence, and evidence for the null, in original and replication.

"Not significant in both" is no success: it comes of small studies as well as of no effect. So two
questions are asked of each study, as Pawel et al. 2024 (eLife 12: RP92311) do: is the effect inside
the bounds (two one-sided tests), and how much do the data favour no effect (Bayes factor)?
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy import stats

from cot_entropy.stats.replication.bayes import log_null_bayes_factor
from cot_entropy.stats.replication.effects import Effect


def equivalence_p(effect: Effect, low: float, high: float) -> float:
    """The larger p of `effect <= low` and `effect >= high` (two one-sided tests, normal).

    Schuirmann 1987; below alpha exactly where the 1 - 2 alpha interval lies inside the bounds.
    """
    if low >= high:
        raise ValueError(f"no bounds: {low} is not below {high}")
    above = stats.norm.sf((effect.estimate - low) / effect.error)
    below = stats.norm.cdf((effect.estimate - high) / effect.error)
    return float(max(above, below))


@dataclass(frozen=True, kw_only=True)
class NullEvidence:
    """What one study says of a null claim."""

    equivalence_p: float
    bayes_factor: float
    """BF_01."""

    def equivalent(self, alpha: float) -> bool:
        """The effect is inside the bounds."""
        return self.equivalence_p < alpha

    def favours_null(self, evidence: float) -> bool:
        """The data favour no effect at least `evidence` times."""
        return self.bayes_factor >= evidence


def null_evidence(effect: Effect, low: float, high: float, *, prior_sd: float) -> NullEvidence:
    """Both answers on the atanh scale; `low` and `high` bound rho itself.

    `prior_sd` 1 is a unit-information prior: one question's worth of error.
    """
    return NullEvidence(
        equivalence_p=equivalence_p(effect, math.atanh(low), math.atanh(high)),
        bayes_factor=math.exp(min(log_null_bayes_factor(effect, prior_sd=prior_sd), 700.0)),
    )
