"""Two runs side by side: which stage first differs, and by how much."""

import json
from pathlib import Path

import pytest
from tests.forge import command, edit_json, reanalyse, rewrite
from tests.runs import Tiny, copy_run, generations, rescore

from cot_entropy.audit.compare import compare
from cot_entropy.registration.provenance import FOLDER, RUN, RunRecord, read_record

CELL = "alpha/sums"


@pytest.fixture
def other(tiny: Tiny, tmp_path: Path) -> Path:
    return copy_run(tiny.results, tmp_path / "other")


def test_a_run_is_the_same_as_its_copy(tiny: Tiny, other: Path) -> None:
    found = compare(tiny.results, other)
    assert found.exit_code == 0
    assert found.values == []
    assert found.diverged == {"alpha/sums": None, "beta/sums": None}


def test_the_stage_that_first_differs_is_named(tiny: Tiny, other: Path) -> None:
    """A longer completion at the last prefix: chains and prefixes are the same before it."""

    names: list[str] = []

    def change(lines: list[dict]) -> list[dict]:  # type: ignore[type-arg]
        names.append(lines[2]["question_id"])
        for sample in lines[2]["prefixes"][-1]["samples"]:
            sample["text"] = "The answer is 77."
        return lines

    rewrite(generations(CELL, other)["completions"], change)
    rescore(CELL, read_record(other / FOLDER / RUN, RunRecord).configuration, other)
    reanalyse(other)
    found = compare(tiny.results, other)
    assert found.diverged == {CELL: "completions", "beta/sums": None}
    (completions,) = [one for one in found.stages if one.differing and one.stage == "completions"]
    assert (completions.differing, completions.records) == (1, 24)
    assert completions.detail == f"question {names[0]}: prefixes"
    assert found.exit_code == 1


def test_numeric_differences_are_given_with_their_size(tiny: Tiny, other: Path) -> None:
    path = other / "verdicts.csv"
    lines = path.read_text().splitlines()
    columns = lines[0].split(",")
    row = lines[1].split(",")
    value = float(row[columns.index("estimate")])
    row[columns.index("estimate")] = repr(value * 1.25)
    path.write_text("\n".join([lines[0], ",".join(row), *lines[2:]]) + "\n")
    (difference,) = compare(tiny.results, other).values
    assert (difference.table, difference.column) == ("verdicts.csv", "estimate")
    assert difference.row == "H1 alpha/sums"
    assert difference.relative == pytest.approx(0.2)


def test_values_within_the_tolerance_are_the_same(tiny: Tiny, other: Path) -> None:
    path = other / "verdicts.csv"
    text = path.read_text()
    estimate = text.splitlines()[1].split(",")[3]
    path.write_text(text.replace(estimate, repr(float(estimate) * (1 + 1e-9))))
    assert compare(tiny.results, other).exit_code == 0


def test_a_cell_that_one_run_lacks_is_named(tiny: Tiny, other: Path) -> None:
    (other / "provenance/beta__sums.json").unlink()
    found = compare(tiny.results, other)
    assert found.only_first == ["beta/sums"]
    assert found.exit_code == 1


def test_a_changed_seed_is_named_before_all_else(tiny: Tiny, other: Path) -> None:
    """What the two runs were told stands above what came out; --json says where they part."""

    def change(values: dict) -> None:  # type: ignore[type-arg]
        values["configuration"]["study"]["seed"] = 12
        values["items"] |= {"config/seed": "0" * 64, "stage/score": "1" * 64, "plan/H1": "2" * 64}

    edit_json(other / FOLDER / RUN, change)
    said = command("audit", tiny.results, "--against", other)
    assert said.code == 1
    named = [line for line in said.out.splitlines() if line.startswith("registration: ")]
    assert [line.split(": ")[1] for line in named] == ["config/seed", "plan/H1", "stage/score"]
    assert said.out.splitlines()[1] == named[0]
    found = json.loads(command("audit", tiny.results, "--against", other, "--json").out)
    assert (found["schema_version"], found["exit_code"]) == (1, 1)
    assert found["diverged"] == {"alpha/sums": None, "beta/sums": None}
    assert found["items"][0]["item"] == "config/seed"
