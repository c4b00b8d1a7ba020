"""An audit against the auditor's own copy of what was registered."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from tests.projects import edit
from tests.runs import Tiny
from typer.testing import CliRunner

from cot_entropy.audit.audit import audit
from cot_entropy.audit.copy_differences import copy_findings
from cot_entropy.audit.registered_copy import RegisteredCopy, read_copy
from cot_entropy.audit.run import read_run
from cot_entropy.cli import app
from cot_entropy.registration.items import plan_values

PLAN = Path("preregistration/plan.yaml")
FREEZE = Path("preregistration/freeze.json")


def test_a_plan_alone_judges_the_plan_and_says_what_it_leaves_open(
    tiny: Tiny, tmp_path: Path
) -> None:
    own = tmp_path / "plan.yaml"
    own.write_text(PLAN.read_text())
    report = audit(tiny.results, registered=own, jobs=1)
    assert report.exit_code == 0
    assert report.confirmatory_rows > 0
    assert "config, data and code: plan.yaml registers a plan alone" in report.established.never


def test_a_plan_alone_with_another_bound_takes_the_rows_that_rest_on_it(
    tiny: Tiny, tmp_path: Path
) -> None:
    honest = audit(tiny.results, jobs=1)
    own = tmp_path / "plan.yaml"
    own.write_text(PLAN.read_text())
    edit(own, "low: -0.1", "low: -0.2")
    report = audit(tiny.results, registered=own, jobs=1)
    assert [str(one) for one in report.findings] == ["difference: H2.bounds.low: -0.2 -> -0.1"]
    assert 0 < report.confirmatory_rows < honest.confirmatory_rows
    assert report.confirmatory_rows + report.demoted_rows == honest.confirmatory_rows
    assert {line.id for line in report.entries if line.registered == "changed"} == {"H2"}


def test_a_pdf_prints_the_plan_to_be_read_beside_it(tiny: Tiny, tmp_path: Path) -> None:
    """What was asked for could not be compared, so the audit does not end with 0."""
    own = tmp_path / "registration.pdf"
    own.write_bytes(b"%PDF-1.7")
    done = CliRunner().invoke(
        app, ["audit", str(tiny.results), "--registered", str(own), "--jobs", "1"]
    )
    assert done.exit_code == 1
    assert "registration.pdf: is text that no program can compare" in done.output
    order = ["## Study information", "## Design plan", "## Sampling plan", "## Analysis plan"]
    places = [done.output.index(section) for section in order]
    assert places == sorted(places)
    assert "| H2.bounds.high | 0.1 |" in done.output


def leaves(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [leaf for key, one in value.items() for leaf in leaves(one, (*here, key))]
    if isinstance(value, list):
        return [leaf for index, one in enumerate(value) for leaf in leaves(one, (*here, index))]
    return [here]


def changed(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int | float) else f"{value}x"


def test_every_leaf_of_the_registered_plan_is_named_by_its_value(
    tiny: Tiny, caught: Callable[[str, int], None]
) -> None:
    """Whatever the copy has otherwise, one line holds its value and the run's."""
    run = read_run(tiny.results)
    plan = yaml.safe_load(PLAN.read_text())
    honest = read_copy(PLAN)
    assert honest is not None
    count = 0
    for leaf in leaves(plan):
        if leaf[-1] == "id":
            continue  # another entry: named as missing and as added
        mutated = copy.deepcopy(plan)
        parent = mutated
        for key in leaf[:-1]:
            parent = parent[key]
        before, parent[leaf[-1]] = parent[leaf[-1]], changed(parent[leaf[-1]])
        other = RegisteredCopy(
            name="copy", plan=honest.plan, values=plan_values(mutated), freeze=None
        )
        lines = [str(one) for one in copy_findings(run, other, times=True)]
        assert len(lines) == 1, leaf
        assert " -> " in lines[0], leaf
        assert isinstance(before, float) or str(before)[:20] in lines[0], leaf
        count += 1
    caught("registered leaves", count)


def test_a_freeze_made_at_another_time_is_named(tiny: Tiny, tmp_path: Path) -> None:
    """The items agree; it is another freeze all the same."""
    own = tmp_path / "freeze.json"
    own.write_text(FREEZE.read_text().replace('"frozen_at": "20', '"frozen_at": "19'))
    findings = audit(tiny.results, registered=own, jobs=1).findings
    assert [one.subject for one in findings] == ["freeze.frozen_at"]
