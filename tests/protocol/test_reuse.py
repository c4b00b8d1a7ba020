"""Which blocks' completions hold those of another block: read off the two blocks alone."""

import pytest
from tests.generation import probe_block

from cot_entropy.protocol.reuse import derivable

SOURCE = {"m": 5, "budget": 150, "cap": 8}


@pytest.mark.parametrize(
    "changes",
    [{}, {"m": 3}, {"budget": 64}, {"cap": 4}, {"m": 2, "budget": 1, "cap": 1}],
)
def test_fewer_samples_tokens_or_units_need_no_engine(changes: dict[str, int]) -> None:
    assert derivable(probe_block(**(SOURCE | changes)), probe_block(**SOURCE)) == "all"


@pytest.mark.parametrize(
    "changes",
    [
        {"m": 10},
        {"budget": 300},
        {"cap": 16},
        {"cap": None, "cap_policy": None},
        {"cap_policy": "merge"},
        {"segmentation": "newlines"},
    ],
)
def test_more_of_anything_or_other_cuts_need_some_tokens(changes: dict[str, object]) -> None:
    """Prefix 0 at least is the same request under all of them."""
    assert derivable(probe_block(**(SOURCE | changes)), probe_block(**SOURCE)) == "part"


@pytest.mark.parametrize("changes", [{"cue": "\n\nFinal answer:"}, {"temperature": 0.1}])
def test_another_prompt_or_temperature_shares_nothing(changes: dict[str, object]) -> None:
    assert derivable(probe_block(**(SOURCE | changes)), probe_block(**SOURCE)) == "none"


def test_a_truncated_cap_comes_from_no_cap_and_a_merged_one_does_not() -> None:
    """Merged unit 2 of a long chain is a later cut than its second unit."""
    whole = probe_block(cap=None, cap_policy=None)
    assert derivable(probe_block(cap=4), whole) == "all"
    assert derivable(probe_block(cap=4, cap_policy="merge"), whole) == "part"
