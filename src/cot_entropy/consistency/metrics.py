"""What Scout shows of a scan while it runs: rates, and what stands beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from inspect_ai.scorer import SampleScore, metric

from cot_entropy.consistency.taxonomy import SUBTYPES, UNASSESSED

Metric = Callable[[Sequence[SampleScore]], Any]


def _findings(scores: Sequence[SampleScore]) -> Counter[str]:
    return Counter(str(score.score.value) for score in scores)


@metric(name="inconsistent")  # type: ignore[untyped-decorator]  # Inspect's types are too large to follow
def inconsistent_rate() -> Metric:
    """The share of inconsistent among transcripts decided as consistent or inconsistent."""

    def compute(scores: Sequence[SampleScore]) -> float:
        found = _findings(scores)
        inconsistent = sum(found[name] for name in SUBTYPES)
        decided = inconsistent + found["consistent"]
        return inconsistent / decided if decided else float("nan")

    return compute


@metric(name="share_of_decided")  # type: ignore[untyped-decorator]
def subtype_rates() -> Metric:
    """The share of every subtype among the decided transcripts."""

    def compute(scores: Sequence[SampleScore]) -> dict[str, float]:
        found = _findings(scores)
        decided = sum(found[name] for name in (*SUBTYPES, "consistent"))
        return {name: found[name] / decided if decided else float("nan") for name in SUBTYPES}

    return compute


@metric(name="number")  # type: ignore[untyped-decorator]
def counts() -> Metric:
    """How many were decided, had no usable verdict, or could not be judged, by reason."""

    def compute(scores: Sequence[SampleScore]) -> dict[str, float]:
        found = _findings(scores)
        decided = sum(found[name] for name in (*SUBTYPES, "consistent"))
        names = ("not_applicable", "judge_error", *UNASSESSED)
        return {"decided": float(decided), **{name: float(found[name]) for name in names}}

    return compute
