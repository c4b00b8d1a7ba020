"""A panel with planted effects: questions differ in difficulty, all models are asked the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cot_entropy.stats.replication.panel import PanelCell


def planted(
    rng: np.random.Generator,
    *,
    models: Sequence[str] = ("a", "b", "c"),
    datasets: Sequence[str] = ("easy", "hard"),
    questions: int = 300,
    log_odds: float = 0.8,
    difficulty: float = 1.5,
    slope: dict[str, float] | None = None,
) -> list[PanelCell]:
    """Cells whose correctness has `log_odds` on the flag, given the question's difficulty.

    `slope` adds to the log odds in the datasets named.
    """
    cells = []
    shared = {name: rng.normal(0, difficulty, questions) for name in datasets}
    for model in models:
        for dataset in datasets:
            violations = rng.choice(4, p=[0.5, 0.3, 0.15, 0.05], size=questions).astype(float)
            effect = log_odds + (slope or {}).get(dataset, 0.0)
            logit = shared[dataset] + effect * (violations == 0) - effect / 2
            cells.append(
                PanelCell(
                    name=f"{model}/{dataset}",
                    question_ids=tuple(f"q{index}" for index in range(questions)),
                    correct=rng.random(questions) < 1 / (1 + np.exp(-logit)),
                    monotone=violations == 0,
                    violations=violations,
                    coherence=rng.choice([0.0, 0.5, 0.673, 1.055], size=questions),
                    chain_units=rng.integers(1, 12, questions).astype(float),
                )
            )
    return cells
