"""Scales, ticks and escaping of the figures."""

import pytest

from cot_entropy.report.svg import Canvas, Scale, tick_label


def test_a_scale_maps_its_ends_and_its_middle() -> None:
    """Linear: 0..100 onto 20..220 puts 50 at 120."""
    scale = Scale(0.0, 100.0, 20.0, 220.0)
    assert [scale(v) for v in (0.0, 50.0, 100.0)] == [20.0, 120.0, 220.0]


def test_a_value_outside_is_drawn_at_the_nearer_end() -> None:
    """Nothing leaves the panel."""
    assert Scale(0.0, 1.0, 0.0, 10.0)(7.0) == 10.0


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.0, 100.0, [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]),
        (-0.13, 0.13, [-0.1, 0.0, 0.1]),
        (0.47, 1.02, [0.6, 0.8, 1.0]),
    ],
)
def test_ticks_are_round_and_inside(low: float, high: float, ticks: list[float]) -> None:
    """Steps of 1, 2, 2.5 or 5 times a power of ten, at least as wide as asked."""
    assert Scale(low, high, 0.0, 1.0).ticks(5) == pytest.approx(ticks)


def test_a_tick_at_zero_has_no_sign() -> None:
    """-0 is no number for readers."""
    assert tick_label(Scale(-1.0, 1.0, 0.0, 1.0).ticks(2)[1]) == "0"


def test_text_and_label_are_escaped() -> None:
    """A cell's name comes from a file."""
    canvas = Canvas(10.0, 10.0, 'a"><script>')
    canvas.text(0.0, 0.0, "<b>&")
    drawn = str(canvas.markup())
    assert "<script>" not in drawn
    assert "<b>" not in drawn
    assert "&lt;b&gt;&amp;" in drawn
