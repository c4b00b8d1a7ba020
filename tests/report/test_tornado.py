"""The tornado plot: paired differences per cell, largest first, never the study's own row."""

from __future__ import annotations

from cot_entropy.report.figures.tornado import tornado_figures
from cot_entropy.stats.read_tables import Row


def row(variant: str, difference: float | None, *, cell: str = "m/d") -> Row:
    return Row(
        id="E13",
        cell=cell,
        quantity=f"accuracy_gap_pp[{variant}]",
        kind="exploratory",
        estimate=10.0,
        variant=variant,
        difference=difference,
        difference_low=None if difference is None else difference - 1,
        difference_high=None if difference is None else difference + 1,
    )


def test_variants_stand_by_the_size_of_their_difference() -> None:
    (figure,) = tornado_figures("E13", [row("m_3", 1.0), row("cap_4", -5.0), row("seed_1", 2.0)])
    panel = str(figure.panels[0])
    order = [panel.index(f">{label}<") for label in ("cap 4", "seed 1", "m 3")]
    assert order == sorted(order)


def test_a_row_without_a_difference_is_not_drawn() -> None:
    """The study's own protocol is what the others are compared with."""
    assert tornado_figures("E13", [row("registered", None)]) == ()
    (figure,) = tornado_figures("E13", [row("registered", None), row("m_3", 1.0)])
    assert [line[2] for line in figure.rows] == ["m_3"]


def test_each_cell_has_its_panel_and_the_figure_is_exploratory() -> None:
    (figure,) = tornado_figures("E13", [row("m_3", 1.0), row("m_3", 2.0, cell="m/e")])
    assert len(figure.panels) == 2
    assert figure.exploratory
