"""What is said before the first GPU hour, and how several plans lie side by side."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from tests.projects import PROJECT, commit, edit, forget_digests, make_project, study, write_study

from cot_entropy.plan.load import load_plan
from cot_entropy.registration.before import outlook, seed_of
from cot_entropy.registration.freeze import freeze
from cot_entropy.study.config import read_configuration

CONFIG = Path("config/study.yaml")
PLAN = Path("preregistration/plan.yaml")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    yield make_project(tmp_path, monkeypatch)
    forget_digests()


def said() -> str | None:
    return outlook(read_configuration(CONFIG))


def test_a_study_without_a_freeze_says_so_in_one_line(project: Path) -> None:
    line = said()
    assert line is not None
    assert line.startswith("nothing will be confirmatory: preregistration/freeze.json is not there")
    assert "\n" not in line


def test_a_study_as_frozen_says_nothing(project: Path) -> None:
    freeze(CONFIG)
    assert said() is None


def test_a_study_that_is_not_as_frozen_names_what_differs(project: Path) -> None:
    freeze(CONFIG)
    write_study(project, study(seed=8))
    edit(PLAN, "\nalpha: 0.05", "\nalpha: 0.06")
    line = said()
    assert line is not None
    assert "config/seed, plan/alpha" in line


def test_a_number_is_the_seed(project: Path) -> None:
    assert seed_of(read_configuration(CONFIG).study) == 7


def test_another_studys_freeze_is_not_this_ones(project: Path) -> None:
    """Plans lie side by side: freeze and deviations belong to the plan that they stand beside."""
    freeze(CONFIG)
    commit(project)
    line = outlook(read_configuration(Path("config/demo.yaml")))
    assert line is not None
    assert "preregistration/demo/freeze.json is not there" in line


def test_the_demo_registers_the_studys_hypotheses_and_rules() -> None:
    """All but population and sizes; without those of the reasoning-distilled model."""
    full, demo = (
        yaml.safe_load((PROJECT / "preregistration" / name).read_text())
        for name in ("plan.yaml", "demo/plan.yaml")
    )
    own = {"population", "assessable"}

    def rules(entries: list[dict[str, object]]) -> list[dict[str, object]]:
        return [{key: one[key] for key in one if key not in own} for one in entries]

    kept = [one for one in full["hypotheses"] if one["id"] not in {"H4a", "H4b"}]
    assert rules(demo["hypotheses"]) == rules(kept)
    assert rules(demo["exploratory"]) == rules(full["exploratory"])
    differing = {key for key in full if full[key] != demo.get(key)}
    assert differing == {"title", "populations", "hypotheses"}


def test_the_demos_plan_names_the_demos_cells() -> None:
    values = yaml.safe_load((PROJECT / "config/demo.yaml").read_text())
    cells = {f"{model}/{dataset}" for model in values["models"] for dataset in values["datasets"]}
    assert set(load_plan(PROJECT / values["plan"]).plan.cells) == cells
