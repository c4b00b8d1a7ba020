"""A stage's digest changes with the code it can reach, and with nothing else."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from cot_entropy.base import digest

GENERATION = ("chains", "completions", "prefixes")


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the package's source that a test may edit."""
    copy = tmp_path / "cot_entropy"
    shutil.copytree(digest.ROOT, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(digest, "ROOT", copy)
    yield copy
    forget()


def forget() -> None:
    digest._digest.cache_clear()
    digest._reachable.cache_clear()


def all_digests() -> dict[str, str]:
    forget()
    return {stage: digest.stage_digest(stage) for stage in digest.STAGES}


def changed(source: Path, module: str, old: str, new: str) -> set[str]:
    before = all_digests()
    path = source / module
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return {stage for stage, value in all_digests().items() if value != before[stage]}


def test_every_stage_has_its_module() -> None:
    for stage, module in digest.STAGES.items():
        assert module in digest.reachable_modules(stage)


def test_a_changed_entropy_reaches_score_and_not_generation(source: Path) -> None:
    stages = changed(
        source, "signal/entropy.py", "np.cumsum(entr(shares)", "np.cumsum(2 * entr(shares)"
    )
    assert "score" in stages
    assert not stages & {"model", "questions", *GENERATION}


def test_a_changed_segmentation_keeps_the_chains(source: Path) -> None:
    path = source / "generate/segmentation.py"
    stages = changed(
        source, "generate/segmentation.py", path.read_text(), path.read_text() + "\nEXTRA = 1\n"
    )
    assert "prefixes" in stages
    assert "chains" not in stages


def test_a_changed_comment_or_docstring_changes_nothing(source: Path) -> None:
    path = source / "signal/entropy.py"
    text = path.read_text()
    assert changed(source, "signal/entropy.py", text, "# a comment\n" + text) == set()
    assert changed(source, "signal/entropy.py", "Plug-in (maximum", "Plugged-in (maximum") == set()


def test_a_changed_configuration_model_reruns_the_report_at_most(source: Path) -> None:
    """Stages are given their own settings; only the report reads what a whole run was told."""
    path = source / "study/config.py"
    text = path.read_text()
    assert changed(source, "study/config.py", text, text + "\nEXTRA = 1\n") <= {"report"}


def test_changed_problem_templates_reach_the_questions(source: Path) -> None:
    """Data that ships beside the code decides what the code does."""
    stages = changed(source, "data/wordproblems.toml", "=", " =")
    assert "questions" in stages
    assert not stages & {"chains", "completions", "score", "analyse"}
