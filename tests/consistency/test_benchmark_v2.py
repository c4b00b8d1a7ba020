"""What version 2 of the benchmark promises beyond version 1, and what its page says."""

from __future__ import annotations

import re
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from cot_entropy.consistency import benchmark
from cot_entropy.consistency.computed import judge_computed
from cot_entropy.consistency.rules import decide_by_rule
from cot_entropy.consistency.taxonomy import SUBTYPES

from .heuristic import surface
from .labelled import judged
from .second_reading import disagreements, kappa, own, second_reading

LABELS = benchmark.load_labels(2)
OLD = benchmark.load_labels(1)
TRANSCRIPTS = {transcript.id: transcript for transcript in benchmark.load_transcripts(2)}
README = files(benchmark).joinpath("v2", "README.md").read_text(encoding="utf-8")
PROSE = " ".join(README.split())
DOCS = Path(__file__).parents[2] / "docs"
EXPLANATION = " ".join((DOCS / "explanation/consistency.md").read_text().split())
SHUFFLED = {"98e47ee9", "fae0f5e0", "f45aa8b6", "44053836", "b7d4ea02"}
UNNATURAL = {"85ad1e9f", "feae0341", "62c25387"}


def composition() -> Counter[str]:
    return Counter("borderline" if x.borderline else own(x) for x in LABELS.values())


def test_ten_of_each_subtype() -> None:
    """Clear items alone."""
    assert all(composition()[subtype] >= 10 for subtype in SUBTYPES)


def test_sixty_new_items() -> None:
    """Beside the replacements of version 1's items."""
    assert sum(label.since == 2 and not label.replaces for label in LABELS.values()) >= 60


@pytest.mark.parametrize(
    "kind",
    [
        "long_reasoning",
        "tool_use",
        "multi_turn",
        "refusal",
        "sandbagging",
        "instrumental_convergence",
    ],
)
def test_every_kind_occurs_on_both_sides(kind: str) -> None:
    """Among the consistent and the inconsistent of the test split."""
    found = {x.label for x in LABELS.values() if kind in x.kinds and x.split == "test"}
    assert {"consistent", "inconsistent"} <= found


def test_wrong_answers_that_follow() -> None:
    """Mathematical and agentic ones."""
    found = {x.domain for x in LABELS.values() if x.hard_negative == "wrong_but_consistent"}
    assert found == {"agentic", "mathematical"}


def test_long_reasoning_is_long() -> None:
    """2,000 to 8,000 characters, as the label says, and the label is on all that are."""
    for id, transcript in TRANSCRIPTS.items():
        if "long_reasoning" in LABELS[id].kinds:
            assert 2000 <= len(transcript.reasoning) <= 8000
        else:
            assert len(transcript.reasoning) < 2000


@pytest.mark.parametrize("language", ["de", "es", "fr", "it", "pt", "zh"])
def test_other_languages_on_both_sides(language: str) -> None:
    """Each has consistent and inconsistent items."""
    found = {label.label for label in LABELS.values() if label.language == language}
    assert {"consistent", "inconsistent"} <= found


def test_five_items_without_an_answer_need_reading() -> None:
    """Not applicable, and no rule says so."""
    found = [
        label
        for label in LABELS.values()
        if label.label == "not_applicable" and label.outcome is None
    ]
    assert sum(decide_by_rule(TRANSCRIPTS[label.id]) is None for label in found) >= 5


@pytest.mark.parametrize("outcome", ["no_reasoning_recorded", "reasoning_hidden", "refusal"])
def test_outcomes_outside_every_rate(outcome: str) -> None:
    """At least two of each, always not applicable."""
    found = [label for label in LABELS.values() if label.outcome == outcome]
    assert len(found) >= 2
    assert {label.label for label in found} == {"not_applicable"}


@pytest.mark.parametrize("outcome", ["no_reasoning_recorded", "reasoning_hidden"])
def test_the_empty_and_the_hidden_look_so(outcome: str) -> None:
    """Empty reasoning, or a block that says nothing."""
    for label in LABELS.values():
        if label.outcome == outcome:
            reasoning = TRANSCRIPTS[label.id].reasoning
            hidden = re.fullmatch(r"\[reasoning encrypted.*\]|<redacted_thinking>.*", reasoning)
            assert bool(hidden) if outcome == "reasoning_hidden" else reasoning == ""


def test_a_verdict_may_give_label_or_outcome() -> None:
    """A judge can only say that it does not apply."""
    label = next(x for x in LABELS.values() if x.outcome == "refusal" and not x.borderline)
    transcript = TRANSCRIPTS[label.id]
    assert label.accepts(judged(transcript, "not_applicable"))
    assert not label.accepts(judged(transcript, "consistent"))


@pytest.mark.parametrize(
    ("id", "subtype"),
    [
        ("6354951f", "reasoning_reversal"),
        ("d588ee38", "reasoning_reversal"),
        ("58bba837", "absent_reasoning"),
    ],
)
def test_corrected_labels(id: str, subtype: str) -> None:
    """The earlier step decides; version 1 keeps what it said."""
    assert (LABELS[id].subtype, LABELS[id].borderline) == (subtype, False)
    assert OLD[id].subtype in {"reasoning_abandonment", "perfunctory_reasoning"}


def test_unnatural_items_are_replaced() -> None:
    """Each by one of the same family, parent and split; confusion stays confusion."""
    replaced = {label.replaces: label for label in LABELS.values() if label.replaces}
    assert set(replaced) == SHUFFLED | UNNATURAL == set(OLD) - set(LABELS)
    for id, label in replaced.items():
        assert (label.family, label.parent, label.split, label.subtype) == (
            OLD[str(id)].family,
            OLD[str(id)].parent,
            OLD[str(id)].split,
            OLD[str(id)].subtype,
        )


def test_all_other_texts_of_version_1_stay() -> None:
    """With their labels, the corrected ones and one accepted alternative aside."""
    changed = {
        id
        for id in set(OLD) & set(LABELS)
        if (own(OLD[id]), OLD[id].accepted) != (own(LABELS[id]), LABELS[id].accepted)
    }
    assert changed == {"6354951f", "d588ee38", "58bba837", "ec54b3b3"}


def test_every_new_item_says_what_was_planted() -> None:
    """In a sentence of its own, with its family."""
    for label in LABELS.values():
        assert label.note.endswith(".")
        assert label.family


def test_the_page_counts_the_items() -> None:
    """Its table, cell by cell."""
    shown = dict(re.findall(r"^\| ([a-z ]+) \| (\d+)", README, re.MULTILINE))
    found = {name.replace("_", " "): str(count) for name, count in composition().items()}
    assert shown == found
    assert f"{len(LABELS)} transcripts" in README


def test_the_page_counts_domains_languages_and_splits() -> None:
    """In its words."""
    labels = list(LABELS.values())
    domains, splits = Counter(x.domain for x in labels), Counter(x.split for x in labels)
    foreign = sum(x.language != "en" for x in labels)
    assert f"{domains['agentic']} are agentic" in PROSE
    assert f"{domains['mathematical']} mathematical" in PROSE
    assert f"{foreign} are not in English" in PROSE
    assert f"{splits['dev']} items are for development (`dev`), {splits['test']} for" in PROSE
    added = [x for x in labels if x.since == 2 and not x.replaces]
    assert f"{len(added)} items in {len({x.family for x in added})} families" in PROSE


def test_the_surface_decides_little() -> None:
    """Lengths, overlaps and cue words: at most 0.60 balanced accuracy on the new test items."""
    found = surface(2, "test", new_only=True)
    print(found)
    assert found.balanced <= 0.60
    assert (
        f"balanced accuracy of {found.balanced:.2f} (95 % {found.low:.2f} to {found.high:.2f} over "
        f"families; {found.right} of {found.n} right)"
    ) in PROSE


def test_the_same_heuristic_on_version_1() -> None:
    """It can find what a surface gives away: the page's 37 of 50, balanced 0.75."""
    found = surface(1, "all")
    assert "On the 50 of version 1 it had 37 right, a balanced accuracy of 0.75" in PROSE
    assert (found.right, found.n, round(found.balanced, 2)) == (37, 50, 0.75)


def test_the_explanation_says_what_the_computed_judge_does() -> None:
    """Counted here from its outcomes, kind by kind."""
    domains = Counter(label.domain for label in LABELS.values())
    found: Counter[tuple[str, str]] = Counter()
    reversals = silent = 0
    for id, label in LABELS.items():
        outcome = judge_computed(TRANSCRIPTS[id], kind="number").outcome
        if label.domain == "agentic":
            silent += outcome == "judge_error"
        elif not label.borderline:
            found[label.label, outcome] += 1
            reversals += (own(label), outcome) == ("reasoning_reversal", "inconsistent")
    cleared, flagged = found["consistent", "consistent"], found["consistent", "inconsistent"]
    hits, missed = found["inconsistent", "inconsistent"], found["inconsistent", "consistent"]
    for sentence in (
        f"{cleared} of the {cleared + flagged} decided consistent items cleared",
        f"all {reversals} decided reversals found, and {hits} of the {hits + missed} decided",
        f"On {silent} of the {domains['agentic']} agentic items it has no verdict",
        f"on the {domains['mathematical']} mathematical items of version 2",
    ):
        assert sentence in EXPLANATION, sentence


def test_the_explanation_cites_the_heuristic() -> None:
    """The same figures as on the benchmark's page."""
    found = surface(2, "test", new_only=True)
    assert f"balanced accuracy of {found.balanced:.2f} on what version 2 adds" in EXPLANATION


def test_the_guide_counts_the_items() -> None:
    """What `snakemake consistency` asks each judge."""
    guide = (DOCS / "howto/scan-transcripts.md").read_text()
    assert f"validates each judge on all {len(LABELS)} items" in guide


def test_the_second_reading_is_complete() -> None:
    """One outcome for each item."""
    reading = second_reading()
    assert set(reading) == set(LABELS)
    assert set(reading.values()) <= {"consistent", *SUBTYPES, "not_applicable"}


def test_kappa_is_the_one_on_the_page() -> None:
    """By scikit-learn, printed."""
    n, value = kappa()
    print(f"kappa over {n} items: {value:.2f}")
    assert f"kappa with the labels is {value:.2f} over all {n} items" in PROSE


def test_every_disagreement_is_settled() -> None:
    """In the page's table, with the other outcome accepted."""
    reading = second_reading()
    for id in disagreements():
        assert re.search(rf"^\| `{id}` \| .+ \| {reading[id].replace('_', ' ')}: ", README, re.M)
        assert reading[id] in LABELS[id].accepted
