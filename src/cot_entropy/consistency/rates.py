"""How often each outcome occurs, and what that says once the judge's own error is known.

Every row carries the sentence that consistency is not faithfulness.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import NormalDist
from typing import Literal, get_args

import pandas as pd
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from cot_entropy.base.files import write_text
from cot_entropy.consistency.judgement import Judgement, Outcome
from cot_entropy.consistency.taxonomy import SUBTYPES, not_faithfulness

LEVEL = 0.95

NOT_VALIDATED = "the judge was not validated on items of this kind"

Of = Literal["transcripts", "decided"]


@dataclass(frozen=True, kw_only=True)
class JudgeAccuracy:
    """Counts of a judge on labelled items: inconsistent ones found, consistent ones cleared."""

    found: int
    inconsistent: int
    cleared: int
    consistent: int


@dataclass(frozen=True, kw_only=True)
class Rate:
    """`count` of `n`, as a share with an interval; None where undefined, `reason` says why.

    `of` is the denominator: all transcripts, or those decided as consistent or inconsistent.
    `on_benchmark` says how often the judge was right about just this on labelled items.
    """

    source: str
    """Where the transcripts come from."""
    quantity: str
    """What is counted."""
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


def wilson(count: int, n: int) -> tuple[float, float]:
    """The 95 % Wilson interval of a share; n must be positive."""
    low, high = proportion_confint(count, n, alpha=1 - LEVEL, method="wilson")
    return max(float(low), 0.0), min(float(high), 1.0)


def rates(
    judgements: Sequence[Judgement],
    *,
    accuracy: JudgeAccuracy | None = None,
    on_benchmark: Mapping[str, str] | None = None,
) -> list[Rate]:
    """All rates of one source and judge.

    The four outcomes are shares of all transcripts, so that judge errors are seen; inconsistency
    and its subtypes are shares of the decided ones. With the judge's accuracy on benchmark items
    of the same kind, the corrected inconsistency rate follows (`corrected`); `on_benchmark` is
    what `validation.on_benchmark` says of each quantity.
    """
    source = ", ".join(sorted({judgement.source for judgement in judgements}))
    judge = ", ".join(sorted({judgement.judge for judgement in judgements}))
    outcomes = Counter(judgement.outcome for judgement in judgements)
    subtypes = Counter(judgement.subtype for judgement in judgements)
    decided = outcomes["consistent"] + outcomes["inconsistent"]

    beside = on_benchmark or {}

    def row(quantity: str, of: Of, count: int, n: int) -> Rate:
        make = partial(
            Rate,
            source=source,
            judge=judge,
            on_benchmark=beside.get(quantity, NOT_VALIDATED),
            note=not_faithfulness(),
        )
        if n == 0:
            return make(quantity=quantity, of=of, count=count, n=n, reason=f"no {of} to count")
        low, high = wilson(count, n)
        return make(
            quantity=quantity, of=of, count=count, n=n, rate=count / n, ci_low=low, ci_high=high
        )

    found = [row(o, "transcripts", outcomes[o], len(judgements)) for o in get_args(Outcome)]
    found.append(row("inconsistent", "decided", outcomes["inconsistent"], decided))
    found.extend(row(subtype, "decided", subtypes[subtype], decided) for subtype in SUBTYPES)
    found.append(
        corrected(
            outcomes["inconsistent"],
            decided,
            accuracy=accuracy,
            source=source,
            judge=judge,
            on_benchmark=beside.get("inconsistent", NOT_VALIDATED),
        )
    )
    return found


def corrected(
    count: int,
    n: int,
    *,
    accuracy: JudgeAccuracy | None,
    source: str,
    judge: str,
    on_benchmark: str = NOT_VALIDATED,
) -> Rate:
    """The inconsistency rate freed of the judge's measured error (Rogan and Gladen 1978).

    (p + Sp - 1) / (Se + Sp - 1), clipped to [0, 1], with the interval of `lang_reiczigel`. There is
    no corrected rate unless Se + Sp - 1 is above 0 at its lower 2.5 % point (`better_than_chance`):
    a judge no better than chance carries no information about the rate. Nor is there one where the
    whole interval is beyond 0 or 1: then the benchmark's items are not like those of the field.
    """
    make = partial(
        Rate,
        source=source,
        judge=judge,
        quantity="inconsistent",
        of="decided",
        count=None,
        n=n,
        method="corrected, Rogan-Gladen",
        on_benchmark=on_benchmark,
        note=not_faithfulness(),
    )

    def undefined(reason: str) -> Rate:
        return make(reason=reason)

    if n == 0:
        return undefined("no decided to count")
    if accuracy is None:
        return undefined(NOT_VALIDATED)
    if accuracy.inconsistent == 0 or accuracy.consistent == 0:
        return undefined("the benchmark leaves no decided item of one class")
    if not better_than_chance(accuracy):
        return undefined("the judge is not better than chance on benchmark items of this kind")
    rate = rogan_gladen(
        count / n,
        sensitivity=accuracy.found / accuracy.inconsistent,
        specificity=accuracy.cleared / accuracy.consistent,
    )
    low, high = lang_reiczigel(count, n, accuracy)
    if low == high:
        return undefined("the observed share contradicts the judge's error on the benchmark")
    return make(rate=rate, ci_low=min(low, rate), ci_high=max(high, rate))


def better_than_chance(accuracy: JudgeAccuracy) -> bool:
    """Whether the 95 % interval of Se - (1 - Sp) is above 0 (Newcombe 1998, method 10)."""
    low, _ = confint_proportions_2indep(
        accuracy.found,
        accuracy.inconsistent,
        accuracy.consistent - accuracy.cleared,
        accuracy.consistent,
        method="newcomb",
        compare="diff",
        alpha=1 - LEVEL,
    )
    return float(low) > 0


def lang_reiczigel(count: int, n: int, accuracy: JudgeAccuracy) -> tuple[float, float]:
    """The 95 % interval of a rate corrected with estimated Se and Sp, clipped to [0, 1].

    Lang and Reiczigel 2014, Preventive Veterinary Medicine 113:13-22, equations 16 and 17: adds
    z^2 observations, half of them positive, to the field and one success and one failure to each
    class of the benchmark, and shifts the centre. Needs a judge that is better than chance.
    """
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    n_p, n_se, n_sp = n + z**2, accuracy.inconsistent + 2, accuracy.consistent + 2
    p, se, sp = (count + z**2 / 2) / n_p, (accuracy.found + 1) / n_se, (accuracy.cleared + 1) / n_sp
    youden = se + sp - 1
    true = (p + sp - 1) / youden
    var_se, var_sp = se * (1 - se) / n_se, sp * (1 - sp) / n_sp
    centre = true + 2 * z**2 * (true * var_se - (1 - true) * var_sp)
    variance = p * (1 - p) / n_p + true**2 * var_se + (1 - true) ** 2 * var_sp
    half = z * variance**0.5 / youden
    return min(max(centre - half, 0.0), 1.0), max(min(centre + half, 1.0), 0.0)


def rogan_gladen(observed: float, *, sensitivity: float, specificity: float) -> float:
    """The true share behind an observed one, clipped to [0, 1]; needs Se + Sp > 1."""
    value = (observed + specificity - 1) / (sensitivity + specificity - 1)
    return min(max(value, 0.0), 1.0)


def write_rates(path: Path, rows: Sequence[Rate]) -> None:
    """Write rates as CSV; undefined numbers are empty."""
    frame = pd.DataFrame([asdict(row) for row in rows])
    frame["count"] = frame["count"].astype("Int64")
    write_text(path, frame.to_csv(index=False, lineterminator="\n"))
