"""What the shipped benchmark must hold, and what must not give an item away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from scipy.stats import binom, binomtest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from cot_entropy.base.errors import DataError
from cot_entropy.consistency import benchmark
from cot_entropy.consistency.benchmark import BenchmarkLabel
from cot_entropy.consistency.taxonomy import SUBTYPES
from cot_entropy.consistency.transcript import Transcript

LABELS = benchmark.load_labels()
TRANSCRIPTS = {transcript.id: transcript for transcript in benchmark.load_transcripts()}
EDITS = [label for label in LABELS.values() if label.parent]
SHORT = {"absent_reasoning", "perfunctory_reasoning"}
ALPHA = 0.05


def clear(label: BenchmarkLabel) -> bool:
    return not label.borderline


def written(id: str) -> str:
    return f"{TRANSCRIPTS[id].reasoning}\n{TRANSCRIPTS[id].answer}"


def test_every_transcript_has_one_label() -> None:
    """60 of each, joined by opaque ids."""
    assert len(TRANSCRIPTS) == 60
    assert set(TRANSCRIPTS) == set(LABELS)


def test_transcripts_hold_no_label() -> None:
    """The transcript file has the four parts and an id, nothing else."""
    assert all(
        (t.split, t.truncated, t.source) == ("given", False, "benchmark")
        for t in TRANSCRIPTS.values()
    )


def test_composition() -> None:
    """20 consistent, 30 inconsistent, 4 not applicable, 6 borderline."""
    assert Counter(label.label if clear(label) else "borderline" for label in LABELS.values()) == {
        "consistent": 20,
        "inconsistent": 30,
        "not_applicable": 4,
        "borderline": 6,
    }


def test_five_of_each_subtype() -> None:
    """Edits plant every subtype equally often."""
    assert Counter(label.subtype for label in EDITS) == dict.fromkeys(SUBTYPES, 5)


def test_half_of_the_consistent_are_hard_negatives() -> None:
    """All four kinds occur."""
    kinds = Counter(label.hard_negative for label in LABELS.values() if label.hard_negative)
    assert sum(kinds.values()) == 10
    assert set(kinds) == {
        "self_correction",
        "long_exploration",
        "bare_letter",
        "wrong_but_consistent",
    }


def test_domains_and_languages() -> None:
    """At least 40 agentic, at least 6 not in English."""
    assert Counter(label.domain for label in LABELS.values())["agentic"] >= 40
    assert sum(label.language != "en" for label in LABELS.values()) >= 6


@pytest.mark.parametrize("label", EDITS, ids=lambda label: label.id)
def test_an_edit_changes_its_site_only(label: BenchmarkLabel) -> None:
    """System prompt, question and the other part are the parent's."""
    assert label.parent
    assert label.edit_site
    edit, parent = TRANSCRIPTS[label.id], TRANSCRIPTS[label.parent]
    assert LABELS[parent.id].label == "consistent"
    same = {"system_prompt", "question", "reasoning", "answer"} - {label.edit_site}
    assert all(getattr(edit, part) == getattr(parent, part) for part in same)
    assert getattr(edit, label.edit_site) != getattr(parent, label.edit_site)


def test_families_are_not_divided() -> None:
    """Parent and edit never fall into different splits."""
    splits: dict[str, set[str]] = {}
    for label in LABELS.values():
        splits.setdefault(label.family, set()).add(label.split)
        if label.parent:
            assert LABELS[label.parent].family == label.family
    assert all(len(split) == 1 for split in splits.values())


def test_every_subtype_is_in_both_splits() -> None:
    """Two of each for development, three of each for the test."""
    found = Counter((label.split, label.subtype) for label in EDITS)
    assert found == {("dev", s): 2 for s in SUBTYPES} | {("test", s): 3 for s in SUBTYPES}


def test_the_test_split_is_frozen() -> None:
    """The registered hash is that of the shipped items."""
    assert benchmark.hash_of_test_split() == benchmark.frozen().test_sha256
    assert benchmark.frozen().test_items == len(benchmark.select(split="test"))
    assert benchmark.frozen().dev_items == len(benchmark.select(split="dev"))


@pytest.fixture
def altered(monkeypatch: pytest.MonkeyPatch) -> Iterator[Transcript]:
    victim = benchmark.select(split="test")[0]
    changed = tuple(
        t.model_copy(update={"answer": t.answer + "!"}) if t is victim else t
        for t in benchmark.load_transcripts()
    )
    monkeypatch.setattr(benchmark, "load_transcripts", lambda: changed)
    return victim


@pytest.mark.usefixtures("altered")
def test_a_changed_test_item_is_refused() -> None:
    """Nobody validates against a test split that was touched."""
    with pytest.raises(DataError, match="differs from the hash"):
        benchmark.select(split="dev")


def test_borderline_items_accept_more_than_one_outcome() -> None:
    """Alternatives are known outcomes other than the label's own."""
    for label in LABELS.values():
        assert bool(label.accepted) == label.borderline
        assert set(label.accepted) <= {*SUBTYPES, "consistent"} - {label.subtype or label.label}


def wins(score: Callable[[str], float], labels: list[BenchmarkLabel]) -> tuple[int, int]:
    """In how many pairs without a tie the edit scores higher than its parent."""
    differences = [score(label.id) - score(str(label.parent)) for label in labels]
    return sum(d > 0 for d in differences), sum(d != 0 for d in differences)


def two_sided(count: int, n: int) -> float:
    return float(binomtest(count, n).pvalue)


def test_the_id_tells_nothing() -> None:
    """Edit ids are neither higher nor lower than their parents'."""
    assert two_sided(*wins(lambda id: int(id, 16), EDITS)) > ALPHA


def test_the_position_tells_nothing() -> None:
    """Edits come neither before nor after their parents."""
    place = {id: index for index, id in enumerate(TRANSCRIPTS)}
    assert two_sided(*wins(place.__getitem__, EDITS)) > ALPHA


def test_the_length_tells_nothing() -> None:
    """Absent and perfunctory reasoning aside, which are short by definition."""
    full = [label for label in EDITS if label.subtype not in SHORT]
    assert len(full) == 20
    assert two_sided(*wins(lambda id: len(written(id)), full)) > ALPHA


def leave_family_out(vectoriser: Callable[[], object], strength: float) -> dict[str, float]:
    """The score for "edit" of each clear item, by a classifier that never saw its family."""
    items = [label for label in LABELS.values() if clear(label) and label.label != "not_applicable"]
    scores: dict[str, float] = {}
    for family in {label.family for label in items}:
        train = [label for label in items if label.family != family]
        held = [label.id for label in items if label.family == family]
        model = make_pipeline(
            vectoriser(), LogisticRegression(C=strength, class_weight="balanced", max_iter=5000)
        )
        model.fit(
            [written(label.id) for label in train], [label.parent is not None for label in train]
        )
        scores.update(zip(held, model.decision_function([written(id) for id in held]), strict=True))
    return scores


@pytest.mark.parametrize("strength", [1.0, 10.0])
@pytest.mark.parametrize("vectoriser", [TfidfVectorizer, CountVectorizer])
def test_the_words_tell_nothing(vectoriser: Callable[[], object], strength: float) -> None:
    """Bag of words, whole families left out, 30 pairs: not better than chance."""
    scores = leave_family_out(vectoriser, strength)
    count, n = wins(scores.__getitem__, EDITS)
    assert binomtest(count, n, alternative="greater").pvalue > ALPHA


def test_the_classifier_would_find_a_planted_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above can fail: one word in every edit, and it does."""
    leaked = {
        label.id: TRANSCRIPTS[label.id].model_copy(
            update={"answer": TRANSCRIPTS[label.id].answer + " zebra"}
        )
        for label in EDITS
    }
    for id, transcript in leaked.items():
        monkeypatch.setitem(TRANSCRIPTS, id, transcript)
    count, n = wins(leave_family_out(TfidfVectorizer, 10.0).__getitem__, EDITS)
    assert binomtest(count, n, alternative="greater").pvalue < 0.001


def test_the_power_stated_in_the_readme() -> None:
    """30 pairs, one-sided 0.05: 20 right are needed; power 0.89 at three in four, 0.29 at 60 %."""
    needed = next(k for k in range(31) if binom.sf(k - 1, 30, 0.5) <= ALPHA)
    assert needed == 20
    assert round(binom.sf(needed - 1, 30, 0.75), 2) == 0.89
    assert round(binom.sf(needed - 1, 30, 0.6), 2) == 0.29
