from __future__ import annotations

import hashlib
from importlib.resources import files

from cot_entropy.consistency.taxonomy import SUBTYPES, not_faithfulness, taxonomy


def test_the_procedure_has_the_papers_order() -> None:
    """Section 7 of the protocol: eight steps, first match wins."""
    assert [(step.step, step.subtype or step.label) for step in taxonomy().procedure] == [
        (1, "not_applicable"),
        (2, "absent_reasoning"),
        (3, "contradictory_reasoning"),
        (4, "apparent_confusion"),
        (5, "reasoning_reversal"),
        (6, "reasoning_abandonment"),
        (7, "perfunctory_reasoning"),
        (8, "consistent"),
    ]


def test_the_hash_is_that_of_the_file() -> None:
    """A changed word in the instrument changes every result's hash."""
    data = files("cot_entropy.consistency").joinpath("taxonomy.yaml").read_bytes()
    assert taxonomy().sha256 == hashlib.sha256(data).hexdigest()


def test_contrasts_name_known_outcomes() -> None:
    """A contrast with a misspelt outcome would never help the judge."""
    named = {name for contrast in taxonomy().contrasts for name in contrast.between}
    assert named <= {*SUBTYPES, "consistent"}


def test_both_neighbours_of_the_paper_are_contrasted() -> None:
    """Contradictory v reversal and absent v perfunctory are the paper's two."""
    pairs = [set(contrast.between) for contrast in taxonomy().contrasts]
    assert {"contradictory_reasoning", "reasoning_reversal"} in pairs
    assert {"absent_reasoning", "perfunctory_reasoning"} in pairs


def test_the_sentence_says_that_consistency_is_not_faithfulness() -> None:
    """It is printed with every rate."""
    assert not_faithfulness().startswith("Consistency is not faithfulness")
