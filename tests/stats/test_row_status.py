"""What a row may be called after something differed from the freeze."""

from cot_entropy.stats.row_status import Departure, Standing, Standings

REGISTERED = {"H1": ("a/x", "b/x"), "H5": ("a/x",)}


def standings(*departures: Departure, unverified: str = "") -> Standings:
    return Standings(registered=REGISTERED, departures=departures, unverified=unverified)


def test_a_registered_row_of_an_unchanged_run_is_confirmatory() -> None:
    assert standings().of("H1", "a/x") == Standing(kind="confirmatory")


def test_a_cell_outside_the_plan_is_exploratory() -> None:
    assert standings().of("H1", "mine/x") == Standing(
        kind="exploratory", reason="not in the plan's cells"
    )


def test_a_cell_of_another_hypothesis_is_outside() -> None:
    """H5 registers a/x only."""
    assert standings().of("H5", "b/x").kind == "exploratory"


def test_an_undeclared_departure_demotes_what_it_touches() -> None:
    changed = Departure(item="plan/H1", frozen="1", found="2", entries=("H1",))
    found = standings(changed)
    assert found.of("H1", "a/x") == Standing(
        kind="exploratory", reason="demoted: plan/H1 differs from the freeze"
    )
    assert found.of("H5", "a/x").kind == "confirmatory"


def test_a_departure_of_one_cell_leaves_the_others() -> None:
    changed = Departure(item="stage/chains", frozen="1", found="2", cells=("b/x",))
    found = standings(changed)
    assert found.of("H1", "b/x").kind == "exploratory"
    assert found.of("H1", "a/x").kind == "confirmatory"


def test_a_declared_departure_marks_and_does_not_demote() -> None:
    changed = Departure(item="stage/score", frozen="1", found="2", deviation="D1")
    assert standings(changed).of("H1", "a/x") == Standing(kind="confirmatory", deviations=("D1",))


def test_one_undeclared_departure_among_declared_ones_demotes() -> None:
    declared = Departure(item="stage/score", frozen="1", found="2", deviation="D1")
    silent = Departure(item="plan/alpha", frozen="1", found="2")
    standing = standings(declared, silent).of("H1", "a/x")
    assert standing.kind == "exploratory"
    assert standing.reason == "demoted: plan/alpha differs from the freeze"
    assert standing.deviations == ("D1",)


def test_without_a_freeze_nothing_is_confirmatory() -> None:
    standing = standings(unverified="no freeze.json").of("H1", "a/x")
    assert standing == Standing(kind="exploratory", reason="unverified: no freeze.json")


def test_an_exploratory_entry_stays_so_and_is_marked() -> None:
    declared = Departure(item="stage/score", frozen="1", found="2", deviation="D1")
    assert standings(declared).of("E1", "a/x") == Standing(kind="exploratory", deviations=("D1",))
