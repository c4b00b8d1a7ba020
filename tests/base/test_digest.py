"""A stage's digest changes with the code it can reach, and with nothing else."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from cot_entropy.base import digest
from cot_entropy.plan.exploratory import ENTRIES, ESTIMATORS, SIGNALS
from cot_entropy.plan.load import load_plan
from cot_entropy.protocol.probe import CAPS, SEGMENTATIONS
from cot_entropy.registration.items import code_items
from cot_entropy.study.config import read_configuration

ROOT = Path(__file__).parents[2]
GENERATION = ("chains", "completions", "prefixes")


with contextlib.chdir(ROOT):
    STUDY = read_configuration(Path("config/study.yaml"))
    PLAN = load_plan(Path(STUDY.study.plan)).plan


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
    """The digests of the registered study: those that a freeze takes."""
    forget()
    return code_items(STUDY, PLAN)


def changed(source: Path, module: str, old: str, new: str) -> set[str]:
    before = all_digests()
    path = source / module
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return {
        item.removeprefix("stage/")
        for item, value in all_digests().items()
        if value != before[item]
    }


def test_every_stage_has_its_module() -> None:
    for stage, module in digest.STAGES.items():
        assert module in digest.reachable_modules(stage)


def test_a_changed_entropy_reaches_score_and_not_generation(source: Path) -> None:
    stages = changed(
        source, "signal/entropy.py", "np.cumsum(entr(shares)", "np.cumsum(2 * entr(shares)"
    )
    assert "score" in stages
    assert not stages & {"model", "questions", *GENERATION}


@pytest.mark.parametrize(
    ("rule", "stages"),
    [
        ("generate/segmentation/blank_lines.py", {"prefixes"}),
        ("generate/segmentation/newlines.py", set()),
        ("generate/caps/truncate.py", {"prefixes"}),
        ("generate/caps/merge.py", set()),
        ("stats/signals/coherence.py", {"analyse", "report"}),
        ("stats/signals/final_entropy.py", {"analyse", "baseline", "report", "variants"}),
        ("stats/estimators/eps_sweep.py", {"analyse", "report"}),
        ("plan/entries/eps_sweep.py", {"analyse", "report"}),
    ],
)
def test_an_edited_rule_reaches_the_stages_that_name_it(
    source: Path, rule: str, stages: set[str]
) -> None:
    """The registered study cuts at blank lines, truncates, and plans E1 to E13."""
    text = (source / rule).read_text()
    assert changed(source, rule, text, text + "\nEXTRA = 1\n") == stages


@pytest.mark.parametrize(
    "folder",
    [kind.folder for kind in (SEGMENTATIONS, CAPS, SIGNALS, ENTRIES, ESTIMATORS)],
)
def test_a_rule_that_nobody_names_changes_nothing(source: Path, folder: str) -> None:
    before = all_digests()
    source.joinpath(*folder.split("."), "unused.py").write_text("VALUE = 1\n")
    assert all_digests() == before


def test_an_edited_engine_reaches_what_generates(source: Path) -> None:
    path = source / "engine/vllm.py"
    text = path.read_text()
    stages = changed(source, "engine/vllm.py", text, text + "\nEXTRA = 1\n")
    assert stages == {"chains", "completions", "self_consistency"}


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
