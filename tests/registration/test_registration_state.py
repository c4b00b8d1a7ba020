"""What the report says of a run's registration, from the provenance beside the run."""

import shutil

from tests.forge import edit_json
from tests.runs import Tiny

from cot_entropy.report.page import write_report
from cot_entropy.report.registered import RegistrationState, registration_state

REGISTRATION = "provenance/registration"


def state(tiny: Tiny) -> RegistrationState:
    paths = sorted(tiny.results.glob("*/*/registered/registered/registered/trajectories.parquet"))
    assert len(paths) == 2
    return registration_state(tiny.results, paths)


def page(tiny: Tiny) -> str:
    plan = tiny.results / REGISTRATION / "plan.yaml"
    write_report(tiny.results, plan=plan, out=tiny.results / "report.html")
    return (tiny.results / "report.html").read_text(encoding="utf-8")


def test_an_unchanged_run_matches_its_freeze(tiny: Tiny) -> None:
    """Nothing departs, and the page says when it was frozen."""
    found = state(tiny)
    assert (found.state, found.undeclared, found.reason) == ("matches", (), "")
    assert found.freeze is not None
    assert f"<dd>matches, {found.freeze.frozen_at[:10]}</dd>" in page(tiny)


def test_confirmatory_verdicts_are_not_marked_exploratory(tiny: Tiny) -> None:
    """The mark means something only if it is not on every verdict."""
    html = page(tiny)
    matrix = html[html.index('<table class="matrix">') : html.index("</table>")]
    assert "registered tests:" in html
    assert "exploratory" not in matrix


def test_a_change_that_nobody_declared_is_shown(tiny: Tiny) -> None:
    """The item stands in the table, and the state is `differs`."""
    edit_json(
        tiny.results / "provenance/run.json",
        lambda run: run["items"].update({"stage/score": "0" * 64}),
    )
    found = state(tiny)
    assert found.state == "differs"
    assert [one.item for one in found.undeclared] == ["stage/score"]
    assert "<code>stage/score</code></th><td><strong>undeclared</strong>" in page(tiny)


def test_a_run_without_a_freeze_says_so(tiny: Tiny) -> None:
    """No freeze, nothing confirmatory, and the reason in words."""
    (tiny.results / REGISTRATION / "freeze.json").unlink()
    assert state(tiny).state == "not frozen"
    assert "no freeze.json beside the plan" in page(tiny)


def test_a_run_without_provenance_is_unverified(tiny: Tiny) -> None:
    """Trajectories alone prove nothing."""
    shutil.rmtree(tiny.results / "provenance")
    found = state(tiny)
    assert found.state == "unverified"
    assert "no provenance" in found.reason
