"""A cell in parts, as real Snakemake plans, runs and joins them."""

from __future__ import annotations

from pathlib import Path

from tests.workflow.conftest import Project, tiny_project

from cot_entropy.prereg.audit import audit
from cot_entropy.prereg.provenance import CellRecord, read_record

TIMED = {"attempts", "provenance", "log"}


def results(project: Project) -> dict[str, bytes]:
    """The results by path, without what tells when and by whom a run was done."""
    paths = (path for path in project.results.rglob("*") if path.is_file())
    names = {path.relative_to(project.results): path for path in paths}
    kept = {
        name.as_posix(): path.read_bytes()
        for name, path in names.items()
        if not TIMED & {*name.parts, *name.name.split(".")}
    }
    return {name: data for name, data in kept.items() if not name.endswith(".html")}


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
    values = sharded(project, 2).read()
    planned = project.planned("--config", 'variants=["m_3"]', "--", "variants")
    assert values["shards"] == 2
    assert planned["derive"] == planned["gather_completions"] == 1


def test_results_are_the_same_bytes_for_one_two_and_seven_shards(tmp_path: Path) -> None:
    """Seven shards of six questions: one is empty. No shard's file is left, the run audits clean,
    its provenance names every attempt, and going back to one shard generates nothing again."""
    found = []
    for shards in (1, 2, 7):
        folder = tmp_path / str(shards)
        folder.mkdir()
        made = sharded(tiny_project(folder), shards)
        made.snakemake()
        found.append(results(made))
    chain = "tiny/sums/registered"
    assert f"{chain}/registered/registered/trajectories.parquet" in found[0]
    assert f"{chain}/self_consistency.jsonl.zst" in found[0]
    assert found[0].keys() == found[1].keys() == found[2].keys()
    assert [name for name in found[0] if found[0][name] != found[1][name]] == []
    assert [name for name in found[0] if found[0][name] != found[2][name]] == []

    report = audit(made.results)
    assert report.findings == []
    cell = read_record(made.results / "provenance/tiny__sums.json", CellRecord)
    assert len(cell.attempts[f"{chain}/chains.jsonl.zst"]) == 7

    planned = sharded(made, 1).planned()
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
