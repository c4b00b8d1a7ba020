"""The signals: per-question numbers that may rank answers by reliability.

Every signal is oriented: a higher score means more likely correct. A new one is a name in the
plan's schema (`cot_entropy.plan.exploratory.Signal`) and an entry here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from scipy.stats import entropy

from cot_entropy.plan.exploratory import Signal
from cot_entropy.signal.entropy import NO_ANSWER, TIE_DECIMALS
from cot_entropy.stats.cells import Cell, Values
from cot_entropy.stats.explore.bootstrap import ratio
from cot_entropy.stats.explore.columns import absent
from cot_entropy.stats.explore.entropy_dynamics import area, settled
from cot_entropy.stats.explore.prefix_baseline import COLUMNS, prefix_scores


@dataclass(frozen=True)
class SignalSource:
    """A signal's scores `(n,)`, NaN where undefined, and where it comes from."""

    scores: Callable[[Cell], Values]
    source: str
    needs: tuple[str, ...] = ()
    """Optional columns of the trajectories; where one is absent the signal is not run."""
    setting: str = ""
    """The study's setting without which those columns are not made."""


def _shape_flag(cell: Cell) -> Values:
    return np.where(cell.shape_defined, cell.monotone.astype(np.float64), np.nan)


def _mean_entropy(cell: Cell) -> Values:
    defined = ~np.isnan(cell.entropies)
    total = np.where(defined, cell.entropies, 0.0).sum(axis=1)
    return ratio(total, defined.sum(axis=1))


WEIGHED: Final = ("answer_clusters", "completion_mean_logprobs")


def class_probabilities(clusters: Sequence[int], logprobs: Sequence[float | None]) -> list[float]:
    """The probabilities of the answer classes of m completions, in no meaningful order.

    A completion weighs exp of its mean token log-probability (nats; 1 where it is empty), and all
    without an answer (-1) form one class. Empty where there are none, or none gave an answer.
    """
    if all(label == NO_ANSWER for label in clusters):
        return []
    weights: dict[int, float] = {}
    for label, logprob in zip(clusters, logprobs, strict=True):
        weight = 1.0 if logprob is None or np.isnan(logprob) else float(np.exp(logprob))
        weights[label] = weights.get(label, 0.0) + weight
    total = sum(weights.values())
    return [weight / total for weight in weights.values()]


def _at_the_end(cell: Cell, measure: Callable[[list[float]], float]) -> Values:
    """A number of the last prefix's class probabilities, `(n,)`; NaN where it has none."""
    columns = zip(*(cell.frame[name] for name in WEIGHED), strict=True)
    found = [
        class_probabilities(clusters[-1], logprobs[-1])
        if clusters is not None and logprobs is not None and len(clusters)
        else []
        for clusters, logprobs in columns
    ]
    return np.array([measure(one) if one else np.nan for one in found], dtype=np.float64)


SIGNALS: Final[Mapping[Signal, SignalSource]] = MappingProxyType(
    {
        "final_entropy": SignalSource(lambda cell: -cell.final_entropy, "R26: H_N, lower better"),
        "shape_flag": SignalSource(_shape_flag, "Z26: monotone"),
        "violations": SignalSource(lambda cell: -cell.violations, "Z26: fewer better"),
        "coherence": SignalSource(lambda cell: cell.coherence, "Z26: H_0 - H_N, higher better"),
        "mean_entropy": SignalSource(lambda cell: -_mean_entropy(cell), "ours: lower better"),
        "final_confidence": SignalSource(
            lambda cell: cell.values("final_confidence"), "R26: share of the majority answer"
        ),
        "chain_length": SignalSource(
            lambda cell: -cell.values("chain_tokens"), "ours: tokens, shorter better"
        ),
        "mean_token_logprob": SignalSource(
            lambda cell: cell.values("chain_mean_logprob"),
            "Guerreiro et al. 2023: length-normalised log-probability of the chain, higher better",
            needs=("chain_mean_logprob",),
        ),
        "perplexity": SignalSource(
            lambda cell: -np.exp(-cell.values("chain_mean_logprob")),
            "exp of minus the chain's mean token log-probability, lower better: ranks as that does",
            needs=("chain_mean_logprob",),
        ),
        "token_entropy": SignalSource(
            lambda cell: -cell.values("chain_token_entropy"),
            "Fomicheva et al. 2020: mean next-token entropy of the chain, lower better; over the "
            "engine's most probable tokens and all others as one",
            needs=("chain_token_entropy",),
            setting="engine.top_logprobs",
        ),
        "semantic_entropy": SignalSource(
            lambda cell: -_at_the_end(cell, lambda shares: float(entropy(shares))),
            "Kuhn et al. 2023, over classes of equivalent answers at the last prefix, "
            "length-normalised; lower better. Unweighted it is final_entropy",
            needs=WEIGHED,
        ),
        "p_majority": SignalSource(
            lambda cell: _at_the_end(cell, max),
            "Wang et al. 2023: the largest class's share of the normalised probabilities",
            needs=WEIGHED,
        ),
        "entropy_instability": SignalSource(
            lambda cell: -cell.values("chain_entropy_instability"),
            "Zhu et al. 2026 (EDIS): bursts and rebounds of the next-token entropy, lower better; "
            "the window is inferred",
            needs=("chain_entropy_instability",),
            setting="engine.top_logprobs",
        ),
        "prefix_baseline": SignalSource(
            prefix_scores,
            "ours: cross-fitted log-odds from length, log-probability, token entropy and their "
            "slopes at the last prefix, no completion used; higher better",
            needs=COLUMNS,
            setting="engine.top_logprobs",
        ),
        "entropy_area": SignalSource(
            lambda cell: -area(cell.entropies),
            "ours: area under the trajectory over N, lower better",
        ),
        "change_point": SignalSource(
            lambda cell: settled(cell.entropies),
            "Xu et al. 2026: Page's CUSUM, here on answer entropies; the earlier the alarm the "
            "better; reference and alarm ours",
        ),
    }
)


def missing(cell: Cell, signal: Signal) -> str:
    """Why a signal is not run in a cell, or ''."""
    found = SIGNALS[signal]
    reason = absent(found.needs, cell)
    return f"{reason}; needs {found.setting}" if reason and found.setting else reason


def scores(cell: Cell, signal: Signal) -> Values:
    """Oriented scores `(n,)` of a named signal, rounded so that equal sums of logarithms tie.

    NaN throughout where the trajectories lack a column it needs.
    """
    if missing(cell, signal):
        return np.full(cell.n, np.nan)
    return np.round(SIGNALS[signal].scores(cell), TIE_DECIMALS) + 0.0
