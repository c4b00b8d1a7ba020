"""How often each outcome occurs, and what that says once the judge's own error is known.

Every row carries the sentence that consistency is not faithfulness. What cannot be judged (no or
hidden reasoning, refusals, undivided prose, samples that ended in an error) is in no rate: it is
counted beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final, Literal

import pandas as pd

from cot_entropy.base.files import write_text
from cot_entropy.consistency.intervals import (
    JudgeAccuracy,
    Share,
    corrected,
    effective_size,
    wilson,
)
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.taxonomy import SUBTYPES, UNASSESSED, not_faithfulness

NOT_VALIDATED: Final = "the judge was not validated on items of this kind"
OUTSIDE: Final = "outside every rate"
ALL: Final = "all"

Of = Literal["transcripts", "assessed", "decided"]
Unit = Literal["transcript", "turn"]


@dataclass(frozen=True, kw_only=True)
class Rate:
    """`count` of `n`, as a share with an interval; None where undefined, `reason` says why.

    `of` is the denominator: those decided as consistent or inconsistent; those assessed (decided,
    not applicable, or without a usable verdict); for a count beside the rates, all. `on_benchmark`
    says how often the judge was right about just this on labelled items.
    """

    source: str
    """Where the transcripts come from."""
    model: str
    """The model that wrote them, or `all`."""
    task: str
    """The task, or `all`."""
    unit: Unit
    """Whole transcripts, or single answers and actions of those with several turns."""
    quantity: str
    """What is counted."""
    decided_by: str
    """Counted only where this decided: `rule`, `judge`, `computed`; or `all`."""
    of: Of
    """The denominator."""
    count: int | None
    """How many."""
    n: int
    """Of how many."""
    rate: float | None = None
    """The share."""
    ci_low: float | None = None
    """Lower end of the 95 % interval."""
    ci_high: float | None = None
    """Upper end."""
    method: str = "raw, Wilson"
    """Raw, or corrected for the judge."""
    reason: str = ""
    """Why it is missing."""
    judge: str
    """Name of the judge."""
    on_benchmark: str
    """How well the judge judges the benchmark, in one line."""
    note: str
    """The sentence that belongs to every rate."""


@dataclass(frozen=True, kw_only=True)
class Validated:
    """What is known about the judge from benchmark items of one kind."""

    accuracy: JudgeAccuracy
    domain: str
    """The kind of the items."""
    on_benchmark: Mapping[str, str]
    """`validation.on_benchmark`: in words, for each quantity."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Judgements of one model, task and unit; `all` where they are pooled."""

    model: str
    task: str
    unit: Unit
    judgements: Sequence[Judgement]

    @property
    def assessed(self) -> list[Judgement]:
        """Those in some rate."""
        return [one for one in self.judgements if one.outcome not in UNASSESSED]

    @property
    def decided(self) -> list[Judgement]:
        """Those that are consistent or inconsistent."""
        return [one for one in self.judgements if one.outcome in {"consistent", "inconsistent"}]


def groups(judgements: Sequence[Judgement]) -> Iterator[Group]:
    """All pooled, then each model, each task and each pair, where there is more than one."""
    units: tuple[tuple[Unit, list[Judgement]], ...] = (
        ("transcript", [one for one in judgements if one.turn is None]),
        ("turn", [one for one in judgements if one.turn is not None]),
    )
    for unit, those in units:
        if not those and unit == "turn":
            continue
        models = sorted({one.model for one in those}) if len({o.model for o in those}) > 1 else []
        tasks = sorted({one.task for one in those}) if len({o.task for o in those}) > 1 else []
        for model in (ALL, *models):
            for task in (ALL, *tasks):
                chosen = [
                    one for one in those if model in {ALL, one.model} and task in {ALL, one.task}
                ]
                if chosen or (model, task) == (ALL, ALL):
                    yield Group(model=model, task=task, unit=unit, judgements=chosen)


def rates(judgements: Sequence[Judgement], *, validated: Validated | None = None) -> list[Rate]:
    """All rates of one scan.

    The four outcomes are shares of the assessed, so that judge errors are seen; inconsistency and
    its subtypes are shares of the decided, in all and by what decided. With the judge's accuracy on
    benchmark items of the same kind, the corrected inconsistency rate follows (`corrected`). Last
    come the counts of what is outside every rate. Intervals count repeated samples by cluster.
    """
    return [row for group in groups(judgements) for row in _rows(group, judgements, validated)]


def _rows(group: Group, every: Sequence[Judgement], validated: Validated | None) -> Iterator[Rate]:
    source = ", ".join(sorted({one.source for one in every}))
    judge = ", ".join(sorted({one.judge for one in every}))
    beside = validated.on_benchmark if validated else {}

    def make(quantity: str, of: Of, *, n: int, decided_by: str = ALL, **values: object) -> Rate:
        return Rate(
            source=source,
            model=group.model,
            task=group.task,
            unit=group.unit,
            judge=judge,
            quantity=quantity,
            decided_by=decided_by,
            of=of,
            n=n,
            on_benchmark=beside.get(quantity, NOT_VALIDATED),
            note=not_faithfulness(),
            **values,  # type: ignore[arg-type]
        )

    def raw(
        quantity: str,
        of: Of,
        among: Sequence[Judgement],
        counts: Callable[[Judgement], bool],
        decided_by: str = ALL,
    ) -> Rate:
        flags = [counts(one) for one in among]
        found = make(quantity, of, n=len(flags), decided_by=decided_by, count=sum(flags))
        return _with_interval(found, share(among, flags))

    assessed, decided = group.assessed, group.decided
    for outcome in ("consistent", "inconsistent", "not_applicable", "judge_error"):
        yield raw(outcome, "assessed", assessed, lambda one, o=outcome: one.outcome == o)  # type: ignore[misc]
    deciders = sorted({one.decided_by for one in decided})
    for decider in (ALL, *deciders):
        for name in ("inconsistent", *SUBTYPES):
            yield raw(
                name,
                "decided",
                decided,
                lambda one, name=name, by=decider: (  # type: ignore[misc]
                    name in {one.outcome, one.subtype} and by in {ALL, one.decided_by}
                ),
                decider,
            )
    method = "corrected, Rogan-Gladen" + (f", {validated.domain} items" if validated else "")
    empty = make("inconsistent", "decided", n=len(decided), count=None, method=method)
    yield _with_interval(empty, _corrected(decided, validated), method)
    for outcome in UNASSESSED:
        count = sum(one.outcome == outcome for one in group.judgements)
        yield make(outcome, "transcripts", n=len(group.judgements), count=count, reason=OUTSIDE)


def share(among: Sequence[Judgement], flags: Sequence[bool]) -> Share:
    """The share of flagged judgements, its Wilson interval clustered by sample."""
    n = len(flags)
    if n == 0:
        return Share(reason="nothing to count")
    size = effective_size(flags, [one.sample or (one.source, one.id, one.turn) for one in among])
    value = sum(flags) / n
    low, high = wilson(value * size, size)
    repeated = len({one.sample or (one.source, one.id, one.turn) for one in among}) < n
    return Share(rate=value, ci_low=low, ci_high=high, size=size, clustered=repeated)


def _corrected(decided: Sequence[Judgement], validated: Validated | None) -> Share:
    observed = share(decided, [one.outcome == "inconsistent" for one in decided])
    if observed.rate is None:
        return observed
    if validated is None:
        return Share(reason=NOT_VALIDATED)
    found = corrected(observed.rate * observed.size, observed.size, accuracy=validated.accuracy)
    return replace(found, clustered=observed.clustered and found.rate is not None)


def _with_interval(row: Rate, found: Share, method: str = "raw, Wilson") -> Rate:
    values = {
        "rate": found.rate,
        "ci_low": found.ci_low,
        "ci_high": found.ci_high,
        "reason": found.reason,
        "method": method + (", clustered by sample" if found.clustered else ""),
    }
    return Rate(**{**asdict(row), **values})


def rates_in_words(found: Sequence[Rate]) -> Iterator[str]:
    """One line per pooled rate, then what is outside every rate, and the sentence."""
    for row in found:
        if (row.model, row.task) != (ALL, ALL):
            continue
        what = row.quantity + ("" if row.decided_by == ALL else f" by {row.decided_by}")
        of = f"{row.n} {row.of}" + ("" if row.unit == "transcript" else " turns")
        if row.reason == OUTSIDE:
            if row.count:
                yield f"{what:32} {row.count:>6} of {of}: {row.reason}"
        elif row.rate is None:
            yield f"{what:32} {'-':>6} of {of} ({row.method}): {row.reason}"
        else:
            yield (
                f"{what:32} {row.rate:6.1%} of {of} ({row.method}), "
                f"95 % {row.ci_low:.1%} to {row.ci_high:.1%}; on the benchmark: {row.on_benchmark}"
            )
    yield not_faithfulness()


def write_rates(path: Path, rows: Sequence[Rate]) -> None:
    """Write rates as CSV; undefined numbers are empty."""
    frame = pd.DataFrame([asdict(row) for row in rows])
    frame["count"] = frame["count"].astype("Int64")
    write_text(path, frame.to_csv(index=False, lineterminator="\n"))
