"""Freezing a registration, in temporary git repositories."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from tests.projects import (
    SHA256,
    commit,
    edit,
    forget_digests,
    git,
    make_project,
    study,
    write_study,
)

from cot_entropy.base.errors import PlanError
from cot_entropy.model.spec import ADAPTER_SHA256, GGUF_SHA256
from cot_entropy.registration.freeze import Freeze, demonstrate, freeze, load_freeze
from cot_entropy.registration.items import items_sha256, plan_of

CONFIG = Path("config/study.yaml")
FROZEN = Path("preregistration/freeze.json")
PLAN = Path("preregistration/plan.yaml")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    yield make_project(tmp_path, monkeypatch)
    forget_digests()


def frozen_again(root: Path) -> Freeze:
    """Freeze the project's present state."""
    commit(root)
    forget_digests()
    return freeze(CONFIG, reason="test")


def changed_items(before: Freeze, after: Freeze) -> set[str]:
    names = before.items.keys() | after.items.keys()
    return {name for name in names if before.items.get(name) != after.items.get(name)}


def test_a_freeze_names_its_commit_and_time(project: Path) -> None:
    head = commit_of(project)
    result = freeze(CONFIG, now=datetime(2026, 11, 29, 23, 50, tzinfo=UTC))
    assert (result.commit, result.frozen_at) == (head, "2026-11-29T23:50:00Z")
    assert load_freeze(FROZEN) == result


def commit_of(project: Path) -> str:
    return (project / ".git/refs/heads").glob("*").__next__().read_text().strip()


def test_every_plan_cell_input_is_an_item(project: Path) -> None:
    items = freeze(CONFIG).items
    assert items["data/gsm8k"] == SHA256
    assert items["revision/mistral-7b"] == "a" * 40
    assert items["environment/vllm"] == "0.32.0"
    wanted = {"plan/alpha", "plan/H1", "plan/E13", "config/seed", "config/chain", "stage/score"}
    assert wanted <= items.keys()
    assert {"file/published.yaml", "file/differences.yaml", "file/requirements/gpu.txt"} <= (
        items.keys()
    )


def test_comments_and_formatting_change_no_item(project: Path) -> None:
    before = freeze(CONFIG)
    PLAN.write_text("# a comment\n" + PLAN.read_text().replace("alpha: 0.05", "alpha:    0.0500"))
    edit(Path("config/protocols.yaml"), "    m: 5\n", "    m: 5   # as the paper\n")
    path = Path("src/cot_entropy/signal/entropy.py")
    path.write_text("# a comment\n" + path.read_text())
    assert changed_items(before, frozen_again(project)) == set()


def test_a_changed_bound_changes_its_hypothesis_only(project: Path) -> None:
    before = freeze(CONFIG)
    edit(PLAN, "bounds: {low: -0.1, high: 0.1}", "bounds: {low: -0.1, high: 0.2}")
    assert changed_items(before, frozen_again(project)) == {"plan/H2"}


def test_a_changed_entropy_changes_score_and_not_chains(project: Path) -> None:
    before = freeze(CONFIG)
    edit(
        Path("src/cot_entropy/signal/entropy.py"),
        "np.cumsum(entr(shares), axis=-1)[..., -1] + 0.0",
        "2 * np.cumsum(entr(shares), axis=-1)[..., -1] + 0.0",
    )
    changed = changed_items(before, frozen_again(project))
    assert "stage/score" in changed
    assert not changed & {"stage/chains", "stage/prefixes", "stage/completions"}


def test_tests_and_docs_change_no_item(project: Path) -> None:
    before = freeze(CONFIG)
    (project / "tests").mkdir()
    (project / "tests/test_new.py").write_text("def test_new(): ...\n")
    (project / "README.md").write_text("new\n")
    assert changed_items(before, frozen_again(project)) == set()


def test_a_dirty_tree_is_refused(project: Path) -> None:
    PLAN.write_text(PLAN.read_text() + "\n")
    with pytest.raises(PlanError, match=r"uncommitted changes: preregistration/plan\.yaml"):
        freeze(CONFIG)
    assert not FROZEN.exists()


def test_an_untracked_file_makes_the_tree_dirty(project: Path) -> None:
    (project / "src/cot_entropy/extra.py").write_text("X = 1\n")
    with pytest.raises(PlanError, match=r"extra\.py"):
        freeze(CONFIG)


def test_a_second_freeze_needs_a_reason(project: Path) -> None:
    freeze(CONFIG)
    commit(project)
    before = FROZEN.read_bytes()
    with pytest.raises(PlanError, match="--reason"):
        freeze(CONFIG, reason="  ")
    assert FROZEN.read_bytes() == before


def test_the_reason_is_recorded_with_what_was_replaced(project: Path) -> None:
    first = freeze(CONFIG)
    first_sha256 = hashlib.sha256(FROZEN.read_bytes()).hexdigest()
    commit(project)
    second = freeze(CONFIG, reason="a typing error in H3")
    assert [(one.sha256, one.commit, one.reason) for one in second.replaced] == [
        (first_sha256, first.commit, "a typing error in H3")
    ]


def test_a_folder_without_git_is_refused(project: Path) -> None:
    (project / ".git").rename(project / "gone")
    with pytest.raises(PlanError, match="git repository"):
        freeze(CONFIG)


def test_a_package_installed_from_elsewhere_is_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cot_entropy.base.digest.ROOT", project / "elsewhere")
    with pytest.raises(PlanError, match="not the package that runs"):
        freeze(CONFIG)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"models": {"m": {"source": "local", "path": "m"}}}, "no model `llama3.1-8b`"),
        ({"protocol": "robust"}, "protocol.scoring is `registered`"),
        ({"protocol": "newlines"}, "protocol.probe is `registered`"),
    ],
)
def test_a_config_that_contradicts_the_plan_is_refused(
    project: Path, change: dict[str, object], message: str
) -> None:
    write_study(project, study(**change))
    commit(project)
    with pytest.raises(PlanError, match=message):
        freeze(CONFIG)


def with_model(project: Path, model: dict[str, object]) -> dict[str, str]:
    """The items of a freeze of the study with one of its models replaced."""
    values = study()
    values["models"]["qwen2.5-7b"] = model
    write_study(project, values)
    commit(project)
    return freeze(CONFIG).items


def test_a_local_model_of_the_plan_needs_its_hash(project: Path) -> None:
    """A path pins nothing: the folder may hold other weights tomorrow."""
    with pytest.raises(PlanError, match="model `qwen2.5-7b` has no sha256 in the config"):
        with_model(project, {"source": "local", "path": "models/qwen"})


def test_a_local_model_is_frozen_by_its_hash(project: Path) -> None:
    items = with_model(project, {"source": "local", "path": "models/qwen", "sha256": "c" * 64})
    assert items["revision/qwen2.5-7b"] == "c" * 64


def test_a_bundled_model_is_frozen_by_the_files_it_is_made_from(project: Path) -> None:
    """The hash over the two files' hashes, one a line."""
    items = with_model(project, {"source": "bundled", "name": "smollm2-135m-demo"})
    lines = f"{GGUF_SHA256}\n{ADAPTER_SHA256}\n".encode()
    assert items["revision/qwen2.5-7b"] == hashlib.sha256(lines).hexdigest()


def test_a_plan_whose_m_is_not_the_probes_is_refused(project: Path) -> None:
    edit(PLAN, "\nm: 5 ", "\nm: 10 ")
    commit(project)
    with pytest.raises(PlanError, match="m is 10, and the probe block samples 5"):
        freeze(CONFIG)


def test_an_edited_freeze_is_refused(project: Path) -> None:
    freeze(CONFIG)
    values = json.loads(FROZEN.read_text())
    values["items"]["plan/alpha"] = "0" * 64
    FROZEN.write_text(json.dumps(values))
    with pytest.raises(PlanError, match="the file was edited"):
        load_freeze(FROZEN)


@pytest.mark.parametrize(
    ("item", "value"), [("config/seed", 8), ("plan/alpha", 0.9), ("plan/H1", None)]
)
def test_an_edited_value_is_refused(project: Path, item: str, value: object) -> None:
    """The plain values must be those that the items hash."""
    freeze(CONFIG)
    values = json.loads(FROZEN.read_text())
    values["values"][item] = value
    FROZEN.write_text(json.dumps(values))
    with pytest.raises(PlanError, match=f"`{item}` is not what its item hashes"):
        load_freeze(FROZEN)


def test_a_value_left_out_is_refused(project: Path) -> None:
    freeze(CONFIG)
    values = json.loads(FROZEN.read_text())
    del values["values"]["config/seed"]
    FROZEN.write_text(json.dumps(values))
    with pytest.raises(PlanError, match="`config/seed` is missing"):
        load_freeze(FROZEN)


def test_the_frozen_values_are_the_plan_and_config_as_written(project: Path) -> None:
    """So that an auditor who has the freeze alone sees values, not hashes."""
    values = freeze(CONFIG).values
    assert values["plan/alpha"] == 0.05
    assert values["plan/H2"]["bounds"] == {"low": -0.1, "high": 0.1}
    assert values["config/seed"] == 7
    assert plan_of(values) == yaml.safe_load(PLAN.read_text())


DEMO = Path("config/demo.yaml")
DEMO_FREEZE = Path("preregistration/demo/freeze.json")


@pytest.fixture
def demo(project: Path) -> Path:
    """The project with the demo's study, whose freeze git ignores."""
    (project / ".gitignore").write_text("results/\n/preregistration/demo/freeze.json\n")
    commit(project)
    return project


def test_a_demonstration_is_frozen_at_the_run_and_leaves_the_tree_clean(demo: Path) -> None:
    assert demonstrate(DEMO).startswith("frozen: sha256 ")
    assert load_freeze(DEMO_FREEZE).commit == commit_of(demo)
    assert git(demo, "status", "--porcelain") == ""


def test_a_demonstration_that_has_not_changed_keeps_its_freeze(demo: Path) -> None:
    demonstrate(DEMO)
    before = DEMO_FREEZE.read_bytes()
    (demo / "README.md").write_text("no item\n")
    commit(demo)
    assert demonstrate(DEMO).startswith("frozen already, and nothing has changed")
    assert DEMO_FREEZE.read_bytes() == before


def test_changed_code_freezes_a_demonstration_anew(demo: Path) -> None:
    """Development does not break the demo, and needs no reason."""
    demonstrate(DEMO)
    path = Path("src/cot_entropy/signal/entropy.py")
    path.write_text(path.read_text() + "\nX = 1\n")
    head = commit(demo)
    forget_digests()
    assert demonstrate(DEMO).startswith("frozen: sha256 ")
    assert load_freeze(DEMO_FREEZE).commit == head


def test_what_was_generated_before_a_new_freeze_is_pointed_out(demo: Path) -> None:
    chains = Path("results/demo/m/d/registered/chains.jsonl.zst")
    chains.parent.mkdir(parents=True)
    chains.touch()
    assert demonstrate(DEMO).endswith(
        "results/demo was generated before that: remove it to run anew"
    )


def test_a_dirty_tree_runs_its_demonstration_exploratory(demo: Path) -> None:
    """One line says so, and no earlier freeze is left to claim otherwise."""
    demonstrate(DEMO)
    (demo / "new.txt").write_text("new\n")
    said = demonstrate(DEMO)
    assert said.startswith("not frozen, so this run is exploratory: uncommitted changes: new.txt")
    assert "\n" not in said
    assert not DEMO_FREEZE.exists()


def test_a_download_without_git_runs_its_demonstration_exploratory(demo: Path) -> None:
    (demo / ".git").rename(demo / "gone")
    assert demonstrate(DEMO).startswith("not frozen, so this run is exploratory")


def test_a_registered_study_is_no_demonstration(demo: Path) -> None:
    """Its freeze is committed, and must not be replaced without a reason."""
    freeze(CONFIG)
    commit(demo)
    before = FROZEN.read_bytes()
    with pytest.raises(PlanError, match="git does not ignore it"):
        demonstrate(CONFIG)
    assert FROZEN.read_bytes() == before


def test_a_freeze_that_is_no_json_is_not_echoed(tmp_path: Path) -> None:
    path = tmp_path / "freeze.json"
    path.write_text("no JSON " * 1000)
    with pytest.raises(PlanError) as error:
        load_freeze(path)
    assert len(str(error.value)) < len(str(path)) + 100


def test_the_hash_to_anchor_covers_every_item() -> None:
    """sha256 of the canonical JSON of the items; key order is no part of it (RFC 8785)."""
    assert items_sha256({"b/x": "2", "a/y": "1"}) == items_sha256({"a/y": "1", "b/x": "2"})
    assert items_sha256({"a/y": "1"}) != items_sha256({"a/y": "2"})


def test_a_freeze_that_was_killed_while_it_wrote_leaves_a_clean_tree(project: Path) -> None:
    """A kill leaves the file that was to become freeze.json; the next freeze takes it away."""
    left = FROZEN.with_name(f".{FROZEN.name}.k1ll3d")
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from cot_entropy.base.files import atomic\n"
        f"with atomic(Path({str(FROZEN)!r})) as stream:\n"
        "    stream.write(b'{')\n"
        "    stream.flush()\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=False, cwd=project)
    (found,) = project.joinpath("preregistration").glob(".freeze.json.*")
    found.rename(left)
    assert freeze(CONFIG).replaced == []
    assert not left.exists()


def test_the_questions_to_ask_are_frozen_by_their_own_hash(project: Path) -> None:
    """Of a local file not its bytes: another layout of the same questions is the same hash."""
    lines = [{"question": f"What is {n}?", "answer": f"{n}"} for n in (1, 2)]
    hashed = [{"id": f"row-{n}", "question": f"What is {n}?", "gold": f"{n}"} for n in (1, 2)]
    text = "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in hashed)
    expected = hashlib.sha256(text.encode()).hexdigest()
    data = project / "mine.jsonl"
    values = study()
    for separators in ((",", ":"), (", ", ": ")):
        data.write_text("".join(json.dumps(one, separators=separators) + "\n" for one in lines))
        values["datasets"]["gsm8k"] = {
            "source": "local",
            "answer": "number",
            "path": data.name,
            "sha256": hashlib.sha256(data.read_bytes()).hexdigest(),
        }
        write_study(project, values)
        assert frozen_again(project).items["questions/gsm8k"] == expected
    assert load_freeze(FROZEN).items["questions/math500"] == SHA256
