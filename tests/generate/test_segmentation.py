"""Where chains are cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.generation import probe_block

from cot_entropy.generate.prefixes import cut
from cot_entropy.generate.segmentation.blank_lines import units as blank_lines
from cot_entropy.generate.segmentation.newlines import units as newlines
from cot_entropy.generate.segmentation.step_marker import units as step_marker
from cot_entropy.generate.segmentation.step_marker_only import units as step_marker_only
from cot_entropy.protocol.probe import CAPS, SEGMENTATIONS


def units(text: str, spans: list[tuple[int, int]]) -> list[str]:
    return [text[start:stop] for start, stop in spans]


def per_character(text: str) -> list[int]:
    """Token ends of a tokenizer with one token per character."""
    return list(range(1, len(text) + 1))


@pytest.mark.parametrize("name", SEGMENTATIONS.names)
def test_every_segmentation_cuts(name: str) -> None:
    """A module of the folder is a rule: one line without a mark is one unit."""
    assert SEGMENTATIONS.load(name).units("one line") == [(0, 8)]


@pytest.mark.parametrize("name", CAPS.names)
def test_every_cap_keeps_what_is_below_it(name: str) -> None:
    assert CAPS.load(name).probed([3, 5], 8) == [3, 5]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n\nb", ["a", "b"]),
        ("a\nb\n\nc", ["a\nb", "c"]),
        ("a\n \t\n\n\nb\n\n", ["a", "b"]),
        ("a\r\n\r\nb", ["a", "b"]),
        ("\n\n  a\n\n", ["a"]),
        ("", []),
        (" \n\n \n", []),
    ],
)
def test_blank_lines(text: str, expected: list[str]) -> None:
    """Runs of blank lines separate units; empty units are dropped."""
    assert units(text, blank_lines(text)) == expected


def test_newlines_cuts_every_line() -> None:
    """Each non-empty line is a unit."""
    text = "a\nb\n\n  \nc d\n"
    assert units(text, newlines(text)) == ["a", "b", "c d"]


def test_step_marker_cuts_at_markers_only() -> None:
    """Blank lines inside a marked step do not cut it."""
    text = "Step 1: add.\n\nmore\nStep 2: answer 3."
    assert units(text, step_marker(text)) == ["Step 1: add.\n\nmore", "Step 2: answer 3."]


def test_step_marker_keeps_the_preamble_with_the_first_step() -> None:
    """Text before the first marker is no unit of its own."""
    text = "Let me think.\n\nStep 1: a\nStep 12: b"
    assert units(text, step_marker(text)) == ["Let me think.\n\nStep 1: a", "Step 12: b"]


def test_step_marker_keeps_mark_up_with_its_step() -> None:
    """The asterisks of a bold marker open the step that they stand before."""
    text = "**Step 1:** a\n\n**Step 2:** b"
    assert units(text, step_marker(text)) == ["**Step 1:** a", "**Step 2:** b"]


def test_step_marker_only_leaves_a_chain_without_markers_whole() -> None:
    """No fallback: neither blank lines nor sentences cut it."""
    assert units("One.\n\nTwo. Three.", step_marker_only("One.\n\nTwo. Three.")) == [
        "One.\n\nTwo. Three."
    ]


def test_step_marker_only_cuts_where_step_marker_does() -> None:
    text = "Let me think. Step 1: a\n\nb Step 2: c"
    assert step_marker_only(text) == step_marker(text)
    assert units(text, step_marker_only(text)) == ["Let me think. Step 1: a\n\nb", "Step 2: c"]


def test_step_marker_is_case_sensitive() -> None:
    """Z26's regular expression is `Step [0-9]+:`; `step 1:` and `Step one:` are no markers."""
    text = "step 1: a\n\nStep one: b"
    assert units(text, step_marker(text)) == ["step 1: a", "Step one: b"]


def test_step_marker_falls_back_to_blank_lines() -> None:
    """Without a marker, blank lines separate units."""
    text = "One. Two.\n\nThree."
    assert units(text, step_marker(text)) == ["One. Two.", "Three."]


def test_step_marker_falls_back_to_sentences() -> None:
    """Without markers and blank lines, sentences are units."""
    text = "It costs 2.50 now. Is it? Yes!\nDone"
    assert units(text, step_marker(text)) == ["It costs 2.50 now.", "Is it?", "Yes!", "Done"]


def test_think_tags_are_text() -> None:
    """Tags that a reasoning model writes are part of the units they stand in."""
    text = "<think>\nfirst\n\nsecond\n</think>\n\n42"
    assert units(text, blank_lines(text)) == ["<think>\nfirst", "second\n</think>", "42"]


def test_prefix_zero_holds_no_unit() -> None:
    """Prefix 0 is the prompt alone, prefix N ends with the last unit."""
    text = "a\n\nbc\n"
    record = cut("q", text, per_character(text), probe_block())
    assert record.ends == [0, 1, 5]
    assert record.text_ends == [0, 1, 5]
    assert record.n_units_chain == 2


def test_cut_is_after_the_token_in_which_a_unit_ends() -> None:
    """A token `a.\\n\\n` that a unit ends in belongs to the prefix whole."""
    record = cut("q", "a.\n\nb", [4, 5], probe_block())
    assert record.ends == [0, 1, 2]
    assert record.text_ends == [0, 4, 5]


def test_end_of_text_is_never_in_a_prefix() -> None:
    """The end-of-text token adds no text; the last prefix stops before it."""
    record = cut("q", "a\n\nb", [1, 2, 3, 4, 4], probe_block())
    assert record.ends[-1] == 4


def test_an_empty_chain_has_prefix_zero_only() -> None:
    """A chain without text has no units."""
    record = cut("q", "", [0], probe_block())
    assert (record.ends, record.text_ends, record.n_units_chain) == ([0], [0], 0)


def test_truncate_drops_units_past_the_cap() -> None:
    """Units past the cap are counted and not probed."""
    text = "\n\n".join("abcd")
    record = cut("q", text, per_character(text), probe_block(cap=2))
    assert record.ends == [0, 1, 4]
    assert record.n_units_chain == 4


def test_merge_probes_the_whole_chain() -> None:
    """Five units in two groups: three and two, and the last prefix is the whole chain."""
    text = "\n\n".join("abcde")
    record = cut("q", text, per_character(text), probe_block(cap=2, cap_policy="merge"))
    assert record.ends == [0, 7, 13]


def test_merge_leaves_short_chains_alone() -> None:
    """Fewer units than the cap are all probed."""
    text = "a\n\nb"
    record = cut("q", text, per_character(text), probe_block(cap=8, cap_policy="merge"))
    assert record.ends == [0, 1, 4]


def test_no_cap_probes_every_unit() -> None:
    """Without a cap all units are probed."""
    text = "\n\n".join("abcdefghijkl")
    record = cut("q", text, per_character(text), probe_block(cap=None, cap_policy=None))
    assert len(record.ends) == 13


PIECES = ["a", "b", ".", "!", " ", "\n", "\n\n", "\r", "\t", "*", ":", "Step", "1", "Step 12:"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@given(
    text=TEXTS,
    rule=st.sampled_from(SEGMENTATIONS.names),
    cap=st.sampled_from([(None, None), (3, "truncate"), (3, "merge")]),
    widths=st.lists(st.integers(1, 4), min_size=9, max_size=9),
)
def test_prefixes_grow_and_hold_their_units(
    text: str, rule: str, cap: tuple[int | None, str | None], widths: list[int]
) -> None:
    """For every rule, cap and tokenisation: prefixes grow, each ends at or after its unit and
    within one token of it."""
    token_ends = []
    while not token_ends or token_ends[-1] < len(text):
        last = token_ends[-1] if token_ends else 0
        token_ends.append(min(len(text), last + widths[len(token_ends) % len(widths)]))
    probe = probe_block(segmentation=rule, cap=cap[0], cap_policy=cap[1])
    record = cut("q", text, token_ends, probe)
    spans = SEGMENTATIONS.load(rule).units(text)
    assert record.ends == sorted(record.ends)
    assert record.ends[0] == 0
    assert record.n_units_chain == len(spans)
    assert len(record.ends) == 1 + (len(spans) if cap[0] is None else min(3, len(spans)))
    assert record.text_ends[1:] == [token_ends[end - 1] for end in record.ends[1:]]
    if cap[1] != "merge":
        for (_, stop), end in zip(spans, record.ends[1:], strict=False):
            assert token_ends[end - 1] >= stop
            assert end == 1 or token_ends[end - 2] < stop
    if spans and cap[1] != "truncate":
        assert not text[record.text_ends[-1] :].strip()


@given(TEXTS)
def test_no_rule_loses_text(text: str) -> None:
    """All that is not white space lies in some unit, in order, for every rule."""
    for rule in SEGMENTATIONS.names:
        joined = "".join(text[start:stop] for start, stop in SEGMENTATIONS.load(rule).units(text))
        assert "".join(joined.split()) == "".join(text.split())
