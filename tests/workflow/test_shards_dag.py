"""A cell in parts, as real Snakemake plans, runs and joins them."""

from __future__ import annotations

import pytest
from tests.workflow.conftest import Project

from cot_entropy.audit.audit import audit
from cot_entropy.registration.provenance import CellRecord, read_record


def generated(project: Project) -> dict[str, bytes]:
    """What stands below one cell, by path, but for logs and for when and how fast it was made."""
    folder = project.results / "tiny/sums"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith((".log", ".attempts.jsonl", ".run.json"))
    }


def sharded(project: Project, shards: int) -> Project:
    values = project.read()
    values["shards"] = shards
    values["only"] = ["tiny/sums"]
    values["baselines"] = {"self_consistency": 2}
    project.write(values)
    return project


def test_one_shard_has_no_rules_and_no_files_of_its_own(project: Project) -> None:
    assert not any("shard" in rule or "gather" in rule for rule in project.planned())


def test_shards_are_planned_and_joined(project: Project) -> None:
    planned = sharded(project, 3).planned()
    assert planned["chains_shard"] == planned["completions_shard"] == 3
    assert planned["self_consistency_shard"] == 3
    assert planned["gather_chains"] == planned["gather_completions"] == 1
    assert not {"chains", "completions", "self_consistency"} & planned.keys()


def test_what_needs_no_engine_is_derived_whole(project: Project) -> None:
    sharded(project, 2)
    planned = project.planned("--config", 'variants=["m_3"]', "--", "variants")
    assert planned["derive"] == planned["gather_completions"] == 1


def test_two_shards_give_the_bytes_of_a_whole_run(project: Project, finished_once: Project) -> None:
    """No shard's file is left."""
    values = project.read()
    values |= {"shards": 2, "only": ["tiny/sums"]}
    project.write(values)
    project.snakemake("--until", "sensitivity", "score")
    found, whole = generated(project), generated(finished_once)
    assert "registered/registered/registered/trajectories.parquet" in whole
    assert found.keys() == whole.keys()
    assert [name for name in whole if found[name] != whole[name]] == []
    left = [path for path in project.results.rglob("*-of-*") if path.suffix != ".log"]
    assert left == []


@pytest.mark.full
def test_a_study_in_seven_shards_is_as_good_as_one_in_one(project: Project) -> None:
    """Seven shards of six questions: one is empty. The audit finds nothing but that this project
    has no freeze, the provenance names every attempt, and going back to one shard generates
    nothing again."""
    sharded(project, 7).snakemake()
    assert [finding.subject for finding in audit(project.results).findings] == ["freeze.json"]
    cell = read_record(project.results / "provenance/tiny__sums.json", CellRecord)
    assert len(cell.attempts["tiny/sums/registered/chains.jsonl.zst"]) == 7
    assert (project.results / "tiny/sums/registered/self_consistency.csv").is_file()
    planned = sharded(project, 1).planned()
    assert not {"chains", "completions", "self_consistency", "score"} & planned.keys()


def test_another_number_of_shards_generates_nothing_again(finished: Project) -> None:
    """A finished cell stays as it is."""
    values = finished.read()
    values["shards"] = 4
    finished.write(values)
    planned = finished.planned()
    assert not any("shard" in rule or "gather" in rule for rule in planned), planned


def test_a_changed_question_file_reaches_the_shards(finished: Project) -> None:
    values = finished.read()
    values["shards"] = 2
    finished.write(values)
    questions = finished.results / "inputs/sums.questions.jsonl.zst"
    questions.touch()
    planned = finished.planned()
    assert planned["chains_shard"] == 2
    assert planned["gather_chains"] == 1
