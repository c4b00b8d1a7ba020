"""A chain taken apart."""

from cot_entropy.formats.records import ChainRecord, PrefixRecord, Sample
from cot_entropy.report.units import probed_units, rises, unprobed_text
from cot_entropy.signal.entropy import violations

CHAIN = ChainRecord(
    question_id="q",
    question="?",
    gold="1",
    stratum=None,
    prompt_token_ids=[],
    seed=0,
    chain=Sample(text="One.\n\nTwo.\n\nThree.", token_ids=[], logprobs=[], finish_reason="stop"),
    token_ends=[],
)
CUT = PrefixRecord(question_id="q", n_units_chain=3, ends=[0, 1, 2], text_ends=[0, 6, 12])


def test_units_are_the_text_between_cuts() -> None:
    """Two units are probed; the third is past the cap."""
    assert probed_units(CHAIN, CUT) == ["One.\n\n", "Two.\n\n"]
    assert unprobed_text(CHAIN, CUT) == "Three."


def test_a_rise_is_named_by_the_prefix_it_leads_to() -> None:
    """From 0.5 at k = 1 to 0.673 at k = 2."""
    assert rises([0.95, 0.5, 0.673, 0.0], 0.01) == [2]


def test_a_rise_of_eps_is_none() -> None:
    """A violation needs more than eps."""
    assert rises([0.5, 0.51], 0.01) == []


def test_a_missing_entropy_is_stepped_over() -> None:
    """The next defined one is compared with the last defined one before."""
    assert rises([0.5, None, 0.673], 0.01) == [2]


def test_rises_are_as_many_as_violations() -> None:
    """What the explorer marks is what the statistics count."""
    trajectory = [1.055, None, 0.95, 1.332, 1.332, 0.5, 0.673]
    assert len(rises(trajectory, 0.01)) == violations(trajectory, 0.01) == 2
