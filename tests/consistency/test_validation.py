"""A recorded judge: its confusion is chosen here, so every number is arithmetic."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cot_entropy.consistency import benchmark
from cot_entropy.consistency.intervals import wilson
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.taxonomy import SUBTYPES
from cot_entropy.consistency.validation import (
    Score,
    accuracy,
    agreement,
    confusion,
    on_benchmark,
    scores,
    stability,
    truth,
    unjudged,
)

from .labelled import judged

LABELS = benchmark.load_labels(1)
ALL = benchmark.load_transcripts(1)
OF = {
    name: [t for t in ALL if not LABELS[t.id].borderline and truth(LABELS[t.id]) == name]
    for name in ("consistent", *SUBTYPES, "not_applicable")
}


def record(answer: Callable[[str, int], str]) -> list[Judgement]:
    """Judge the n-th item of each labelled outcome as `answer(outcome, n)` says; borderline as labelled."""
    found = [judged(t, answer(name, n)) for name, items in OF.items() for n, t in enumerate(items)]
    return found + [judged(t, truth(LABELS[t.id])) for t in ALL if LABELS[t.id].borderline]


def by_name(found: list[Score]) -> dict[tuple[str, str], tuple[int, int, int]]:
    return {(s.outcome, s.quantity): (s.count, s.n, s.judge_errors) for s in found}


def recorded(name: str, n: int) -> str:
    """Two of five reversals called consistent, one abandonment called a reversal, one absent failed;
    three of twenty consistent called perfunctory, and two failed."""
    if name == "reasoning_reversal" and n < 2:
        return "consistent"
    if name == "reasoning_abandonment" and n == 0:
        return "reasoning_reversal"
    if name == "absent_reasoning" and n == 0:
        return "judge_error"
    if name == "consistent" and n < 3:
        return "perfunctory_reasoning"
    if name == "consistent" and n < 5:
        return "judge_error"
    return name


def test_a_perfect_judge() -> None:
    """Everything right, nothing failed."""
    found = by_name(scores(record(lambda name, n: name), LABELS))
    assert found["all", "exact"] == (54, 54, 0)
    assert found["inconsistent", "recall"] == (30, 30, 0)
    assert found["borderline", "accepted"] == (6, 6, 0)


def test_recall_per_subtype() -> None:
    """3 of 5 reversals, 4 of 5 abandonments, 4 of the 4 absent ones with a verdict."""
    found = by_name(scores(record(recorded), LABELS))
    assert found["reasoning_reversal", "recall"] == (3, 5, 0)
    assert found["reasoning_abandonment", "recall"] == (4, 5, 0)
    assert found["absent_reasoning", "recall"] == (4, 4, 1)


def test_precision_per_subtype() -> None:
    """Reversal: 3 of 4 claimed; perfunctory: 5 of 8 claimed. Failures of the whole scan stand beside."""
    found = by_name(scores(record(recorded), LABELS))
    assert found["reasoning_reversal", "precision"] == (3, 4, 3)
    assert found["perfunctory_reasoning", "precision"] == (5, 8, 3)


def test_inconsistent_in_all() -> None:
    """A wrong subtype is still inconsistent: 27 of 29 found, 27 of 30 claimed."""
    found = by_name(scores(record(recorded), LABELS))
    assert found["inconsistent", "recall"] == (27, 29, 1)
    assert found["inconsistent", "precision"] == (27, 30, 3)
    assert found["all", "judge_error"] == (3, 54, 3)


def test_intervals_are_wilsons() -> None:
    """27 of 29."""
    row = next(
        s
        for s in scores(record(recorded), LABELS)
        if (s.outcome, s.quantity) == ("inconsistent", "recall")
    )
    assert (row.value, row.ci_low, row.ci_high) == pytest.approx((27 / 29, *wilson(27, 29)))


def test_the_confusion_matrix() -> None:
    """Rows sum to the benchmark's composition; failures are a column."""
    table = confusion(record(recorded), LABELS)
    assert table.sum(axis=1).to_dict() == {
        "consistent": 20,
        **dict.fromkeys(SUBTYPES, 5),
        "not_applicable": 4,
        "outside": 0,
    }
    assert table.loc["reasoning_reversal", "consistent"] == 2
    assert table.loc["consistent", "judge_error"] == 2
    assert table["judge_error"].sum() == 3


def test_accuracy_for_the_correction() -> None:
    """Se 27/29 and Sp 15/18 over all domains."""
    found = accuracy(record(recorded), LABELS)
    assert (found.found, found.inconsistent, found.cleared, found.consistent) == (27, 29, 15, 18)


def test_accuracy_of_one_domain() -> None:
    """The mathematical items: ten edits of six parents."""
    found = accuracy(record(lambda name, n: name), LABELS, domain="mathematical")
    assert (found.inconsistent, found.consistent) == (10, 6)


def test_not_applicable_is_outside_the_correction() -> None:
    """As in the field rate, which is over consistent and inconsistent only."""
    found = accuracy(
        record(lambda name, n: "not_applicable" if name == "consistent" and n < 4 else name), LABELS
    )
    assert (found.cleared, found.consistent) == (16, 16)


def test_borderline_alternatives_are_accepted() -> None:
    """Each borderline item judged as its first alternative is right; as something else it is not."""
    border = [t for t in ALL if LABELS[t.id].borderline]
    right = by_name(scores([judged(t, LABELS[t.id].accepted[0]) for t in border], LABELS))
    wrong = by_name(scores([judged(t, "not_applicable") for t in border], LABELS))
    assert right["borderline", "accepted"] == (6, 6, 0)
    assert wrong["borderline", "accepted"] == (0, 6, 0)


def test_kappa_by_hand() -> None:
    """20 items: both yes 8, both no 6, 4 and 2 apart: po 0.7, pe 0.6 x 0.5 + 0.4 x 0.5 = 0.5, kappa 0.4."""
    items = ALL[:20]
    first = ["reasoning_reversal"] * 12 + ["consistent"] * 8
    second = (
        ["reasoning_reversal"] * 8
        + ["consistent"] * 4
        + ["reasoning_reversal"] * 2
        + ["consistent"] * 6
    )
    found = agreement(
        [judged(t, o) for t, o in zip(items, first, strict=True)],
        [judged(t, o) for t, o in zip(items, second, strict=True)],
    )
    assert (found.n, found.count, found.judge_errors) == (20, 14, 0)
    assert found.value == pytest.approx(0.4)


def test_kappa_leaves_failures_out_and_counts_them() -> None:
    """An item without a verdict cannot agree."""
    first = [
        judged(ALL[0], "judge_error"),
        judged(ALL[1], "consistent"),
        judged(ALL[2], "reasoning_reversal"),
    ]
    second = [judged(t, "consistent") for t in ALL[:3]]
    found = agreement(first, second)
    assert (found.n, found.judge_errors) == (2, 1)


def test_kappa_is_undefined_for_one_outcome() -> None:
    """Two judges that say `consistent` throughout: chance agreement is already 1."""
    both = [judged(t, "consistent") for t in ALL[:5]]
    assert agreement(both, both).value is None


def test_stability_counts_items_with_one_outcome() -> None:
    """Of three items one flips and one fails once."""
    first = [
        judged(ALL[0], "consistent"),
        judged(ALL[1], "consistent"),
        judged(ALL[2], "consistent"),
    ]
    second = [
        judged(ALL[0], "consistent"),
        judged(ALL[1], "reasoning_reversal"),
        judged(ALL[2], "judge_error"),
    ]
    found = stability([first, second])
    assert (found.count, found.n, found.judge_errors) == (1, 3, 1)


def counted(*names: str) -> int:
    """Clear mathematical items with one of these labels."""
    return sum(
        truth(label) in names and label.domain == "mathematical" and not label.borderline
        for label in LABELS.values()
    )


def test_the_judges_record_in_words() -> None:
    """A judge that calls everything a reversal finds every inconsistent item and claims the rest."""
    found = on_benchmark(record(lambda *_: "reasoning_reversal"), LABELS, domain="mathematical")
    edits, others = counted(*SUBTYPES), counted("consistent", "not_applicable")
    reversals = counted("reasoning_reversal")
    assert found["inconsistent"] == f"found {edits} of {edits}, claimed {others} of {others} others"
    rest = edits + others - reversals
    assert found["reasoning_reversal"] == (
        f"found {reversals} of {reversals}, claimed {rest} of {rest} others"
    )
    assert found["consistent"] == (
        f"found 0 of {counted('consistent')}, claimed 0 of {edits + counted('not_applicable')} others"
    )


def test_items_without_a_verdict_stand_beside_the_judge_error_rate() -> None:
    """A judge that fails on all consistent items is silent about them."""
    found = on_benchmark(
        record(lambda name, _: "judge_error" if name == "consistent" else name),
        LABELS,
        domain="mathematical",
    )
    silent = counted("consistent")
    every = counted(*SUBTYPES, "consistent", "not_applicable")
    assert found["judge_error"] == f"no verdict on {silent} of {every}"
    assert found["consistent"].startswith("found 0 of 0")


@pytest.mark.parametrize(("failures", "warned"), [(20, False), (21, True)])
def test_a_judge_silent_on_most_items_of_a_kind_is_told(failures: int, warned: bool) -> None:
    """Half of the 41 agentic items is not most; one more is."""
    agentic = [t for t in ALL if LABELS[t.id].domain == "agentic"]
    found = [
        judged(t, "judge_error" if n < failures else truth(LABELS[t.id]))
        for n, t in enumerate(agentic)
    ]
    line = unjudged(found, LABELS)
    assert line == (
        "judge j: no verdict on 21 of 41 agentic items (malformed 21); the scores are about the others"
        if warned
        else None
    )
