"""An audit of a small run on the scripted engine: what passes, what is found, what it admits."""

import errno
import os
import shutil
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest
from tests.forge import cover_up, edit_json, flip_byte, rewrite
from tests.runs import Tiny, generations

from cot_entropy.audit.audit import audit
from cot_entropy.audit.audit_report import AuditReport
from cot_entropy.audit.findings import problem_of
from cot_entropy.base.errors import StorageError, UserError
from cot_entropy.registration.items import canonical_sha256, items_sha256

CELL = "alpha/sums"
OTHER = "beta/sums"


def audited(results: Path) -> AuditReport:
    return audit(results, jobs=1)


def subjects(report: AuditReport) -> set[str]:
    return {finding.subject for finding in report.findings}


def test_an_unchanged_run_passes(tiny: Tiny) -> None:
    report = audited(tiny.results)
    assert report.findings == []
    assert report.exit_code == 0
    assert report.confirmatory_rows > 0
    assert report.demoted_rows == 0


def test_every_plan_id_has_one_line(tiny: Tiny) -> None:
    entries = audited(tiny.results).entries
    hypotheses = ["H1", "H2", "H3", "H4a", "H4b", "H5"]
    assert [line.id for line in entries] == [*hypotheses, *(f"E{n}" for n in range(1, 16))]
    assert {line.registered for line in entries} == {"as frozen"}
    assert {line.run for line in entries if line.id in hypotheses} == {"2 of 2 registered cells"}


def test_it_says_what_it_cannot_show(tiny: Tiny) -> None:
    text = "\n".join(audited(tiny.results).lines())
    assert "unanchored" in text
    assert "made up by hand" in text


def test_a_flipped_byte_is_named(tiny: Tiny) -> None:
    path = generations(CELL, tiny.results)["completions"]
    flip_byte(path)
    report = audited(tiny.results)
    assert path.relative_to(tiny.results).as_posix() in subjects(report)
    assert report.exit_code == 1


def test_a_size_that_the_manifest_does_not_say_is_named(tiny: Tiny) -> None:
    """Every value of the manifest is checked, not only its hashes."""

    def change(values: dict) -> None:  # type: ignore[type-arg]
        values["files"]["verdicts.csv"]["bytes"] += 1

    edit_json(tiny.results / "provenance/manifest.json", change)
    (finding,) = audited(tiny.results).findings
    assert (finding.subject, finding.detail) == (
        "verdicts.csv",
        "has another size than manifest.json says",
    )


def test_a_changed_answer_under_consistent_hashes_is_derived_again(tiny: Tiny) -> None:
    """Hashes are made to agree; the stored trajectories no longer follow from the text."""
    path = generations(CELL, tiny.results)["completions"]

    def change(lines: list[dict]) -> list[dict]:  # type: ignore[type-arg]
        for sample in lines[1]["prefixes"][-1]["samples"]:
            sample["text"] = "The answer is 77."
        return lines

    rewrite(path, change)
    cover_up(tiny.results, CELL)
    found = {(one.check, one.subject) for one in audited(tiny.results).findings}
    trajectories = f"{CELL}/registered/registered/registered/trajectories.parquet"
    assert ("derivation", trajectories) in found


@pytest.mark.parametrize(
    ("stage", "key", "value"),
    [
        ("chains", "token_ends", []),
        ("chains", "token_ends", [10**6, 0]),
        ("chains", "chain.text", "So.\n\n" * 200),
        ("chains", "chain.text", ""),
        ("chains", "chain.logprobs", []),
        ("chains", "chain", None),
        ("prefixes", "ends", []),
        ("prefixes", "ends", [0, 10**6]),
        ("prefixes", "text_ends", [0, -1]),
        ("completions", "prefixes", []),
        ("completions", "prefixes.0.samples", []),
        ("completions", "prefixes.0.samples.0.token_ids", []),
    ],
)  # fmt: skip
def test_a_record_that_no_code_writes_is_named(
    tiny: Tiny, stage: str, key: str, value: object
) -> None:
    """Whatever stops the code that reads it, the audit goes on and says where."""
    path = generations(CELL, tiny.results)[stage]

    def change(lines: list[dict]) -> list[dict]:  # type: ignore[type-arg]
        *above, last = key.split(".")
        here: Any = lines[2]
        for part in above:
            here = here[int(part) if part.isdigit() else part]
        here[last] = value
        return lines

    rewrite(path, change)
    cover_up(tiny.results, CELL)
    found = audited(tiny.results)
    assert path.relative_to(tiny.results).as_posix() in {one.subject for one in found.findings}
    assert found.exit_code == 1


def test_a_record_of_another_cell_is_known_by_its_seed(tiny: Tiny) -> None:
    ours, theirs = (generations(cell, tiny.results)["chains"] for cell in (CELL, OTHER))
    foreign: list[dict] = []  # type: ignore[type-arg]
    rewrite(theirs, lambda lines: foreign.append(lines[3]) or lines)
    rewrite(ours, lambda lines: [*lines[:3], foreign[0], *lines[4:]])
    cover_up(tiny.results, CELL, OTHER)
    details = {one.subject: one.detail for one in audited(tiny.results).findings}
    assert "seed is not that of" in details[f"{CELL}/registered/chains.jsonl.zst"]


def test_a_changed_verdict_is_derived_again(tiny: Tiny) -> None:
    path = tiny.results / "verdicts.csv"
    path.write_text(path.read_text().replace("inconclusive", "supported", 1))
    cover_up(tiny.results)
    finding, page, *_ = audited(tiny.results).findings
    assert (finding.check, finding.subject) == ("derivation", "verdicts.csv")
    assert "'supported' v 'inconclusive'" in finding.detail
    assert page.subject == "report.html"


def test_a_cell_generated_by_two_engines_is_detected(tiny: Tiny) -> None:
    path = generations(CELL, tiny.results)["completions"]

    def change(lines: list[dict]) -> list[dict]:  # type: ignore[type-arg]
        lines[0]["engine"]["version"] = "2"
        return lines

    rewrite(path, change)
    cover_up(tiny.results, CELL)
    details = [
        one.detail for one in audited(tiny.results).findings if one.subject == f"cell/{CELL}"
    ]
    assert any("has another engine than" in detail for detail in details)


def test_the_auditors_own_freeze_is_compared(tiny: Tiny, tmp_path: Path) -> None:
    own = tmp_path / "freeze.json"
    shutil.copyfile(tiny.root / "preregistration/freeze.json", own)
    assert audit(tiny.results, registered=own, jobs=1).exit_code == 0

    def replace(values: dict) -> None:  # type: ignore[type-arg]
        values["values"]["plan/alpha"] = 0.1
        values["items"]["plan/alpha"] = canonical_sha256(0.1)
        values["items_sha256"] = items_sha256(values["items"])

    edit_json(own, replace)
    report = audit(tiny.results, registered=own, jobs=1)
    assert [str(one) for one in report.findings] == ["difference: alpha: 0.1 -> 0.05"]
    assert report.confirmatory_rows == 0


@pytest.mark.parametrize("name", ["provenance/run.json", "provenance/manifest.json"])
def test_a_folder_that_a_run_did_not_finish_cannot_be_audited(tiny: Tiny, name: str) -> None:
    (tiny.results / name).unlink()
    with pytest.raises(UserError, match=name) as error:
        audited(tiny.results)
    assert error.value.exit_code == 2


def test_a_pipe_in_the_place_of_a_table_is_refused(tiny: Tiny) -> None:
    """Opened, it would wait for ever."""
    path = tiny.results / "comparison.csv"
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(UserError, match=r"comparison\.csv: is no file or folder"):
        audited(tiny.results)


def test_the_report_for_machines_is_the_report(tiny: Tiny) -> None:
    report = audited(tiny.results)
    assert AuditReport.model_validate_json(report.model_dump_json()) == report


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        StorageError("x: cannot be written"),
        MemoryError(),
        BrokenProcessPool("a process was killed"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_the_machine_lacks_is_no_difference(error: Exception) -> None:
    """It says nothing about the run."""

    def derive() -> str:
        raise error

    with pytest.raises(type(error)):
        problem_of(derive)
