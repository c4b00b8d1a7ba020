"""What the Snakefile says before its first job."""

import re

from tests.workflow.conftest import Project

LINE = "nothing will be confirmatory"


def test_a_study_without_a_freeze_is_told_before_its_first_job(project: Project) -> None:
    said = project.snakemake("--until", "questions").stdout
    first = re.search(r"rule questions", said)
    assert first is not None
    assert 0 <= said.index(LINE) < first.start()
    assert said.count(LINE) == 1


def test_a_dry_run_says_nothing_of_it(project: Project) -> None:
    assert LINE not in project.snakemake("--dry-run").stdout
