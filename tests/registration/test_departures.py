"""A run that departs from its freeze: demoted where silent, marked where declared."""

import csv
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from tests.forge import Record, rewrite
from tests.runs import CONFIG, RESULTS, Tiny, finish, further_chains, generations, run_tiny

from cot_entropy.audit.audit import audit
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.registration.departures import run_standings
from cot_entropy.stats.analyse import analyse
from cot_entropy.stats.row_status import UNVERIFIED
from cot_entropy.study.config import read_configuration

PLAN = Path("preregistration/plan.yaml")
DEVIATIONS = Path("preregistration/deviations.yaml")
CELL, OTHER = "alpha/sums", "beta/sums"


@pytest.fixture
def project(tiny_run: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the whole project, results included, that a test may change."""
    root = tmp_path / "project"
    shutil.copytree(tiny_run.root, root, ignore=shutil.ignore_patterns(".git", "src"))
    monkeypatch.chdir(root)
    return root


def edit_yaml(path: Path, change: Callable[[Record], None]) -> None:
    values = yaml.safe_load(path.read_text())
    change(values)
    path.write_text(yaml.safe_dump(values, sort_keys=False))


def finished() -> list[dict[str, str]]:
    """Record, analyse and seal with the configuration as it is now; the verdict rows."""
    finish(read_configuration(CONFIG), RESULTS)
    with (RESULTS / "verdicts.csv").open() as stream:
        return list(csv.DictReader(stream))


def declare(item: str, found: str) -> None:
    deviation = {
        "id": "D1",
        "item": item,
        "found": found,
        "what": "changed",
        "why": "a test",
        "when": str(datetime.now(UTC).date()),
        "results_seen": "before",
        "expected_effect": "none",
    }
    edit_yaml(DEVIATIONS, lambda values: values["deviations"].append(deviation))


def value_found(item: str) -> str:
    """The value that the audit reports, as an author would copy it."""
    (finding,) = [one for one in audit(RESULTS, jobs=1).findings if one.subject == item]
    return finding.detail.rsplit("found ", 1)[1].split(" ")[0]


def test_an_unchanged_run_is_confirmatory(project: Path) -> None:
    assert {row["kind"] for row in finished()} == {"confirmatory"}


@pytest.mark.parametrize(
    ("key", "value", "item"),
    [
        ("alpha", 0.06, "plan/alpha"),
        ("resamples", 300, "plan/resamples"),
        ("seed", 1, "plan/seed"),
    ],
)
def test_a_plan_changed_in_silence_demotes_every_row(
    project: Path, key: str, value: float, item: str
) -> None:
    edit_yaml(PLAN, lambda plan: plan.__setitem__(key, value))
    rows = finished()
    assert {row["kind"] for row in rows} == {"exploratory"}
    assert all(f"demoted: {item} differs" in row["reason"] for row in rows)
    assert audit(RESULTS, jobs=1).exit_code == 1


def test_a_changed_bound_demotes_its_hypothesis_only(project: Path) -> None:
    edit_yaml(PLAN, lambda plan: plan["hypotheses"][1]["bounds"].__setitem__("high", 0.2))
    kinds = {row["id"]: row["kind"] for row in finished()}
    assert kinds.pop("H2") == "exploratory"
    assert set(kinds.values()) == {"confirmatory"}


def test_a_declared_change_is_marked_and_stays_confirmatory(project: Path) -> None:
    edit_yaml(PLAN, lambda plan: plan["hypotheses"][1]["bounds"].__setitem__("high", 0.2))
    finished()
    declare("plan/H2", value_found("plan/H2"))
    rows = finished()
    assert {row["kind"] for row in rows} == {"confirmatory"}
    assert {row["id"] for row in rows if row["deviations"] == "D1"} == {"H2"}
    report = audit(RESULTS, jobs=1)
    assert report.exit_code == 0
    assert [finding.declared for finding in report.findings] == ["D1"]
    assert [line.id for line in report.entries if line.deviations] == ["H2"]


def test_a_deviation_excuses_no_later_change(project: Path) -> None:
    edit_yaml(PLAN, lambda plan: plan["hypotheses"][1]["bounds"].__setitem__("high", 0.2))
    finished()
    declare("plan/H2", value_found("plan/H2"))
    edit_yaml(PLAN, lambda plan: plan["hypotheses"][1]["bounds"].__setitem__("high", 0.3))
    rows = [row for row in finished() if row["id"] == "H2"]
    assert {row["kind"] for row in rows} == {"exploratory"}


def test_a_changed_seed_of_the_config_demotes(project: Path) -> None:
    edit_yaml(CONFIG, lambda study: study.__setitem__("seed", 12))
    assert all("config/seed" in row["reason"] for row in finished())


def test_a_cell_made_by_other_code_is_demoted_and_the_other_is_not(project: Path) -> None:
    def change(lines: list[Record]) -> list[Record]:
        lines[0]["code_digest"] = "0" * 64
        return lines

    rewrite(generations(CELL, RESULTS)["completions"], change)
    kinds = {(row["cell"], row["kind"]) for row in finished()}
    assert kinds == {(CELL, "exploratory"), (OTHER, "confirmatory")}


def mixed(lines: list[Record]) -> list[Record]:
    """The file of an attempt that went on with less memory."""
    settings = EngineSettings.model_validate(lines[0]["engine"]["settings"])
    lower = settings.fill.model_copy(update={"memory_share": 0.8})
    lines[0]["other_fills"] = [lower.model_dump(mode="json")]
    return lines


def test_a_cell_made_with_the_device_filled_in_two_ways_is_demoted(project: Path) -> None:
    rewrite(generations(CELL, RESULTS)["completions"], mixed)
    reasons = {(row["cell"], row["kind"]): row["reason"] for row in finished()}
    assert reasons.keys() == {(CELL, "exploratory"), (OTHER, "confirmatory")}
    assert f"cell/{CELL}" in reasons[CELL, "exploratory"]
    details = {one.detail for one in audit(RESULTS, jobs=1).findings}
    expected = f"{CELL} was generated with the device filled in several ways: memory_share 0.8, 0.9"
    assert expected in details


def test_a_declared_mixture_demotes_nothing(project: Path) -> None:
    rewrite(generations(CELL, RESULTS)["completions"], mixed)
    found = f"{CELL} was generated with the device filled in several ways: memory_share 0.8, 0.9"
    declare(f"cell/{CELL}", found)
    assert {row["kind"] for row in finished()} == {"confirmatory"}


def test_a_device_filled_otherwise_throughout_is_no_difference(project: Path) -> None:
    """Less memory than the frozen config says, for every file of every cell."""
    edit_yaml(CONFIG, lambda study: study["engine"].__setitem__("memory_share", 0.8))
    assert {row["kind"] for row in finished()} == {"confirmatory"}


def test_further_chains_by_other_code_demote_no_row_and_are_named(project: Path) -> None:
    """No verdict rests on them; the audit says it all the same."""

    def change(lines: list[Record]) -> list[Record]:
        lines[0]["code_digest"] = "0" * 64
        return lines

    path = further_chains(CELL, RESULTS)
    rewrite(path, change)
    assert {row["kind"] for row in finished()} == {"confirmatory"}
    details = [one.detail for one in audit(RESULTS, jobs=1).findings if one.subject == CELL]
    assert details == [
        f"{path.relative_to(RESULTS)} was made by other code than the run's",
    ]


def test_an_analysis_by_another_plan_is_not_confirmatory(project: Path, tmp_path: Path) -> None:
    """As on the command line: --plan names a file with another alpha."""
    finished()
    other = tmp_path / "other.yaml"
    shutil.copyfile(PLAN, other)
    edit_yaml(other, lambda plan: plan.__setitem__("alpha", 0.1))
    paths = sorted(RESULTS.rglob("trajectories.parquet"))
    found = analyse(other, paths, tmp_path, standings=run_standings(RESULTS, paths), jobs=1)
    assert {row.kind for row in found.verdicts} == {"exploratory"}
    assert "another plan" in found.verdicts[0].reason


def test_without_a_freeze_nothing_is_confirmatory(project: Path) -> None:
    Path("preregistration/freeze.json").unlink()
    rows = finished()
    assert {row["kind"] for row in rows} == {"exploratory"}
    assert "no freeze.json" in rows[0]["reason"]
    assert audit(RESULTS, jobs=1).exit_code == 1


def test_trajectories_that_the_run_did_not_record_are_not_confirmatory(project: Path) -> None:
    path = next((RESULTS / CELL).rglob("trajectories.parquet"))
    shutil.copyfile(next((RESULTS / OTHER).rglob("trajectories.parquet")), path)
    standing = run_standings(RESULTS, [path]).of("H1", CELL)
    assert standing.kind == "exploratory"
    assert f"cell/{CELL}" in standing.reason


def test_a_cell_without_a_record_is_not_confirmatory(project: Path) -> None:
    path = next((RESULTS / CELL).rglob("trajectories.parquet"))
    (RESULTS / "provenance/alpha__sums.json").unlink()
    standing = run_standings(RESULTS, [path]).of("H1", CELL)
    assert standing.kind == "exploratory"
    assert f"cell/{CELL}" in standing.reason


def test_trajectories_without_provenance_are_unverified(tmp_path: Path) -> None:
    assert run_standings(tmp_path, []).of("H1", CELL).kind == "exploratory"
    assert "unverified" in UNVERIFIED.of("H1", CELL).reason


def test_cells_outside_the_plan_are_exploratory_and_audit_clean(project: Path) -> None:
    """As in the demo: other models, seed and engine settings than the registered ones."""

    def other(study: Record) -> None:
        study["models"] = {"gamma": study["models"]["alpha"]}
        study["seed"] = 99
        study["engine"]["max_num_seqs"] = 2

    edit_yaml(CONFIG, other)
    shutil.rmtree(RESULTS)
    run_tiny()
    report = audit(RESULTS, jobs=1)
    assert report.findings == []
    assert (report.confirmatory_rows, report.demoted_rows) == (0, 0)
    with (RESULTS / "verdicts.csv").open() as stream:
        rows = [row for row in csv.DictReader(stream) if row["cell"] == "gamma/sums"]
    assert {row["kind"] for row in rows} == {"exploratory"}
    assert all("not in the plan's cells" in row["reason"] for row in rows)
