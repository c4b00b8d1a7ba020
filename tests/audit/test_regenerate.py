"""Drawn questions generated again: what a hand-made generation cannot pass."""

from pathlib import Path

from tests.forge import cover_up, forge_ledger, reanalyse, rewrite
from tests.runs import Tiny, generations, rescore

from cot_entropy.audit.audit import audit
from cot_entropy.base.files import read_jsonl
from cot_entropy.registration.provenance import FOLDER, RUN, RunRecord, read_record

CELL = "alpha/sums"


def test_a_real_run_comes_out_the_same(tiny: Tiny) -> None:
    report = audit(tiny.results, jobs=1, regenerate=3, draw=1)
    assert report.findings == []
    lines = [line for line in report.established.model if "generated again (draw 1)" in line]
    assert len(lines) == 2
    assert all("3 of 3 chains" in line for line in lines)


def test_completions_that_another_draw_gave_are_found(tiny: Tiny) -> None:
    """Texts, tokens, scores, tables, provenance and manifest all fit; only the model knows better."""

    def invent(lines: list[dict]) -> list[dict]:  # type: ignore[type-arg]
        for line in lines[1:]:
            line["prefixes"][-1]["samples"].reverse()
        return lines

    rewrite(generations(CELL, tiny.results)["completions"], invent)
    rescore(CELL, read_record(tiny.results / FOLDER / RUN, RunRecord).configuration, tiny.results)
    forge_ledger(tiny.results)
    reanalyse(tiny.results)
    cover_up(tiny.results, CELL)
    assert audit(tiny.results, jobs=1).findings == []
    (finding,) = audit(tiny.results, jobs=1, regenerate=2, draw=1).findings
    assert (finding.check, finding.subject) == ("regeneration", CELL)
    assert "2 of 2 chains" in finding.detail


def test_the_stored_run_is_not_touched(tiny: Tiny) -> None:
    path: Path = generations(CELL, tiny.results)["chains"]
    before = list(read_jsonl(path))
    audit(tiny.results, jobs=1, regenerate=1, draw=1)
    assert list(read_jsonl(path)) == before
