"""E12: where the magnitude null holds."""

from __future__ import annotations

from typing import Literal

from cot_entropy.base.strict import Strict
from cot_entropy.plan.exploratory import Entry


class CoherenceMapParams(Strict):
    """E12: the hypothesis whose estimand and bounds are mapped over cells and variants."""

    criterion: str
    """The hypothesis whose estimand and bounds are mapped."""


class CoherenceMap(Entry[CoherenceMapParams]):
    """E12: where the magnitude null holds."""

    estimator: Literal["coherence_map"]
    """The estimator that the code implements."""
