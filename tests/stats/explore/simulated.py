"""Simulated cells, written and read as the pipeline does, so that column types are the real ones."""

from itertools import pairwise
from typing import Any

import numpy as np
from scipy.stats import entropy as scipy_entropy

from cot_entropy.plan.exploratory import SIGNALS
from cot_entropy.stats.cells import Cell, Settings

EPS = 0.01
M = 5


def entropy_of(answers):
    """H of one prefix by scipy, all without an answer in one class; None where all are."""
    if all(answer == -1 for answer in answers):
        return None
    return float(scipy_entropy(sorted(np.unique(answers, return_counts=True)[1]))) + 0.0


def rises(entropies):
    """Violations of one trajectory by a plain loop; None with fewer than two defined H."""
    defined = [h for h in entropies if h is not None]
    if len(defined) < 2:
        return None
    return sum(b > a + EPS for a, b in pairwise(defined))


def first_of_majority(answers):
    """Position of the first sample of the largest class, ties to the class seen first."""
    sizes = [answers.count(answer) for answer in answers]
    return sizes.index(max(sizes))


def row_of(
    index: int, clusters: list[list[int]], rng: np.random.Generator, right: int = 0
) -> dict[str, Any]:
    """One question: the answers per prefix, answer class `right` being the right one."""
    entropies = [entropy_of(answers) for answers in clusters]
    violations = rises(entropies)
    final = clusters[-1]
    winner = final[first_of_majority(final)]
    both = entropies[0] is not None and entropies[-1] is not None
    prefixes = len(clusters)
    tokens = rng.integers(20, 150, prefixes)
    return {
        "cell": "model/data",
        "question_id": f"q{index}",
        "n_units": prefixes - 1,
        "n_units_chain": prefixes - 1 + int(rng.integers(0, 3)),
        "entropies": entropies,
        "answers_missing": [answers.count(-1) for answers in clusters],
        "completions_empty": [int(rng.choice([0, 1, M])) for _ in clusters],
        "violations": violations,
        "monotone": None if violations is None else violations == 0,
        "coherence": round(entropies[0] - entropies[-1], 12) if both else None,
        "final_entropy": entropies[-1],
        "final_confidence": final.count(winner) / len(final),
        "majority_answer": None if winner == -1 else str(winner),
        "majority_tied": False,
        "correct": winner == right,
        "chain_answer": str(winner),
        "chain_correct": bool(rng.random() < (0.8 if winner == right else 0.3)),
        "chain_tokens": int(rng.integers(40, 400)) + 30 * prefixes,
        "chain_truncated": bool(rng.random() < 0.1),
        "probe_tokens": int(tokens.sum()),
        "answer_clusters": clusters,
        "final_samples_correct": [answer == right for answer in final],
        "probe_tokens_by_prefix": tokens.tolist(),
        "completion_mean_logprobs": [
            [None if rng.random() < 0.1 else -float(rng.exponential(0.4)) for _ in answers]
            for answers in clusters
        ],
        "samples_correct": [[answer == right for answer in answers] for answers in clusters],
        "chain_mean_logprob": -float(rng.exponential(0.4)),
        "chain_token_entropy": (37 * index % 101) / 100,
        "chain_token_remainder": 0.01,
        "chain_entropy_instability": (13 * index % 7) / 2,
        "unit_tokens": [10 + (index + k) % 9 for k in range(1, prefixes)],
        "unit_mean_logprobs": [-((index + 3 * k) % 11) / 10 for k in range(1, prefixes)],
        "unit_token_entropies": [((5 * index + k) % 13) / 10 for k in range(1, prefixes)],
        "stratum": "x",
    }


def random_rows(n: int, seed: int = 0, *, missing: float = 0.1) -> list[dict[str, Any]]:
    """Questions of varying ease, answers agreeing more towards the end, some without an answer."""
    rng = np.random.default_rng(seed)
    rows = []
    for index in range(n):
        ease = rng.beta(3, 2)
        clusters = []
        for depth in range(int(rng.integers(1, 8))):
            sure = min(0.95, ease * (0.6 + 0.1 * depth))
            draws = np.where(rng.random(M) < sure, 0, rng.integers(1, 4, M))
            clusters.append(np.where(rng.random(M) < missing, -1, draws).tolist())
        if rng.random() < 0.03:
            clusters[int(rng.integers(len(clusters)))] = [-1] * M
        rows.append(row_of(index, clusters, rng))
    return rows


def entry_of(kind: type, identifier: str, estimator: str, **params: Any) -> Any:
    """A plan entry with the given parameters."""
    return kind.model_validate(
        {
            "id": identifier,
            "title": "t",
            "population": "all",
            "source": "ours",
            "prior_data": "none",
            "estimator": estimator,
            "params": params,
        }
    )


SIGNAL_NAMES = SIGNALS.names


def by_quantity(rows):
    """Rows by the name of their quantity, each once."""
    found = {row.quantity: row for row in rows}
    assert len(found) == len(rows)
    return found


def resampled(cell: Cell, settings: Settings, statistic):
    """Percentile interval of a statistic of question indices, one resample at a time."""
    draws = []
    for block in cell.counts(settings):
        for counts in block:
            value = statistic(np.repeat(np.arange(cell.n), counts))
            if value is not None and not np.isnan(value):
                draws.append(value)
    tail = (1 - settings.level) / 2
    return np.quantile(draws, [tail, 1 - tail])
