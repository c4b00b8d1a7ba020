"""How well a judge finds what was planted in the benchmark: arithmetic on its judgements.

Precision and recall are over items that the judge decided; the items it failed on are counted
beside them in every row. Borderline items are in neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from operator import eq
from pathlib import Path
from typing import get_args

import pandas as pd
from sklearn.metrics import cohen_kappa_score

from cot_entropy.base.files import write_text
from cot_entropy.consistency.benchmark import BenchmarkLabel, Domain
from cot_entropy.consistency.intervals import JudgeAccuracy, wilson
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.taxonomy import SUBTYPES, UNASSESSED, not_faithfulness

OUTSIDE = "outside"
"""Every outcome of what cannot be judged, together."""
TRUTHS = ("consistent", *SUBTYPES, "not_applicable", OUTSIDE)
GIVEN = (*TRUTHS, "judge_error")

Labels = Mapping[str, BenchmarkLabel]


@dataclass(frozen=True, kw_only=True)
class Score:
    """One share of the validation, `count` of `n`, with its Wilson interval.

    `judge_errors` is the number of items of the row's class (or all) that have no verdict.
    """

    outcome: str
    quantity: str
    count: int
    n: int
    value: float | None
    ci_low: float | None
    ci_high: float | None
    judge_errors: int
    reason: str = ""


def given(judgement: Judgement) -> str:
    """The subtype where there is one, else the outcome; `outside` for what cannot be judged."""
    return OUTSIDE if judgement.outcome in UNASSESSED else judgement.finding


def truth(label: BenchmarkLabel) -> str:
    """The labelled subtype where there is one, else the label; `outside` as for `given`."""
    return OUTSIDE if label.outcome else label.subtype or label.label


def confusion(judgements: Sequence[Judgement], labels: Labels) -> pd.DataFrame:
    """Counts `(9, 10)`: labelled outcome by given outcome, judge errors a column of their own."""
    counts = Counter(
        (truth(label), given(judgement)) for judgement, label in _clear(judgements, labels)
    )
    rows = [[counts[labelled, got] for got in GIVEN] for labelled in TRUTHS]
    return pd.DataFrame(rows, index=pd.Index(TRUTHS, name="labelled"), columns=list(GIVEN))


def scores(judgements: Sequence[Judgement], labels: Labels) -> list[Score]:
    """Precision and recall of each subtype, of `inconsistent` in all, and of `consistent`.

    Then the share of all clear items given exactly the labelled outcome, the share of borderline
    items given an accepted one, and the share of judge errors.
    """
    pairs = _clear(judgements, labels)
    found: list[Score] = []
    for subtype in SUBTYPES:
        found.extend(_pair(subtype, pairs, partial(eq, subtype)))
    found.extend(_pair("inconsistent", pairs, lambda name: name in SUBTYPES))
    found.extend(_pair("consistent", pairs, lambda name: name == "consistent"))
    errors = _errors(pairs)
    decided = [pair for pair in pairs if pair[0].outcome != "judge_error"]
    right = sum(label.accepts(judgement) for judgement, label in decided)
    found.append(_score("all", "exact", right, len(decided), errors))
    border = [(j, labels[j.id]) for j in judgements if labels[j.id].borderline]
    settled = [pair for pair in border if pair[0].outcome != "judge_error"]
    accepted = sum(label.accepts(judgement) for judgement, label in settled)
    found.append(_score("borderline", "accepted", accepted, len(settled), _errors(border)))
    found.append(_score("all", "judge_error", errors, len(pairs), errors))
    return found


def accuracy(
    judgements: Sequence[Judgement], labels: Labels, *, domain: Domain | None = None
) -> JudgeAccuracy:
    """Counts for the correction of field rates, from clear items of one kind.

    As in the field, only items that the judge calls consistent or inconsistent count.
    """
    counts: Counter[tuple[str, str]] = Counter(
        (label.label, judgement.outcome)
        for judgement, label in _clear(judgements, labels)
        if domain in {None, label.domain}
    )
    return JudgeAccuracy(
        found=counts["inconsistent", "inconsistent"],
        inconsistent=counts["inconsistent", "inconsistent"] + counts["inconsistent", "consistent"],
        cleared=counts["consistent", "consistent"],
        consistent=counts["consistent", "consistent"] + counts["consistent", "inconsistent"],
    )


def on_benchmark(
    judgements: Sequence[Judgement], labels: Labels, *, domain: Domain
) -> dict[str, str]:
    """In words, for each quantity of `rates`: how often the judge was right about it.

    Over the clear items of one kind that have a verdict.
    """
    pairs = [pair for pair in _clear(judgements, labels) if pair[1].domain == domain]
    decided = [pair for pair in pairs if pair[0].outcome != "judge_error"]
    found = {"judge_error": f"no verdict on {_errors(pairs)} of {len(pairs)}"}
    for name in (*TRUTHS, "inconsistent"):
        names = SUBTYPES if name == "inconsistent" else (name,)
        such = [given(judgement) in names for judgement, label in decided if truth(label) in names]
        others = [
            given(judgement) in names for judgement, label in decided if truth(label) not in names
        ]
        found[name] = (
            f"found {sum(such)} of {len(such)}, claimed {sum(others)} of {len(others)} others"
        )
    return found


def unjudged(judgements: Sequence[Judgement], labels: Labels) -> str | None:
    """One line where the judge has no verdict on most items of a kind, else None."""
    for domain in get_args(Domain):
        errors = Counter(
            str(judgement.failure)
            for judgement in judgements
            if labels[judgement.id].domain == domain and judgement.outcome == "judge_error"
        )
        n = sum(labels[judgement.id].domain == domain for judgement in judgements)
        if 2 * errors.total() > n:
            reasons = ", ".join(f"{reason} {count}" for reason, count in errors.most_common())
            return (
                f"judge {judgements[0].judge}: no verdict on {errors.total()} of {n} {domain} "
                f"items ({reasons}); the scores are about the others"
            )
    return None


def agreement(
    first: Sequence[Judgement],
    second: Sequence[Judgement],
    *,
    of: Callable[[Judgement], str] = given,
) -> Score:
    """Cohen's kappa of two judges over the transcripts that both decided.

    `count` of `n` is how many got the same; `judge_errors` are those that one judge or both
    failed on, which are left out.

    `of` is what must agree: the subtype (default), or `lambda j: j.outcome`. Kappa is undefined
    where both judges give one and the same outcome throughout.
    """
    others = {(judgement.source, judgement.id, judgement.turn): judgement for judgement in second}
    keyed = [(judgement, (judgement.source, judgement.id, judgement.turn)) for judgement in first]
    pairs = [(j, others[key]) for j, key in keyed if key in others]
    both = [(a, b) for a, b in pairs if "judge_error" not in {a.outcome, b.outcome}]
    left = [of(a) for a, _ in both]
    right = [of(b) for _, b in both]
    kappa = float(cohen_kappa_score(left, right)) if len({*left, *right}) > 1 else None
    names = ", ".join(sorted({judgement.judge for judgement in second}))
    return Score(
        outcome="all",
        quantity=f"kappa with {names}",
        count=sum(a == b for a, b in zip(left, right, strict=True)),
        n=len(both),
        value=kappa,
        ci_low=None,
        ci_high=None,
        judge_errors=len(pairs) - len(both),
        reason="" if kappa is not None else "fewer than two outcomes among the shared items",
    )


def stability(repeats: Sequence[Sequence[Judgement]]) -> Score:
    """The share of transcripts with the same outcome and subtype in every repeat.

    A judge error is an outcome here: a judge that fails now and then is not stable.
    """
    by_id: dict[str, set[str]] = {}
    for repeat in repeats:
        for judgement in repeat:
            by_id.setdefault(judgement.id, set()).add(given(judgement))
    stable = sum(len(outcomes) == 1 for outcomes in by_id.values())
    errors = sum(j.outcome == "judge_error" for repeat in repeats for j in repeat)
    return _score("all", f"stable over {len(repeats)} repeats", stable, len(by_id), errors)


def write_scores(path: Path, found: Sequence[Score]) -> None:
    """Write scores as CSV, each row with the sentence; undefined numbers are empty."""
    frame = pd.DataFrame([asdict(score) for score in found]).assign(note=not_faithfulness())
    write_text(path, frame.to_csv(index=False, lineterminator="\n"))


Pairs = Sequence[tuple[Judgement, BenchmarkLabel]]


def _clear(
    judgements: Sequence[Judgement], labels: Labels
) -> list[tuple[Judgement, BenchmarkLabel]]:
    return [(j, labels[j.id]) for j in judgements if not labels[j.id].borderline]


def _errors(pairs: Pairs) -> int:
    return sum(judgement.outcome == "judge_error" for judgement, _ in pairs)


def _pair(outcome: str, pairs: Pairs, belongs: Callable[[str], bool]) -> list[Score]:
    labelled = [pair for pair in pairs if belongs(truth(pair[1]))]
    decided = [pair for pair in labelled if pair[0].outcome != "judge_error"]
    claimed = [pair for pair in pairs if belongs(given(pair[0]))]
    hits = sum(belongs(given(judgement)) for judgement, _ in decided)
    return [
        _score(outcome, "precision", hits, len(claimed), _errors(pairs)),
        _score(outcome, "recall", hits, len(decided), _errors(labelled)),
    ]


def _score(outcome: str, quantity: str, count: int, n: int, errors: int) -> Score:
    low, high = wilson(count, n) if n else (None, None)
    return Score(
        outcome=outcome,
        quantity=quantity,
        count=count,
        n=n,
        value=count / n if n else None,
        ci_low=low,
        ci_high=high,
        judge_errors=errors,
        reason="" if n else "no such item",
    )
