"""`snakemake --report`: one page with the study's tables, each with its caption and category."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from tests.workflow.conftest import Project

CAPTIONS = {
    "verdicts.csv": "One row per hypothesis and cell, in plan order, none left out",
    "estimates.csv": "Everything beside the verdicts",
    "comparison.csv": "Figures that the papers print",
    "report.html": "One file that makes no request",
}


@pytest.fixture(scope="module")
def page(finished_once: Project) -> str:
    """The page that Snakemake writes of the finished study."""
    out = finished_once.folder / "snakemake-report.html"
    finished_once.snakemake("--report", str(out))
    return out.read_text(encoding="utf-8")


def results(page: str) -> dict[str, Any]:
    """The page's list of result files, by file name, those of both cells under one name."""
    found = re.search(r"^\s*var results = (\{.*\});\s*$", page, re.MULTILINE)
    assert found is not None
    return {record["filename"]: record for record in json.loads(found[1]).values()}


@pytest.mark.parametrize("name", CAPTIONS)
def test_a_result_carries_its_caption(page: str, name: str) -> None:
    """The caption's first words stand beside the file."""
    caption = re.sub(r"\s+", " ", results(page)[name]["caption"])
    assert CAPTIONS[name] in caption


def test_a_cells_table_names_its_cell_in_caption_and_labels(page: str) -> None:
    """Wildcards are filled in."""
    record = results(page)["sensitivity.csv"]
    assert record["labels"]["model"] == "tiny"
    assert re.search(r"of tiny on\s+(sums|more)", record["caption"])


def test_every_category_is_there(page: str) -> None:
    """The report, its tables and the graders each have a place of their own."""
    found = re.search(r"^\s*var categories = (\{.*\});\s*$", page, re.MULTILINE)
    assert found is not None
    assert {*json.loads(found[1])} == {"Report", "Results", "Sensitivity to the grader"}


def test_the_front_page_names_the_study(page: str) -> None:
    """The description is that of workflow.rst, filled in."""
    assert "A preregistered replication of chain-of-thought entropy signals" in page
    assert re.search(r"Study <tt [^>]*>tiny</tt>", page)
