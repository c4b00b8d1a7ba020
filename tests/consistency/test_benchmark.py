"""What both versions of the shipped benchmark must hold, and what must not give an item away."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from importlib.resources import files
from typing import get_args

import numpy as np
import pytest
import rfc8785
from scipy.stats import binom, binomtest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline

from cot_entropy.base.errors import DataError
from cot_entropy.consistency import benchmark
from cot_entropy.consistency.benchmark import BenchmarkLabel, Version
from cot_entropy.consistency.taxonomy import SUBTYPES

VERSIONS: tuple[Version, ...] = get_args(Version)
LABELS = {version: benchmark.load_labels(version) for version in VERSIONS}
TRANSCRIPTS = {
    version: {t.id: t for t in benchmark.load_transcripts(version)} for version in VERSIONS
}
EDITS = {
    version: [label for label in labels.values() if label.parent and not label.borderline]
    for version, labels in LABELS.items()
}
SHORT = {"absent_reasoning", "perfunctory_reasoning"}
ALPHA = 0.05
VERSION_1_TEST_SHA256 = "ef96c1cbf470808f1b678c12d118cb275f31db5b256149414f8ce68396446d6c"
"""As it was published with version 1."""

every_version = pytest.mark.parametrize("version", VERSIONS)
every_edit = pytest.mark.parametrize(
    ("version", "label"),
    [(version, label) for version, labels in EDITS.items() for label in labels],
    ids=lambda value: getattr(value, "id", value),
)


def written(version: Version, id: str) -> str:
    transcript = TRANSCRIPTS[version][id]
    return f"{transcript.reasoning}\n{transcript.answer}"


def composition(version: Version) -> Counter[str]:
    return Counter(
        "borderline" if label.borderline else label.subtype or label.label
        for label in LABELS[version].values()
    )


@every_version
def test_every_transcript_has_one_label(version: Version) -> None:
    """Joined by opaque ids."""
    assert set(TRANSCRIPTS[version]) == set(LABELS[version])
    assert len(TRANSCRIPTS[version]) == len(benchmark.load_transcripts(version))


@every_version
def test_transcripts_hold_no_label(version: Version) -> None:
    """The transcript file has the four parts and an id, nothing else."""
    assert all(
        (t.split, t.truncated, t.source) == ("given", False, "benchmark")
        for t in TRANSCRIPTS[version].values()
    )


def test_composition_of_version_1() -> None:
    """20 consistent, five of each subtype, 4 not applicable, 6 borderline."""
    assert composition(1) == {
        "consistent": 20,
        **dict.fromkeys(SUBTYPES, 5),
        "not_applicable": 4,
        "borderline": 6,
    }


def test_half_of_the_consistent_of_version_1_are_hard_negatives() -> None:
    """All four kinds occur."""
    kinds = Counter(label.hard_negative for label in LABELS[1].values() if label.hard_negative)
    assert sum(kinds.values()) == 10
    assert set(kinds) == {
        "self_correction",
        "long_exploration",
        "bare_letter",
        "wrong_but_consistent",
    }


@every_version
def test_domains_and_languages(version: Version) -> None:
    """At least 40 agentic, at least 6 not in English."""
    labels = LABELS[version].values()
    assert Counter(label.domain for label in labels)["agentic"] >= 40
    assert sum(label.language != "en" for label in labels) >= 6


@every_edit
def test_an_edit_changes_its_site_only(version: Version, label: BenchmarkLabel) -> None:
    """System prompt, question and the other part are the parent's."""
    assert label.parent
    assert label.edit_site
    edit, parent = TRANSCRIPTS[version][label.id], TRANSCRIPTS[version][label.parent]
    assert LABELS[version][parent.id].label == "consistent"
    same = {"system_prompt", "question", "reasoning", "answer"} - {label.edit_site}
    assert all(getattr(edit, part) == getattr(parent, part) for part in same)
    assert getattr(edit, label.edit_site) != getattr(parent, label.edit_site)


@every_version
def test_families_are_not_divided(version: Version) -> None:
    """Parent and edit never fall into different splits."""
    splits: dict[str, set[str]] = {}
    for label in LABELS[version].values():
        splits.setdefault(label.family, set()).add(label.split)
        if label.parent:
            assert LABELS[version][label.parent].family == label.family
    assert all(len(split) == 1 for split in splits.values())


@every_version
def test_every_subtype_is_in_both_splits(version: Version) -> None:
    """At least two of each for development and three of each for the test."""
    found = Counter((label.split, label.subtype) for label in EDITS[version])
    assert all(found["dev", s] >= 2 and found["test", s] >= 3 for s in SUBTYPES)


@every_version
def test_a_version_is_frozen(version: Version) -> None:
    """The registered hash is that of the shipped items."""
    registered = benchmark.frozen(version)
    assert registered.version == version
    assert registered.sha256 == benchmark.hash_of(version)
    assert registered.test_items == len(benchmark.select(split="test", version=version))
    assert registered.dev_items == len(benchmark.select(split="dev", version=version))


def test_version_1_is_what_was_published() -> None:
    """The hash that its first release registered for the test split, computed anew."""
    folder = files("cot_entropy.consistency.benchmark").joinpath("v1")
    transcripts, labels = (
        {row["id"]: row for row in map(json.loads, folder.joinpath(name).read_text().splitlines())}
        for name in ("transcripts.jsonl", "labels.jsonl")
    )
    as_read = {"source": "benchmark", "split": "given", "truncated": False}
    pairs = [
        [{**transcripts[id], **as_read}, labels[id]]
        for id in sorted(transcripts)
        if labels[id]["split"] == "test"
    ]
    assert hashlib.sha256(rfc8785.dumps(pairs)).hexdigest() == VERSION_1_TEST_SHA256


@pytest.fixture(params=["transcripts.jsonl", "labels.jsonl"])
def altered(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """One line of one file is gone."""
    read = benchmark._read

    def shortened(version: Version, name: str) -> bytes:
        data = read(version, name)
        return b"\n".join(data.splitlines()[1:]) if name == request.param else data

    monkeypatch.setattr(benchmark, "_read", shortened)
    return str(request.param)


@every_version
@pytest.mark.usefixtures("altered")
def test_a_changed_benchmark_is_refused(version: Version) -> None:
    """Nobody validates against a version that was touched."""
    with pytest.raises(DataError, match=f"version {version} differs from the hash"):
        benchmark.select(split="dev", version=version)


@every_version
def test_borderline_items_accept_more_than_one_outcome(version: Version) -> None:
    """Alternatives are known outcomes other than the label's own."""
    for label in LABELS[version].values():
        assert bool(label.accepted) == label.borderline
        assert set(label.accepted) <= {*SUBTYPES, "consistent"} - {label.subtype or label.label}


def test_an_id_means_the_same_text_in_both_versions() -> None:
    """So that a run's ids alone lead to its labels."""
    for id in set(TRANSCRIPTS[1]) & set(TRANSCRIPTS[2]):
        assert TRANSCRIPTS[1][id] == TRANSCRIPTS[2][id]
        assert LABELS[1][id].split == LABELS[2][id].split


@every_version
@pytest.mark.parametrize("split", ["dev", "test", "all"])
def test_a_run_finds_the_labels_of_its_version(version: Version, split: str) -> None:
    """Whichever split was judged."""
    ids = [t.id for t in benchmark.select(split=split, version=version)]  # type: ignore[arg-type]
    assert benchmark.labels_for(ids) == LABELS[version]


def test_an_unknown_item_has_no_version() -> None:
    """The newest labels are given, in which it is missing."""
    assert "a" not in benchmark.labels_for(["a"])
    assert benchmark.labels_for(["a"]) == LABELS[benchmark.NEWEST]


def wins(
    version: Version, score: Callable[[str], float], labels: list[BenchmarkLabel]
) -> tuple[int, int]:
    """In how many pairs without a tie the edit scores higher than its parent."""
    differences = [score(label.id) - score(str(label.parent)) for label in labels]
    return sum(d > 0 for d in differences), sum(d != 0 for d in differences)


def two_sided(count: int, n: int) -> float:
    return float(binomtest(count, n).pvalue)


@every_version
def test_the_id_tells_nothing(version: Version) -> None:
    """Edit ids are neither higher nor lower than their parents'."""
    assert two_sided(*wins(version, lambda id: int(id, 16), EDITS[version])) > ALPHA


@every_version
def test_the_position_tells_nothing(version: Version) -> None:
    """Edits come neither before nor after their parents."""
    place = {id: index for index, id in enumerate(TRANSCRIPTS[version])}
    assert two_sided(*wins(version, place.__getitem__, EDITS[version])) > ALPHA


@pytest.mark.parametrize(("version", "pairs"), [(1, 20), (2, 64)])
def test_the_length_tells_nothing(version: Version, pairs: int) -> None:
    """Absent and perfunctory reasoning aside, which may be short by definition."""
    full = [label for label in EDITS[version] if label.subtype not in SHORT]
    assert len(full) == pairs
    assert two_sided(*wins(version, lambda id: len(written(version, id)), full)) > ALPHA


def unseen_scores(
    version: Version, vectoriser: Callable[[], object], strength: float
) -> dict[str, float]:
    """The score for "edit" of each clear item, by a classifier that never saw its family."""
    items = [
        label
        for label in LABELS[version].values()
        if not label.borderline and label.label != "not_applicable"
    ]
    texts = np.array([written(version, label.id) for label in items], dtype=object)
    edited = np.array([label.parent is not None for label in items])
    scores: dict[str, float] = {}
    families = [label.family for label in items]
    folds = GroupKFold(len(set(families))).split(texts, groups=families)
    for train, held in folds:
        classifier = LogisticRegression(C=strength, class_weight="balanced", solver="liblinear")
        model = make_pipeline(vectoriser(), classifier).fit(texts[train], edited[train])
        found = model.decision_function(texts[held])
        scores.update((items[index].id, score) for index, score in zip(held, found, strict=True))
    return scores


@every_version
@pytest.mark.parametrize("strength", [1.0, 10.0])
@pytest.mark.parametrize("vectoriser", [TfidfVectorizer, CountVectorizer])
def test_the_words_tell_nothing(
    version: Version, vectoriser: Callable[[], object], strength: float
) -> None:
    """Bag of words, whole families left out: not better than chance."""
    scores = unseen_scores(version, vectoriser, strength)
    count, n = wins(version, scores.__getitem__, EDITS[version])
    assert binomtest(count, n, alternative="greater").pvalue > ALPHA


@every_version
def test_the_classifier_would_find_a_planted_word(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above can fail: one word in every edit, and it does."""
    for label in EDITS[version]:
        clean = TRANSCRIPTS[version][label.id]
        leaked = clean.model_copy(update={"answer": clean.answer + " zebra"})
        monkeypatch.setitem(TRANSCRIPTS[version], label.id, leaked)
    scores = unseen_scores(version, TfidfVectorizer, 10.0)
    count, n = wins(version, scores.__getitem__, EDITS[version])
    assert binomtest(count, n, alternative="greater").pvalue < 0.001


@pytest.mark.parametrize(
    ("version", "needed", "three_in_four", "six_in_ten"),
    [(1, 20, 0.89, 0.29), (2, 53, 1.0, 0.58)],
)
def test_the_power_stated_in_the_readme(
    version: Version, needed: int, three_in_four: float, six_in_ten: float
) -> None:
    """One-sided 0.05: so many pairs right are needed; power at three in four and at 60 %."""
    n = len(EDITS[version])
    assert needed == next(k for k in range(n + 1) if binom.sf(k - 1, n, 0.5) <= ALPHA)
    assert round(binom.sf(needed - 1, n, 0.75), 2) == three_in_four
    assert round(binom.sf(needed - 1, n, 0.6), 2) == six_in_ten
