"""Every change to what was registered or stored is named; unchanged input passes.

Each test walks over leaves, files or records, all of them in the full run, makes one change at a
time, and counts it; the session's last lines state the number. What cannot be read any more must
be refused by a message that names the file.
"""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.forge import Record, cover_up, edit_json, flip_byte, rewrite
from tests.projects import PROJECT, forget_digests
from tests.runs import Tiny, further_chains, generations

from cot_entropy.audit.audit import audit
from cot_entropy.audit.registered import registration_findings
from cot_entropy.audit.run import read_run
from cot_entropy.audit.stored_files import (
    generation_findings,
    manifest_findings,
    record_findings,
)
from cot_entropy.base import digest
from cot_entropy.base.errors import UserError
from cot_entropy.formats.trajectories import read_trajectories, write_trajectories
from cot_entropy.protocol.engine import FILL
from cot_entropy.registration.provenance import FOLDER, REGISTRATION, RUN, run_items
from cot_entropy.study.config import Configuration

Leaf = tuple[str | int, ...]
Caught = Callable[[str, int], None]
REGISTERED = Path(FOLDER) / REGISTRATION
CELL, OTHER = "alpha/sums", "beta/sums"
EVERY = pytest.mark.parametrize(
    "every", [13, pytest.param(1, marks=pytest.mark.full)], ids=["every 13th", "all"]
)


def leaves(value: Any, here: Leaf = ()) -> Iterator[Leaf]:
    """The path of every scalar."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*here, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*here, index))
    else:
        yield here


def mutated(value: Any, leaf: Leaf) -> Any:
    """A copy with one scalar changed."""
    result = copy.deepcopy(value)
    parent = result
    for part in leaf[:-1]:
        parent = parent[part]
    parent[leaf[-1]] = _changed(parent[leaf[-1]])
    return result


def _changed(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case float():
            return value * 0.9 + 0.013
        case None:
            return "x"
        case str() if set(value) <= set("0123456789abcdef") and len(value) >= 40:
            return "0" * len(value)
    return f"{value}x"


class Forged:
    """A run whose run.json records whatever stands beside it, as a run of that plan would."""

    def __init__(self, results: Path) -> None:
        self.results = results
        self.run = results / FOLDER / RUN
        self.original = self.run.read_text()

    def subjects(self, configuration: Record | None = None) -> set[str]:
        """What the audit names of the registration; the message where it refuses to read it."""
        folder = self.results / REGISTERED
        self.run.write_text(self.original)

        def record(values: Record) -> None:
            if configuration is not None:
                values["configuration"] = configuration
            checked = Configuration.model_validate_json(json.dumps(values["configuration"]))
            stages = {k: v for k, v in values["items"].items() if k.startswith("stage/")}
            values["items"] = run_items(checked, folder / "plan.yaml", folder) | stages

        try:
            edit_json(self.run, record)
            return {one.subject for one in registration_findings(read_run(self.results))}
        except UserError as error:
            return {str(error)}
        except ValueError as error:  # pydantic refuses the configuration before a run could start
            return {f"refused: {type(error).__name__}"}


@EVERY
def test_every_leaf_of_the_plan_is_named(tiny: Tiny, caught: Caught, every: int) -> None:
    path = tiny.results / REGISTERED / "plan.yaml"
    plan = yaml.safe_load(path.read_text())
    forged = Forged(tiny.results)
    path.write_text("# laid out anew\n" + yaml.safe_dump(plan, default_flow_style=False, indent=8))
    assert forged.subjects() == set()
    missed = []
    for leaf in (all_leaves := list(leaves(plan))[::every]):
        path.write_text(yaml.safe_dump(mutated(plan, leaf)))
        found = forged.subjects()
        entry = leaf[0]
        if entry in {"hypotheses", "exploratory"} and leaf[2] != "id":
            entry = plan[entry][leaf[1]]["id"]
        if f"plan/{entry}" not in found and not any("plan.yaml:" in one for one in found):
            missed.append(leaf)
    assert missed == []
    caught("plan", len(all_leaves))


def test_every_leaf_of_the_config_is_named(tiny: Tiny, caught: Caught) -> None:
    """All that the plan's cells run with; names of files and of other protocols bind nothing."""
    forged = Forged(tiny.results)
    configuration = read_run(tiny.results).record.configuration.model_dump(mode="json")
    assert forged.subjects(configuration) == set()
    study, blocks = configuration["study"], configuration["protocols"]
    binding = [
        ("study", "seed"),
        *(("study", "engine", key) for key in study["engine"] if key not in FILL),
        *(
            ("study", part, *leaf)
            for part in ("models", "datasets")
            for leaf in leaves(study[part])
        ),
        *(
            ("protocols", kind, "registered", key)
            for kind in ("chain", "probe", "scoring")
            for key in blocks[kind]["registered"]
        ),
    ]
    missed = []
    for leaf in binding:
        found = forged.subjects(mutated(configuration, leaf))
        named = any(one.startswith(("config/", "data/", "revision/", "refused")) for one in found)
        if not named:
            missed.append(leaf)
    assert missed == []
    caught("config", len(binding))


@EVERY
def test_every_leaf_of_the_published_figures_is_named(
    tiny: Tiny, caught: Caught, every: int
) -> None:
    path = tiny.results / REGISTERED / "published.yaml"
    published = yaml.safe_load((PROJECT / "preregistration/published.yaml").read_text())
    forged = Forged(tiny.results)
    path.write_text("# laid out anew\n" + yaml.safe_dump(published, indent=8))
    assert forged.subjects() == set()
    missed = []
    for leaf in (all_leaves := list(leaves(published))[::every]):
        path.write_text(yaml.safe_dump(mutated(published, leaf)))
        if "file/published.yaml" not in forged.subjects():
            missed.append(leaf)
    assert missed == []
    caught("published figures", len(all_leaves))


@pytest.mark.full
def test_every_stages_code_is_named(
    tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caught: Caught
) -> None:
    source = tmp_path / "cot_entropy"
    shutil.copytree(digest.ROOT, source, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(digest, "ROOT", source)
    run = read_run(tiny.results)
    for stage, module in digest.STAGES.items():
        path = source.joinpath(*module.split(".")[1:]).with_suffix(".py")
        text = path.read_text()
        forget_digests()
        path.write_text(text + "\nCHANGED = True\n")
        assert f"stage/{stage}" in {one.subject for one in registration_findings(run)}, stage
        path.write_text(text)
    forget_digests()
    assert list(registration_findings(run)) == []
    caught("code", len(digest.STAGES))


def _integrity(results: Path) -> str:
    """All that the checks of hashes, headers and records say, or the refusal."""
    try:
        run = read_run(results)
        found = [
            *registration_findings(run),
            *manifest_findings(results, run.manifest),
            *(one for cell in run.cells for one in record_findings(results, cell)),
            *(
                one
                for cell in run.cells
                for one in generation_findings(results, cell, run.record.configuration.study)
            ),
        ]
    except UserError as error:
        return str(error)
    return "\n".join(map(str, found))


@EVERY
def test_every_stored_file_is_named_when_a_byte_flips_or_it_goes(
    tiny: Tiny, caught: Caught, every: int
) -> None:
    files = [path for path in tiny.results.rglob("*") if path.is_file()]
    covered = [path for path in files if not path.name.endswith(".model.json")][::every]
    assert _integrity(tiny.results) == ""
    for path in covered:
        content = path.read_bytes()
        flip_byte(path)
        assert path.name in _integrity(tiny.results), path
        path.unlink()
        assert path.name in _integrity(tiny.results), path
        path.write_bytes(content)
    assert _integrity(tiny.results) == ""
    caught("files", 2 * len(covered))


def test_every_file_swapped_between_cells_or_added_is_named(tiny: Tiny, caught: Caught) -> None:
    ours = [path for path in (tiny.results / CELL).rglob("*") if path.is_file()]
    for path in ours:
        theirs = tiny.results / OTHER / path.relative_to(tiny.results / CELL)
        mine, other = path.read_bytes(), theirs.read_bytes()
        path.write_bytes(other)
        theirs.write_bytes(mine)
        said = _integrity(tiny.results)
        for changed in (path, theirs):
            assert changed.relative_to(tiny.results).as_posix() in said
        path.write_bytes(mine)
        theirs.write_bytes(other)
        added = path.with_name(f"added-{path.name}")
        added.write_bytes(mine)
        assert added.name in _integrity(tiny.results)
        added.unlink()
    caught("files", 2 * len(ours))


def _set(key: str, value: Any) -> Callable[[list[Record]], list[Record]]:
    def change(lines: list[Record]) -> list[Record]:
        assert lines[2][key] != value
        lines[2][key] = value
        return lines

    return change


def _answer(lines: list[Record]) -> list[Record]:
    for sample in lines[2]["prefixes"][-1]["samples"]:
        sample["text"] = "The answer is 77."
    return lines


MOVES: dict[str, Callable[[list[Record]], list[Record]]] = {
    "removed": lambda lines: [*lines[:2], *lines[3:]],
    "added": lambda lines: [*lines, lines[-1]],
    "reordered": lambda lines: [lines[0], lines[2], lines[1], *lines[3:]],
}
CHANGES = {
    "chains": _set("gold", "9"),
    "prefixes": _set("ends", [0]),
    "completions": _answer,
    "self_consistency": _answer,
}


@pytest.mark.full
@pytest.mark.parametrize("stage", CHANGES)
@pytest.mark.parametrize("move", ["changed", *MOVES])
def test_a_changed_record_is_named_though_every_hash_was_made_to_fit(
    tiny: Tiny, stage: str, move: str, caught: Caught
) -> None:
    files = {
        **generations(CELL, tiny.results),
        "self_consistency": further_chains(CELL, tiny.results),
    }
    path = files[stage]
    rewrite(path, CHANGES[stage] if move == "changed" else MOVES[move])
    cover_up(tiny.results, CELL)
    assert _names_something_of(tiny.results, CELL)
    caught("records", 1)


@pytest.mark.full
@pytest.mark.parametrize("move", ["changed", *MOVES])
def test_a_changed_trajectory_is_named_though_every_hash_was_made_to_fit(
    tiny: Tiny, move: str, caught: Caught
) -> None:
    path = tiny.results / CELL / "registered/registered/registered/trajectories.parquet"
    rows = read_trajectories(path).astype(object).where(lambda frame: frame.notna(), None)
    records = rows.to_dict("records")
    if move == "changed":
        records[1]["correct"] = not records[1]["correct"]
    else:
        records = MOVES[move](records)
    write_trajectories(path, records)
    cover_up(tiny.results, CELL)
    assert _names_something_of(tiny.results, CELL)
    caught("records", 1)


@pytest.mark.full
@pytest.mark.parametrize(
    "name",
    [
        "verdicts.csv",
        "estimates.csv",
        f"{CELL}/registered/registered/sensitivity.csv",
        f"{CELL}/registered/self_consistency.csv",
    ],
)
@pytest.mark.parametrize("move", ["changed", *MOVES])
def test_a_changed_table_is_named_though_every_hash_was_made_to_fit(
    tiny: Tiny, name: str, move: str, caught: Caught
) -> None:
    path = tiny.results / name
    lines = path.read_text().splitlines(keepends=True)
    if move == "changed":
        cells = lines[1].split(",")
        column = lines[0].split(",").index("n")
        cells[column] = str(int(cells[column]) + 1)
        lines[1] = ",".join(cells)
    else:
        lines = MOVES[move](lines)  # type: ignore[arg-type, assignment]
    path.write_text("".join(lines))
    cover_up(tiny.results, CELL)
    found = audit(tiny.results, jobs=1).findings
    assert name in {one.subject for one in found}
    caught("tables", 1)


def _names_something_of(results: Path, cell: str) -> bool:
    found = audit(results, jobs=1).findings
    return any(cell in one.subject and one.declared is None for one in found)
