"""What a change reruns, as real Snakemake plans it."""

import time
from pathlib import Path

from tests.workflow.conftest import Project

from cot_entropy.formats.records import read_header

GPU_RULES = {"model", "questions", "chains", "completions"}


def snapshot(folder: Path, pattern: str) -> dict[Path, tuple[int, bytes]]:
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes()) for path in sorted(folder.glob(pattern))
    }


def test_a_finished_study_has_nothing_to_do(finished: Project) -> None:
    assert "Nothing to be done" in finished.snakemake().stdout


def test_a_changed_scoring_block_reruns_no_generation(finished: Project) -> None:
    """Scoring reads stored generations: two cells are scored again, nothing is generated."""
    blocks = finished.protocols()
    blocks["scoring"]["registered"]["eps"] = 0.2
    finished.write_protocols(blocks)
    planned = finished.planned()
    assert planned["score"] == 2
    assert not GPU_RULES & planned.keys()
    assert "prefixes" not in planned


def test_a_changed_segmentation_keeps_the_chains(finished: Project) -> None:
    blocks = finished.protocols()
    blocks["probe"]["registered"]["segmentation"] = "newlines"
    finished.write_protocols(blocks)
    planned = finished.planned()
    assert planned["prefixes"] == planned["completions"] == 2
    assert not {"model", "questions", "chains"} & planned.keys()


def test_a_changed_chain_block_reruns_all_but_the_inputs(finished: Project) -> None:
    blocks = finished.protocols()
    blocks["chain"]["registered"]["budget"] = 900
    finished.write_protocols(blocks)
    planned = finished.planned()
    assert planned["chains"] == planned["completions"] == planned["score"] == 2
    assert not {"model", "questions"} & planned.keys()


def test_a_new_dataset_reruns_no_other_cell(finished: Project) -> None:
    values = finished.read()
    values["datasets"]["third"] = values["datasets"]["sums"]
    finished.write(values)
    planned = finished.planned()
    assert planned["chains"] == planned["completions"] == planned["score"] == 1


def test_only_runs_one_cell_and_leaves_the_others_rows(finished: Project) -> None:
    """The other cell's files stay to the byte, and its rows stay in the tables."""
    before = snapshot(finished.results, "tiny/more/**/*.*")
    values = finished.read()
    values["only"] = ["tiny/sums"]
    values["seed"] = 2
    finished.write(values)
    finished.snakemake()
    assert snapshot(finished.results, "tiny/more/**/*.*") == before
    verdicts = (finished.results / "verdicts.csv").read_text()
    assert "tiny/sums" in verdicts
    assert "tiny/more" in verdicts


def test_only_in_a_fresh_folder_makes_one_cell(project: Project) -> None:
    planned = project.planned("--config", 'only=["tiny/more"]')
    assert planned["chains"] == planned["score"] == 1


def test_a_wrong_config_starts_no_job(project: Project) -> None:
    values = project.read()
    values["only"] = ["tiny/none"]
    project.write(values)
    done = project.snakemake(check=False)
    assert done.returncode != 0
    assert "only: no cell `tiny/none`" in done.stdout
    assert "Traceback" not in done.stdout
    assert not project.results.exists()


def test_a_config_without_a_name_is_refused_and_not_filled_from_the_demo(project: Project) -> None:
    values = project.read()
    del values["study"]
    project.write(values)
    done = project.snakemake("--dry-run", check=False)
    assert done.returncode != 0
    assert "study: Field required" in done.stdout


def test_the_scripted_engine_is_named_in_headers_and_report(finished: Project) -> None:
    """A stand-in cannot pass for a result."""
    for path in finished.results.glob("tiny/*/registered/**/*.jsonl.zst"):
        assert read_header(path).engine.name == "scripted"
    report = (finished.results / "report.html").read_text()
    assert "scripted" in report


def test_a_second_run_answers_at_once(finished: Project) -> None:
    """Counted in jobs: none is started, so none of the seconds are spent on one."""
    started = time.time()
    finished.snakemake()
    touched = [path for path in finished.results.rglob("*") if path.stat().st_mtime > started]
    assert touched == []
