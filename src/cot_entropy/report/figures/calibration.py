"""Coverage and false support of every interval, from the simulated studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields

from markupsafe import Markup

from cot_entropy.plan.model import Plan
from cot_entropy.report import text
from cot_entropy.report.figure import Figure, Value
from cot_entropy.report.figures.panels import span
from cot_entropy.report.figures.simulated_panels import (
    Dot,
    Square,
    Strip,
    grid_panels,
    strip_panel,
)
from cot_entropy.stats.calibration.tally import CalibrationRow

Reading = Callable[[CalibrationRow], tuple[float, bool]]
SHORT = {
    "accuracy_gap_pp": "gap",
    "rho_coherence": "rho of coherence",
    "rho_violations": "rho of violations",
    "filter_auroc": "AUROC of the filter",
}


@dataclass(frozen=True, kw_only=True)
class Family:
    """The hypotheses that share an estimand, and with it a rule."""

    estimand: str
    ids: tuple[str, ...]
    nominal: float
    """The coverage that the plan wants of the reported interval."""
    one_sided: float
    """The share of false support that the deciding level allows."""

    @property
    def title(self) -> str:
        """`H1, H4a: gap`."""
        return f"{', '.join(self.ids)}: {SHORT[self.estimand]}"


def families(plan: Plan) -> tuple[Family, ...]:
    """One family per estimand of the plan, in its order."""
    by_estimand = {one.estimand: one for one in reversed(plan.hypotheses)}
    return tuple(
        Family(
            estimand=estimand,
            ids=tuple(one.id for one in plan.hypotheses if one.estimand == estimand),
            nominal=by_estimand[estimand].levels.refuted,
            one_sided=(1 - by_estimand[estimand].levels.supported) / 2,
        )
        for estimand in dict.fromkeys(one.estimand for one in plan.hypotheses)
    )


def calibration_figures(plan: Plan, rows: Sequence[CalibrationRow]) -> tuple[Figure, ...]:
    """Coverage, its map of misses, and false support; none without rows."""
    known = [one for one in families(plan) if any(row.estimand == one.estimand for row in rows)]
    return (_coverage(known, rows), _map(known, rows), _false_support(known, rows)) if known else ()


def _coverage(known: Sequence[Family], rows: Sequence[CalibrationRow]) -> Figure:
    limits = span([row.coverage for row in rows], *(one.nominal for one in known))
    panels = [
        strip_panel(
            family.title,
            _strips(family, rows, word="miss", value=lambda row: (row.coverage, not row.covers)),
            x=limits,
            reference=family.nominal,
            unit=f"coverage, nominal {family.nominal:g}",
        )
        for family in known
    ]
    return Figure(
        name="calibration_coverage",
        plan_ids=_ids(known),
        title="Coverage of every interval",
        caption=(
            "One mark per simulated setting: the share of studies whose interval holds the truth. "
            "A triangle misses: its coverage is below the nominal one by more than two Monte Carlo "
            "standard errors. In bold the interval that decides."
        ),
        exploratory=False,
        panels=tuple(panels),
        columns=_columns(),
        rows=[_values(row) for row in rows],
        legend=(("swatch-ours", "covers"), ("swatch-miss", "misses")),
    )


def _map(known: Sequence[Family], rows: Sequence[CalibrationRow]) -> Figure:
    panels: list[Markup] = []
    deciding = [row for row in rows if row.decides]
    for family in known:
        squares = [
            Square(
                n=row.n,
                accuracy=row.accuracy,
                flag_rate=row.flag_rate,
                effect=row.truth,
                text=f"{100 * row.coverage:.1f}",
                misses=not row.covers,
            )
            for row in deciding
            if row.estimand == family.estimand
        ]
        panels += grid_panels(family.title, squares, unit="coverage in percent")
    return Figure(
        name="calibration_map",
        plan_ids=_ids(known),
        title="Where the deciding interval misses",
        caption=(
            "Coverage of the deciding interval in percent, by accuracy and the share of monotone "
            "chains (or the number of chains), at each true value. Outlined and in bold: misses. "
            "The other intervals' settings stand in the data of the figure above."
        ),
        exploratory=False,
        panels=tuple(panels),
        columns=_columns(),
        rows=[_values(row) for row in deciding],
    )


def _false_support(known: Sequence[Family], rows: Sequence[CalibrationRow]) -> Figure:
    false = [row for row in rows if row.false_support_limit is not None]
    limits = span([row.supported for row in false], 0.0, *(one.one_sided for one in known))
    panels = [
        strip_panel(
            family.title,
            _strips(
                family,
                false,
                word="above",
                value=lambda row: (row.supported, row.within_limit is False),
            ),
            x=limits,
            reference=family.one_sided,
            unit=f"share supported, allowed {family.one_sided:g}",
        )
        for family in known
        if any(row.estimand == family.estimand for row in false)
    ]
    return Figure(
        name="calibration_false_support",
        plan_ids=_ids(known),
        title="False support",
        caption=(
            "One mark per simulated setting in which the claim is false, at its edge: the share of "
            "studies that the rule supports all the same, p-value unadjusted, which is the most "
            "that Holm's adjustment allows. A triangle is above the allowed share by more than two "
            "Monte Carlo standard errors."
        ),
        exploratory=False,
        panels=tuple(panels),
        columns=_columns(),
        rows=[_values(row) for row in false],
        legend=(("swatch-ours", "within the limit"), ("swatch-miss", "above it")),
    )


def _strips(
    family: Family, rows: Sequence[CalibrationRow], *, word: str, value: Reading
) -> list[Strip]:
    mine = [row for row in rows if row.estimand == family.estimand]
    strips = []
    for name in dict.fromkeys(row.interval for row in mine):
        chosen = [row for row in mine if row.interval == name]
        dots = [Dot(*value(row)) for row in chosen]
        missed = sum(dot.misses for dot in dots)
        strips.append(
            Strip(
                label=text.INTERVALS.get(name, name.replace("_", " ")),
                note=f"{missed} of {len(dots)} {word}",
                dots=dots,
                emphasis=any(row.decides for row in chosen),
            )
        )
    return strips


def _ids(known: Iterable[Family]) -> tuple[str, ...]:
    return tuple(name for one in known for name in one.ids)


def _columns() -> tuple[str, ...]:
    return tuple(field.name for field in fields(CalibrationRow))


def _values(row: CalibrationRow) -> list[Value]:
    return [getattr(row, name) for name in _columns()]
