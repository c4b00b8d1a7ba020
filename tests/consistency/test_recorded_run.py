"""What a contributed run must be before it is scored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cot_entropy.base.errors import DataError
from cot_entropy.consistency import benchmark
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.recorded import read_recorded
from cot_entropy.consistency.scan import write_judgements

from .labelled import judged

WHOLE = [judged(one, "consistent") for one in benchmark.load_transcripts(1)]
TEST = [one for one in WHOLE if benchmark.load_labels(1)[one.id].split == "test"]


def written(folder: Path, found: list[Judgement]) -> Path:
    write_judgements(folder / "run.jsonl.zst", found)
    return folder / "run.jsonl.zst"


@pytest.mark.parametrize("found", [WHOLE, TEST, WHOLE[::-1]])
def test_a_whole_split_is_read_in_the_benchmarks_order(
    tmp_path: Path, found: list[Judgement]
) -> None:
    """In whatever order it was written; the version is told by the transcripts' hashes."""
    ids = {one.id for one in found}
    run, version = read_recorded(written(tmp_path, found))
    assert [one.id for one in run] == [
        one.id for one in benchmark.load_transcripts(1) if one.id in ids
    ]
    assert version in {1, benchmark.NEWEST}


def other_judge(found: list[Judgement]) -> list[Judgement]:
    return [found[0].model_copy(update={"judge": "other"}), *found[1:]]


def other_seed(found: list[Judgement]) -> list[Judgement]:
    return [found[0].model_copy(update={"seed": 9}), *found[1:]]


def other_text(found: list[Judgement]) -> list[Judgement]:
    return [found[0].model_copy(update={"transcript_sha256": "0" * 64}), *found[1:]]


def stranger(found: list[Judgement]) -> list[Judgement]:
    return [found[0].model_copy(update={"id": "nobody"}), *found[1:]]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda found: [], "no judgements"),
        (lambda found: [*found, found[0]], "stands 2 times"),
        (lambda found: found[: len(found) // 4], "neither split is whole"),
        (other_judge, "more than one `judge`"),
        (other_seed, "more than one `seed`"),
        (other_text, "of no version of the benchmark"),
        (stranger, "`nobody` is no item"),
    ],
)
def test_anything_else_is_refused_in_one_line(
    tmp_path: Path, change: Callable[[list[Judgement]], list[Judgement]], problem: str
) -> None:
    """With the item or the key."""
    with pytest.raises(DataError, match=problem) as error:
        read_recorded(written(tmp_path, change(WHOLE)))
    assert "\n" not in str(error.value)


def test_the_run_that_is_shipped_with_the_tests_is_one() -> None:
    """The demo's judge on version 1, as documented."""
    run, version = read_recorded(Path(__file__).with_name("smollm2-135m.jsonl"))
    assert (len(run), version) == (60, 1)
