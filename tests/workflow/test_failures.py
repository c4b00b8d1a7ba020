"""What stopped a run is said again at the end of Snakemake's output."""

from __future__ import annotations

from pathlib import Path

from tests.workflow.conftest import Project

from cot_entropy.base.files import sha256_file
from cot_entropy.workflow.failures import error_lines

ENDED = """\
Error in rule {rule}:
    jobid: 5
    log: {log} (check log file(s) for error details)
    shell:
        cot-entropy --log {log} {rule}
"""


def job(folder: Path, rule: str, text: str) -> str:
    """What Snakemake's log says of a failed job whose own log holds `text`."""
    log = folder / f"{rule}.log"
    log.write_text(text)
    return ENDED.format(rule=rule, log=log)


def logged(folder: Path, *parts: str) -> list[str]:
    path = folder / "run.snakemake.log"
    path.write_text("".join(parts))
    return error_lines([path])


def test_the_error_of_each_failed_job_is_found(tmp_path: Path) -> None:
    """Messages beside it are not errors."""
    chains = job(tmp_path, "chains", "4 of 9 questions\nerror: chains.jsonl:3: no answer\n")
    score = job(tmp_path, "score", "error: no space left\n")
    expected = ["error: chains.jsonl:3: no answer", "error: no space left"]
    assert logged(tmp_path, chains, score) == expected


def test_an_error_that_two_jobs_share_is_said_once(tmp_path: Path) -> None:
    """As a model that no cell can load."""
    parts = [job(tmp_path, rule, "error: no such model\n") for rule in ("chains", "score")]
    assert logged(tmp_path, *parts) == ["error: no such model"]


def test_a_killed_job_has_none(tmp_path: Path) -> None:
    """It could not write a line, or not even open its log."""
    killed = job(tmp_path, "chains", "4 of 9 questions\n")
    assert logged(tmp_path, killed, ENDED.format(rule="score", log=tmp_path / "none.log")) == []


def test_snakemake_says_it_last(project: Project) -> None:
    """After the failed job with its command: only Snakemake's own closing lines follow."""
    path = project.folder / "sums.jsonl"
    path.write_text('{"question": \n')
    values = project.read()
    values["datasets"]["sums"]["sha256"] = sha256_file(path)
    project.write(values)
    done = project.snakemake("--until", "questions", check=False)
    assert done.returncode != 0
    _, _, after = done.stdout.rpartition("Exiting because a job execution failed")
    assert "error: sums.jsonl:1: not a JSON line" in after


def test_a_setting_that_stands_twice_is_refused(project: Project) -> None:
    """Snakemake itself takes the last one."""
    path = project.folder / "study.yaml"
    path.write_text(path.read_text() + "seed: 6\n")
    done = project.snakemake("--dry-run", check=False)
    assert done.returncode == 2
    assert done.stdout.rstrip().endswith("key `seed` stands twice")


def test_a_plan_that_is_none_is_refused_before_any_job(project: Project) -> None:
    """Hours of generation later, the analysis would be the first to read it."""
    done = project.snakemake("-n", "--config", "plan=study.yaml", check=False)
    assert done.returncode == 2
    assert done.stdout.splitlines()[-1].startswith("error: study.yaml:1: `study`: ")
