"""The data behind a figure, as CSV."""

import pytest

from cot_entropy.report.figure import csv_text


def test_a_float_reads_back_as_the_same_number() -> None:
    """Shortest text that is exact."""
    assert csv_text(("x",), [[0.1 + 0.2]]) == "x\n0.30000000000000004\n"


def test_minus_zero_is_zero() -> None:
    """No file holds -0.0."""
    assert csv_text(("x",), [[-0.0]]) == "x\n0.0\n"


def test_undefined_is_empty() -> None:
    """Never `None` or `nan`."""
    assert csv_text(("x", "y"), [[None, True]]) == "x,y\n,true\n"


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_nan_and_infinity_are_refused(value: float) -> None:
    """A figure leaves undefined values out before."""
    with pytest.raises(ValueError, match="NaN or infinity"):
        csv_text(("x",), [[value]])
