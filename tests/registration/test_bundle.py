"""What is uploaded to OSF, and whether an uploaded copy is that."""

import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from tests.projects import commit, edit, forget_digests, make_project

from cot_entropy.audit.registered_copy import copy_folder, read_copy
from cot_entropy.base.errors import DataError, PlanError
from cot_entropy.registration.bundle import CODE, copy_problems, write_bundle
from cot_entropy.registration.freeze import freeze
from cot_entropy.registration.value_differences import leaf_values

CONFIG = Path("config/study.yaml")
PLAN = Path("preregistration/plan.yaml")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A frozen project as the working folder, with its bundle in `out`."""
    with pytest.MonkeyPatch.context() as patch:
        root = make_project(tmp_path_factory.mktemp("bundle") / "author", patch)
        freeze(CONFIG)
        commit(root)
        write_bundle(CONFIG, root.parent / "out")
        yield root
    forget_digests()


@pytest.fixture
def out(project: Path, tmp_path: Path) -> Path:
    """A copy of the bundle that a test may change."""
    return Path(shutil.copytree(project.parent / "out", tmp_path / "copy"))


def problems(copy: Path) -> list[str]:
    return list(copy_problems(CONFIG, copy))


def test_it_holds_what_a_reader_needs_in_one_flat_folder(out: Path) -> None:
    names = {path.name for path in out.iterdir()}
    assert {"README.md", "PREREGISTRATION.md", "plan.yaml", "freeze.json", "code.zip"} <= names
    assert {"differences.yaml", "requirements-gpu.txt", "study.yaml", "protocols.yaml"} <= names
    assert all(path.is_file() for path in out.iterdir())


def test_the_code_is_that_of_the_frozen_commit(out: Path) -> None:
    with zipfile.ZipFile(out / CODE) as packed:
        held = packed.read("src/cot_entropy/signal/entropy.py")
    assert held == Path("src/cot_entropy/signal/entropy.py").read_bytes()


def test_every_registered_value_stands_in_the_text(out: Path) -> None:
    """A reader without this software sees every number."""
    copy = read_copy(out)
    assert copy is not None
    text = (out / "PREREGISTRATION.md").read_text()
    missing = [name for name, _ in leaf_values(copy.values) if f"\n| {name} | " not in text]
    assert missing == []
    assert "| H2.bounds.high | 0.1 |" in text


def test_an_untouched_copy_has_no_problem(out: Path) -> None:
    assert problems(out) == []


def test_osfs_zip_of_it_has_no_problem(out: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "osf.zip", "w") as packed:
        for path in out.iterdir():
            packed.write(path, f"Archive of OSF Storage/{path.name}")
    with copy_folder(tmp_path / "osf.zip") as folder:
        assert problems(folder) == []


def test_a_changed_bound_is_named_by_value(out: Path) -> None:
    edit(out / "plan.yaml", "bounds: {low: -0.1, high: 0.1}", "bounds: {low: -0.1, high: 0.3}")
    assert problems(out) == ["plan.yaml: H2.bounds.high: 0.3 -> 0.1"]


def test_another_layout_of_the_plan_is_named_as_that(out: Path) -> None:
    (out / "plan.yaml").write_text(yaml.safe_dump(yaml.safe_load(PLAN.read_text())))
    assert problems(out) == ["plan.yaml: differs in what is no value (layout, time, commit)"]


def test_every_file_that_is_missing_added_or_changed_is_named(out: Path) -> None:
    """One change at a time, to each file of the bundle."""
    for path in sorted(out.iterdir()):
        if path.name == "freeze.json":
            continue
        content = path.read_bytes()
        path.unlink()
        assert problems(out) == [f"{path.name}: is missing"]
        if path.suffix == ".zip":  # compared by its files: another zlib packs them otherwise
            with zipfile.ZipFile(path, "a") as packed:
                packed.writestr("extra", "more")
        else:
            path.write_bytes(content + b"\n#")
        (problem,) = problems(out)
        assert problem.startswith(f"{path.name}: differs")
        path.write_bytes(content)
    (out / "extra.txt").write_text("more")
    assert problems(out) == ["extra.txt: is nothing that is registered"]


def test_a_tree_that_is_not_as_frozen_is_not_bundled(project: Path, tmp_path: Path) -> None:
    before = PLAN.read_text()
    PLAN.write_text(before.replace("alpha: 0.05", "alpha: 0.1"))
    try:
        with pytest.raises(PlanError, match=r"the working tree is not as frozen \(plan/alpha\)"):
            write_bundle(CONFIG, tmp_path / "new")
    finally:
        PLAN.write_text(before)
    assert not (tmp_path / "new").exists()


def test_a_folder_that_is_there_is_not_written_into(project: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is there already"):
        write_bundle(CONFIG, tmp_path)


def remove(name: str) -> Callable[[Path], None]:
    return lambda out: (out / name).unlink()


def nested(out: Path) -> None:
    (out / "again").mkdir()
    shutil.copyfile(out / "plan.yaml", out / "again/plan.yaml")
    (out / "plan.yaml").unlink()
    (out / "more").mkdir()
    shutil.copyfile(out / "again/plan.yaml", out / "more/plan.yaml")


def test_a_copy_with_two_plans_is_refused(out: Path) -> None:
    nested(out)
    with pytest.raises(DataError, match=r"holds 2 files plan\.yaml \(again/plan\.yaml, more/"):
        read_copy(out)


def test_a_plan_that_is_not_its_freezes_is_refused(out: Path) -> None:
    edit(out / "plan.yaml", "\nalpha: 0.05", "\nalpha: 0.06")
    with pytest.raises(PlanError, match=r"its plan\.yaml is not the plan that its freeze\.json"):
        read_copy(out)


@pytest.mark.parametrize("name", ["plan.yaml", "freeze.json"])
def test_either_of_both_is_enough(out: Path, name: str) -> None:
    """The plan is whole in the freeze's values."""
    remove(name)(out)
    copy = read_copy(out)
    assert copy is not None
    assert [one.id for one in copy.plan.plan.hypotheses][:2] == ["H1", "H2"]
    assert (copy.freeze is None) == (name == "freeze.json")


@pytest.mark.parametrize(
    "content", [b"%PDF-1.7 ...", b"Study information\nTitle: a study\n", b"\xff\xfe"]
)
def test_a_text_or_pdf_is_for_people_only(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "registration.pdf"
    path.write_bytes(content)
    assert read_copy(path) is None


def test_a_plan_with_a_mistake_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text("hypotheses: []\nalpha: 2\n")
    with pytest.raises(PlanError, match=r"plan\.yaml:"):
        read_copy(path)
