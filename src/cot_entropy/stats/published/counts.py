"""The counts behind a paper's printed percentages.

    printed: n = 300, flag rate 73.7 %, accuracy 68.8 % v 46.8 %
    the one table that fits: 152 of 221 v 37 of 79

Every table of whole numbers that rounds to the printed figures is found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from cot_entropy.stats.published.model import Quantity, Study
from cot_entropy.stats.two_by_two import TwoByTwo

SLACK = 1e-9


@dataclass(frozen=True)
class Printed:
    """A number as printed: its value, and half a unit of its last digit."""

    text: str

    @property
    def value(self) -> float:
        """The number."""
        return float(self.text)

    @property
    def half_unit(self) -> float:
        """How far the exact value may lie from the printed one."""
        exponent = Decimal(self.text).as_tuple().exponent
        return 0.5 * 10.0 ** int(exponent)

    def fits(self, value: float) -> bool:
        """Whether a value, rounded to the printed digits, is this number (either way at .5)."""
        return abs(value - self.value) <= self.half_unit + SLACK

    def meets(self, values: Sequence[float]) -> bool:
        """Whether the range from the least to the greatest value reaches the rounding range."""
        lower, upper = self.value - self.half_unit, self.value + self.half_unit
        return min(values) <= upper + SLACK and max(values) >= lower - SLACK


def every(study: Study, quantity: Quantity) -> list[Printed]:
    """The figures of a quantity, in order, with their rounding."""
    return [Printed(figure.printed) for figure in study.figures if figure.quantity == quantity]


def one(study: Study, quantity: Quantity) -> Printed | None:
    """The first figure of a quantity; None where the paper prints none."""
    return next(iter(every(study, quantity)), None)


def fitting_tables(study: Study) -> tuple[TwoByTwo, ...]:
    """The tables that give the study's printed accuracies and flag rate; () without accuracies."""
    monotone = one(study, "accuracy_monotone_percent")
    other = one(study, "accuracy_non_monotone_percent")
    if monotone is None or other is None:
        return ()
    return tuple(tables(study.n, one(study, "flag_rate_percent"), monotone, other))


def tables(
    n: int, flag_rate: Printed | None, monotone: Printed, non_monotone: Printed
) -> Iterator[TwoByTwo]:
    """Every table of n chains whose percentages round to the printed ones."""
    for size in range(1, n):
        if flag_rate is not None and not flag_rate.fits(100 * size / n):
            continue
        for right in counts_of(size, monotone):
            for other in counts_of(n - size, non_monotone):
                yield TwoByTwo(
                    right_monotone=right,
                    wrong_monotone=size - right,
                    right_other=other,
                    wrong_other=n - size - other,
                )


def counts_of(size: int, percent: Printed) -> list[int]:
    """The counts out of `size` that round to a printed percentage."""
    middle = round(size * percent.value / 100)
    reach = int(size * percent.half_unit / 100) + 1
    near = range(max(0, middle - reach), min(size, middle + reach) + 1)
    return [count for count in near if percent.fits(100 * count / size)]
