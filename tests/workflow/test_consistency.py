"""`snakemake consistency` on the tiny study: two judges, the join, and the report's section."""

from __future__ import annotations

import csv
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.consistency.endpoint import endpoint
from tests.consistency.scripted import part, verdict
from tests.workflow.conftest import Project

from cot_entropy.formats.records import ChainRecord, read_records

REVERSED, UNREADABLE = {"What is 0 and 0?", "What is 1 and 1?"}, "What is 5 and 5?"


def planted(body: dict[str, Any]) -> str:
    """Two reversals and one reply that is no verdict in each cell; every benchmark item cleared."""
    question = part(body["messages"][1]["content"], "QUESTION")
    if question == UNREADABLE:
        return "I cannot say."
    return verdict("inconsistent", "reasoning_reversal") if question in REVERSED else verdict()


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.fixture(scope="module")
def scanned(finished_once: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The finished study with both scans, and its report made again."""
    folder = tmp_path_factory.mktemp("scanned") / "copy"
    shutil.copytree(finished_once.folder, folder, symlinks=True)
    project = Project(folder)
    values = project.read()
    values["judges"] = {
        "computed": {"source": "computed"},
        "scripted": {"source": "inspect", "model": "openai-api/planted/judge"},
    }
    project.write(values)
    with endpoint(planted) as served, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLANTED_BASE_URL", served.url)
        patch.setenv("PLANTED_API_KEY", "k")
        project.snakemake("--", "consistency")
    project.snakemake()
    return project


@pytest.mark.parametrize("cell", ["sums", "more"])
def test_the_planted_rates_come_back(scanned: Project, cell: str) -> None:
    """2 reversals of 5 decided, 1 failure of 6; nothing is dropped."""
    found = rows(scanned.results / f"consistency/scripted/tiny/{cell}/rates.csv")
    raw = {
        (r["quantity"], r["of"]): r
        for r in found
        if r["method"].startswith("raw") and r["decided_by"] == "all"
    }
    assert (raw["judge_error", "assessed"]["count"], raw["judge_error", "assessed"]["n"]) == (
        "1",
        "6",
    )
    assert float(raw["inconsistent", "decided"]["rate"]) == 2 / 5
    assert raw["reasoning_reversal", "decided"]["count"] == "2"


def test_a_judge_that_clears_everything_has_no_corrected_rate(scanned: Project) -> None:
    """It is no better than chance, and the row says so beside what it did on the benchmark."""
    found = rows(scanned.results / "consistency/scripted/tiny/sums/rates.csv")
    row = next(r for r in found if r["method"].startswith("corrected"))
    assert row["rate"] == ""
    assert "not better than chance" in row["reason"]
    assert row["on_benchmark"].startswith("found 0 of ")


def test_the_computed_judge_compares_the_last_values(scanned: Project) -> None:
    """A reversal exactly where the last number before the answer's line is not the answer."""
    chains = read_records(scanned.results / "tiny/sums/registered/chains.jsonl.zst", ChainRecord)
    texts = [record.chain.text for record in chains if record.chain]
    parted = [text.rpartition("\n") for text in texts]
    differ = sum(
        re.findall(r"\d+", before)[-1] != re.findall(r"\d+", last)[-1]
        for before, _, last in parted
        if before
    )
    found = rows(scanned.results / "consistency/computed/tiny/sums/rates.csv")
    count = next(r["count"] for r in found if r["quantity"] == "reasoning_reversal")
    assert differ > 0
    assert int(count) == differ


def test_the_join_counts_every_chain(scanned: Project) -> None:
    """E11 per cell: 3 consistent, 2 inconsistent, 1 failure; every row exploratory."""
    found = rows(scanned.results / "consistency/scripted/estimates.csv")
    for cell in ("tiny/sums", "tiny/more"):
        counts = {r["quantity"]: r["estimate"] for r in found if r["cell"] == cell}
        assert [float(counts[f"n_{name}"]) for name in ("consistent", "inconsistent")] == [3, 2]
        assert [float(counts[f"n_{name}"]) for name in ("judge_error", "not_scanned")] == [1, 0]
    assert {r["kind"] for r in found} == {"exploratory"}


def test_no_table_holds_a_number_that_is_none(scanned: Project) -> None:
    """Neither NaN nor infinity nor minus zero; what is undefined is empty."""
    tables = [*(scanned.results / "consistency").glob("**/*.csv")]
    fields = [value for table in tables for row in rows(table) for value in row.values()]
    assert len(tables) >= 8
    assert not {"nan", "inf", "-inf", "-0.0"} & {value.lower() for value in fields}


def test_two_judges_are_compared_on_the_benchmark(scanned: Project) -> None:
    """Every judge's validation holds its agreement with the computed one."""
    found = rows(scanned.results / "consistency/scripted/validation/scores.csv")
    assert "kappa with computed" in {r["quantity"] for r in found}


def test_the_report_shows_rates_beside_the_judges_record(scanned: Project) -> None:
    """One more `snakemake`: confusion matrix, rates, and E11 where it said `not run` before."""
    page = (scanned.results / "report.html").read_text()
    section = page[page.index('id="consistency"') : page.index('id="calibration"')]
    assert "<h3>Judge scripted</h3>" in section
    assert "<h3>Judge computed</h3>" in section
    assert "the judge on the benchmark" in section
    assert section.count("<figure") == 4
    assert "Where judge scripted finds inconsistency" in section
    assert "not better than chance" in section
    assert "accuracy_consistent_correct (scripted)" in page
    assert "no consistency labels beside the trajectories" not in page


def test_a_scanned_study_has_nothing_to_do(scanned: Project) -> None:
    """Neither target is out of date after the other."""
    assert "Nothing to be done" in scanned.snakemake().stdout
    assert "Nothing to be done" in scanned.snakemake("--", "consistency").stdout
