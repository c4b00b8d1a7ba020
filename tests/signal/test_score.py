"""From stored generations to one row of the trajectories contract, on hand-made records."""

from collections.abc import Sequence
from math import log
from pathlib import Path
from typing import Any

import pytest

from cot_entropy.base.errors import DataError
from cot_entropy.engine.scripted import halves
from cot_entropy.formats.records import (
    ChainRecord,
    CompletionRecord,
    Prefix,
    PrefixRecord,
    Sample,
    write_records,
)
from cot_entropy.protocol.names import EXTRACTIONS
from cot_entropy.protocol.scoring import ScoringBlock, SensitivityJob
from cot_entropy.signal.score import (
    Question,
    ScoreJob,
    majority,
    read_questions,
    score_question,
)
from cot_entropy.signal.sensitivity import scored_by

REGISTERED = ScoringBlock(
    extraction="registered",
    searched="units_and_completion",
    equivalence="normalised",
    no_answer="shared_class",
    eps=0.01,
    outcome="majority",
)


def sample(text: str, *, finish: str = "stop") -> Sample:
    return Sample(
        text=text,
        token_ids=list(range(len(text))),
        logprobs=[-0.5] * len(text),
        finish_reason=finish,  # type: ignore[arg-type]
    )


def question(
    chain: str, ends: Sequence[int], texts: Sequence[Sequence[str]], gold: str = "7"
) -> Question:
    """A question whose chain has one token per character, cut at `ends`."""
    return Question(
        chain=ChainRecord(
            question_id="q1",
            question="How many?",
            gold=gold,
            stratum="steps=1",
            prompt_token_ids=[1],
            seed=0,
            chain=sample(chain),
            token_ends=list(range(1, len(chain) + 1)),
        ),
        prefixes=PrefixRecord(
            question_id="q1", n_units_chain=len(ends) - 1, ends=list(ends), text_ends=list(ends)
        ),
        completions=CompletionRecord(
            question_id="q1",
            prefixes=[
                Prefix(k=k, seed=k, samples=[sample(text) for text in row])
                for k, row in enumerate(texts)
            ],
        ),
    )


def row(asked: Question, **changes: Any) -> dict[str, Any]:
    scoring = REGISTERED.model_copy(update=changes)
    job = ScoreJob(cell="m/d", scoring=scoring, code_digest="x")
    return score_question(asked, job=job, kind="number")


FALLING = question(
    "It is 7.\n\n", [0, 10], [["7", "7", "8", "9", "10"], ["so 7", "7", "7", "7", "7"]]
)


def test_entropy_is_that_of_the_answer_shares() -> None:
    """Counts 2,1,1,1 of five: H = 0.4 ln 2.5 + 0.6 ln 5 = 1.332 nats; then all agree: 0."""
    entropies = row(FALLING)["entropies"]
    assert entropies[0] == pytest.approx(0.4 * log(2.5) + 0.6 * log(5))
    assert entropies[1] == 0


def test_a_falling_trajectory_is_monotone_and_coherent() -> None:
    scored = row(FALLING)
    assert scored["violations"] == 0
    assert scored["monotone"] is True
    assert scored["coherence"] == pytest.approx(0.4 * log(2.5) + 0.6 * log(5))


def test_a_rise_is_a_violation() -> None:
    rising = question("ab", [0, 2], [["7"] * 5, ["7", "7", "7", "7", "8"]])
    assert row(rising)["violations"] == 1
    assert row(rising)["monotone"] is False


def test_an_empty_completion_inherits_the_chains_answer() -> None:
    """Registered: units 1..k and the completion are searched."""
    finished = question("It is 7.\n\n", [0, 10], [["7"] * 5, [""] * 5])
    scored = row(finished)
    assert scored["majority_answer"] == "7"
    assert scored["correct"] is True
    assert scored["completions_empty"] == [0, 5]


def test_the_completion_alone_may_hold_no_answer() -> None:
    finished = question("It is 7.\n\n", [0, 10], [["7"] * 5, [""] * 5])
    scored = row(finished, searched="completion")
    assert scored["entropies"][1] is None
    assert scored["final_entropy"] is None
    assert scored["majority_answer"] is None
    assert scored["correct"] is False


def test_one_defined_entropy_leaves_the_shape_undefined() -> None:
    finished = question("ab", [0, 2], [["7"] * 5, [""] * 5])
    scored = row(finished, searched="completion")
    assert scored["violations"] is None
    assert scored["monotone"] is None
    assert scored["coherence"] is None


def test_a_majority_of_no_answer_is_wrong() -> None:
    """Three without an answer outvote two that are right."""
    asked = question("ab", [0, 2], [["7"] * 5, ["7", "7", "x", "y", "z"]])
    scored = row(asked)
    assert scored["correct"] is False
    assert scored["majority_answer"] is None
    assert scored["final_confidence"] == pytest.approx(3 / 5)
    assert scored["answers_missing"] == [0, 3]


def test_dropping_no_answer_lets_the_answers_decide() -> None:
    asked = question("ab", [0, 2], [["7"] * 5, ["7", "7", "x", "y", "z"]])
    scored = row(asked, no_answer="drop")
    assert scored["correct"] is True
    assert scored["final_confidence"] == 1


def test_a_tie_goes_to_the_answer_seen_first_and_is_recorded() -> None:
    asked = question("ab", [0, 2], [["7"] * 5, ["9", "7", "7", "9", "5"]])
    scored = row(asked)
    assert scored["majority_answer"] == "9"
    assert scored["majority_tied"] is True


def test_the_chains_own_answer_can_be_the_outcome() -> None:
    asked = question("It is 7.", [0, 8], [["9"] * 5, ["9"] * 5])
    assert row(asked)["correct"] is False
    assert row(asked, outcome="chain")["correct"] is True
    assert row(asked)["chain_correct"] is True


def test_a_chain_without_units_has_one_entropy_and_no_shape() -> None:
    asked = question("", [0], [["7"] * 5])
    scored = row(asked)
    assert scored["n_units"] == 0
    assert scored["coherence"] == 0
    assert scored["monotone"] is None


def test_a_question_that_failed_is_wrong_and_undefined() -> None:
    failed = Question(
        chain=FALLING.chain.model_copy(update={"chain": None, "token_ends": [], "error": "long"}),
        prefixes=PrefixRecord(question_id="q1", n_units_chain=0, ends=[], text_ends=[]),
        completions=CompletionRecord(question_id="q1", prefixes=[], error="long"),
    )
    scored = row(failed)
    assert scored["correct"] is False
    assert scored["entropies"] == []
    assert scored["final_entropy"] is None


def test_singletons_never_form_a_majority_by_failing() -> None:
    found = majority([0, 0, -1, -1, -1], "singleton")
    assert found is not None
    assert found.sample == 0
    assert found.share == pytest.approx(2 / 5)


def test_probe_tokens_are_counted_per_prefix() -> None:
    """One token per character: 1+1+1+1+2 at prefix 0 and 4+1+1+1+1 at prefix 1."""
    assert row(FALLING)["probe_tokens_by_prefix"] == [6, 8]
    assert row(FALLING)["probe_tokens"] == 14


def test_token_entropy_of_halves_is_arithmetic() -> None:
    """1/2, 1/4, 1/8 and 1/8 for all others: (1/2 + 2/4 + 3/8 + 3/8) ln 2 at every position."""
    chain = FALLING.chain.model_copy(update={"top_logprobs": [halves(3)] * 4})
    scored = row(Question(chain=chain, prefixes=FALLING.prefixes, completions=FALLING.completions))
    assert scored["chain_token_entropy"] == pytest.approx(1.75 * log(2))
    assert scored["chain_token_remainder"] == pytest.approx(1 / 8)


def test_token_entropy_that_was_not_asked_for_is_null() -> None:
    assert row(FALLING)["chain_token_entropy"] is None


def test_files_of_different_runs_are_refused(tmp_path: Path) -> None:
    paths = {name: tmp_path / f"{name}.jsonl.zst" for name in ("chains", "prefixes", "completions")}
    write_records(paths["chains"], None, [FALLING.chain])
    write_records(paths["prefixes"], None, [FALLING.prefixes])
    other = FALLING.completions.model_copy(update={"question_id": "q2"})
    write_records(paths["completions"], None, [other])
    with pytest.raises(DataError, match="different runs"):
        list(read_questions(**paths))


def test_a_missing_question_is_refused(tmp_path: Path) -> None:
    paths = {name: tmp_path / f"{name}.jsonl.zst" for name in ("chains", "prefixes", "completions")}
    write_records(paths["chains"], None, [FALLING.chain])
    write_records(paths["prefixes"], None, [FALLING.prefixes])
    write_records(paths["completions"], None, [])
    with pytest.raises(DataError, match="not as many questions"):
        list(read_questions(**paths))


def test_completions_cut_at_a_comma_are_counted() -> None:
    """One of each grader's: `3,5` gives 5 and `1,00,000` gives 00000; `1,000` is whole."""
    texts = [["It is 3,5", "It is 1,00,000", "It is 1,000", "It is 7", ""]]
    asked = question("", [0], texts)
    job = SensitivityJob(cell="m/d", scoring=REGISTERED, code_digest="x")
    for extraction in EXTRACTIONS.names:
        found = scored_by(asked, job, "number", (extraction, "normalised"))
        assert (found.cut_at_comma, found.missing, found.completions) == (2, 1, 5)
