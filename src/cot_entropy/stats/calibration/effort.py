"""How much is simulated: the whole grid, or enough to see that it works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class Effort:
    """Numbers per setting, and the settings. Rates are probabilities, gaps percentage points.

    `exact_like` studies are simulated where an interval needs no resampling; `studies` where it
    does, with `resamples` or `permutations` each (fewer than the analysis uses: the tails are
    coarser, not biased, by that).
    """

    studies: int
    exact_like: int
    resamples: int
    permutations: int
    filter_resamples: int
    panel_studies: int
    panel_resamples: int
    sizes: tuple[int, ...]
    accuracies: tuple[float, ...]
    flag_rates: tuple[float, ...]
    gaps: tuple[float, ...]
    rhos: tuple[float, ...]
    coherence_sizes: tuple[int, ...]
    coherence_rhos: tuple[float, ...]
    filters: tuple[tuple[int, float, float], ...]
    """Monotone chains, rate of wrong answers, effect in log-odds per SD of final entropy."""


FULL: Final = Effort(
    studies=2000,
    exact_like=4000,
    resamples=600,
    permutations=600,
    filter_resamples=100,
    panel_studies=2000,
    panel_resamples=200,
    sizes=(1319, 500),
    accuracies=(0.4, 0.6, 0.8, 0.93, 0.95),
    flag_rates=(0.01, 0.03, 0.1, 0.3, 0.5, 0.75, 0.95),
    gaps=(0.0, 10.0),
    rhos=(0.0, -0.1, -0.2),
    coherence_sizes=(1319, 500, 300),
    coherence_rhos=(0.0, 0.1, 0.2, 0.4),
    filters=(
        (120, 0.2, 0.0),
        (120, 0.5, 0.0),
        (300, 0.1, 0.0),
        (300, 0.4, 0.0),
        (900, 0.07, 0.0),
        (900, 0.2, 0.0),
        (120, 0.5, 0.5),
        (300, 0.2, 0.5),
        (900, 0.1, 0.5),
        (120, 0.5, 1.0),
        (300, 0.2, 1.0),
    ),
)

QUICK: Final = Effort(
    studies=150,
    exact_like=1000,
    resamples=100,
    permutations=200,
    filter_resamples=20,
    panel_studies=20,
    panel_resamples=50,
    sizes=(500,),
    accuracies=(0.6, 0.93),
    flag_rates=(0.1, 0.5),
    gaps=(0.0, 10.0),
    rhos=(0.0,),
    coherence_sizes=(300,),
    coherence_rhos=(0.0, 0.1),
    filters=((120, 0.3, 0.0),),
)
