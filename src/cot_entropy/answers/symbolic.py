r"""Equality of expressions: math-verify reads the LaTeX, evaluation decides. No clocks.

math-verify's own timeouts (SIGALRM, main thread only) stay off; `limits` keeps from it what could
take long. Its comparison rounds to six decimals and chops small differences to zero, so it is not
transitive and calls `1/2^98` and `1/2^99` equal; `evaluate` compares instead.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from functools import cache, lru_cache
from threading import RLock
from typing import Any, Final, Literal

from cot_entropy.answers import evaluate
from cot_entropy.answers.limits import within_limits

CACHE: Final = 1 << 12
_POINTS: Final = 4

_COMMAND: Final = re.compile(r"\\[A-Za-z]+")
_DIGIT_GROUP: Final = re.compile(r"(?<=[0-9])\s*(?=\()")
_MISREAD: Final = re.compile(
    r"['<>=]|[0-9]\s+[0-9]|[0-9]\s*_|\.[0-9]*\."
    r"|\\(?:le|ge|lt|gt|ne|pm|mp|in|to|approx|sim|equiv|[lc]?dots|text|pmod|bmod)(?![A-Za-z])"
)
"""What math-verify reads as something else: `2 3` as 5, `5_3` as 5, `3\\ldots` as 3."""

_lock: Final = RLock()

logging.getLogger("math_verify").setLevel(logging.ERROR)


def equal(left: str, right: str) -> bool | None:
    """Whether two LaTeX expressions are equal; None where that cannot be decided."""
    first, second = expression(left), expression(right)
    if first is None or second is None:
        return None
    if _differ_in_case(left, right):
        return False
    with _lock:
        return _equal(first, second)


def proportional(left: str, right: str, *, factor: Literal["positive", "any"]) -> bool | None:
    """Whether `left` is `right` times a constant other than zero, of the named sign."""
    first, second = expression(left), expression(right)
    if first is None or second is None:
        return None
    if _differ_in_case(left, right):
        return False
    with _lock:
        return _proportional(first, second, positive=factor == "positive")


@lru_cache(maxsize=CACHE)
def expression(latex: str) -> Any | None:
    """The sympy expression that math-verify reads, or None: over the limits, or not readable.

    Digits before a bracket multiply it: math-verify reads `2(3)` as the mixed number 2 + 3.
    """
    if not within_limits(latex) or _MISREAD.search(latex):
        return None
    with _lock:
        return _parser()("$" + _DIGIT_GROUP.sub(r" \\cdot ", latex) + "$")


@cache
def _parser() -> Callable[[str], Any]:
    """math-verify's `parse`, imported when the first expression needs it: it takes a second.

    Units stay: math-verify takes the `d` of `5d` for one, and `reading` has split them off.
    """
    from latex2sympy2_extended import NormalizationConfig  # noqa: PLC0415
    from math_verify import LatexExtractionConfig, parse  # noqa: PLC0415
    from sympy import Expr  # noqa: PLC0415

    config = LatexExtractionConfig(
        boxed_match_priority=-1,
        normalization_config=NormalizationConfig(
            basic_latex=True, units=False, malformed_operators=True, nits=False, boxed="none"
        ),
    )

    def read(latex: str) -> Any:
        found = parse(
            latex, extraction_config=[config], fallback_mode="no_fallback", parsing_timeout=None
        )
        return found[0] if found and isinstance(found[0], Expr) else None

    return read


def _equal(first: Any, second: Any) -> bool | None:
    seen = False
    for point in range(_POINTS):
        try:
            if not evaluate.close(evaluate.value(first, point), evaluate.value(second, point)):
                return False
        except evaluate.NoValueError:
            continue
        seen = True
    return True if seen else None


def _proportional(first: Any, second: Any, *, positive: bool) -> bool | None:
    ratios: list[evaluate.Value] = []
    for point in range(_POINTS):
        try:
            left, right = evaluate.value(first, point), evaluate.value(second, point)
            ratios.append(evaluate.ratio(left, right))
        except evaluate.NoValueError:
            continue
        if not evaluate.close(ratios[0], ratios[-1]):
            return False
    if not ratios:
        return None
    return ratios[0] != 0 and (not positive or evaluate.is_positive(ratios[0]))


def _differ_in_case(left: str, right: str) -> bool:
    """math-verify lower-cases variables; `A` and `a` are two."""
    first, second = (set(filter(str.isalpha, _COMMAND.sub("", text))) for text in (left, right))
    return first != second and {c.lower() for c in first} == {c.lower() for c in second}
