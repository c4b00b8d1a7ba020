"""The exploratory entries of the plan: what all have in common, and how one is told from another.

An entry reads, in preregistration/plan.yaml:

    - id: E4
      title: Flags and gap over the violation threshold
      population: all
      estimator: eps_sweep
      params: {eps: [0.0, 0.01, 0.1]}
      source: inferred
      prior_data: published_results_known

`entries/` holds a module per estimator with the model of its parameters, so that an unknown or
missing parameter is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Generic, Literal, TypeVar

from pydantic import Field

from cot_entropy.base.rules import Kind, OneOf
from cot_entropy.base.strict import Strict

ENTRIES: Final = Kind("plan.entries")
ESTIMATORS: Final = Kind("stats.estimators")
SIGNALS: Final = Kind("stats.signals")

Source = Literal["paper", "inferred", "ours"]
PriorData = Literal["none", "benchmarks_known", "published_results_known"]
Signal = Annotated[str, SIGNALS]
Eps = Annotated[float, Field(ge=0, le=2)]

P = TypeVar("P", bound=Strict)


class NamesSignals(Strict):
    """Parameters that name signals."""

    signals: list[Signal] = Field(min_length=1)
    """Signals to rank by."""

    @property
    def named(self) -> Sequence[str]:
        """Every signal that they name."""
        return self.signals


class Entry(Strict, Generic[P]):
    """One exploratory entry."""

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
    estimator: str
    """The estimator that the code implements."""
    params: P
    """Its parameters."""

    def rules(self) -> list[str]:
        """The modules that read and compute it, those of the signals it names among them."""
        signals = self.params.named if isinstance(self.params, NamesSignals) else ()
        return [
            ENTRIES.module(self.estimator),
            ESTIMATORS.module(self.estimator),
            *map(SIGNALS.module, signals),
        ]


ExploratoryEntry = Annotated[Entry[Any], OneOf(ENTRIES, "estimator")]
