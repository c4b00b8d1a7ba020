"""Numbers and rules in words, the same way in page, figures and terminal."""

from __future__ import annotations

import re
from typing import Final

from cot_entropy.plan.model import Hypothesis
from cot_entropy.stats.read_tables import Row

MINUS: Final = "−"

ESTIMANDS: Final = {
    "accuracy_gap_pp": "accuracy(monotone) - accuracy(non-monotone), percentage points",
    "rho_coherence": "Spearman rho between coherence and correctness",
    "rho_violations": "Spearman rho between violations and correctness",
    "filter_auroc": "AUROC for a wrong answer among monotone chains, mean over folds",
}
"""What each estimand measures."""

UNITS: Final = {
    "accuracy_gap_pp": "points",
    "rho_coherence": "rho",
    "rho_violations": "rho",
    "filter_auroc": "AUROC",
}
"""What stands beside each estimate where there is little room."""

INTERVALS: Final = {
    "percentile": "percentile bootstrap",
    "bca": "BCa bootstrap",
    "newcombe": "Newcombe",
    "agresti_caffo": "Agresti-Caffo",
    "permutation_t": "permutation t",
    "normal_clipped": "clipped normal",
}
"""Names of intervals as readers know them; others are shown as the plan writes them."""

SYMBOLS: Final = {
    "supported": "✓",
    "refuted": "✗",
    "inconclusive": "≈",
    "not assessable": "–",
    "not run": "○",
    "failed": "!",
}

MEANINGS = {
    "supported": "the deciding interval lies wholly where the claim says; the adjusted p agrees",
    "refuted": "the interval lies wholly on the other side, or outside an equivalence range",
    "inconclusive": "neither: these data do not decide",
    "not assessable": "fewer questions, or a rarer group or outcome, than the registered minimum",
    "not run": "no trajectories of this cell in this run",
    "failed": "an earlier stage of this cell failed; the reason says which",
}
"""What each verdict word says."""


def decimals(estimand: str) -> int:
    """Decimals that an estimate is shown with: one for percentage points, three for the rest."""
    return 1 if estimand.endswith("_pp") else 3


def estimate(value: float | None, estimand: str) -> str:
    """An estimate in its own decimals, signed where 0 is its null value."""
    show = plain if estimand == "filter_auroc" else signed
    return show(value, decimals(estimand))


def signed(value: float | None, places: int) -> str:
    """A number with its sign, or a dash where there is none."""
    return "–" if value is None else f"{value:+.{places}f}".replace("-", MINUS)


def plain(value: float | None, places: int) -> str:
    """A number, or a dash where there is none."""
    return "–" if value is None else f"{value:.{places}f}".replace("-", MINUS)


def compact(value: float | None) -> str:
    """A number of unknown scale in four significant digits, or a dash."""
    if value is None:
        return "–"
    text = f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
    return text.replace("-", MINUS)


def p_value(value: float | None) -> str:
    """A p-value; below 0.001 only that."""
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def percent(share: float | None, places: int = 1) -> str:
    """A share as a percentage."""
    return "–" if share is None else f"{100 * share:.{places}f} %"


def interval(row: Row, places: int) -> str:
    """`[low, high]`, or nothing where the row has none."""
    if row.ci_low is None or row.ci_high is None:
        return ""
    return f"[{plain(row.ci_low, places)}, {plain(row.ci_high, places)}]"


def rule_in_words(hypothesis: Hypothesis, alpha: float) -> str:
    """The registered decision rule as one sentence."""
    bounds, levels = hypothesis.bounds, hypothesis.levels
    kind = INTERVALS.get(hypothesis.interval, hypothesis.interval.replace("_", " "))
    support, refute = f"{100 * levels.supported:g} %", f"{100 * levels.refuted:g} %"
    if hypothesis.rule == "within":
        where = f"inside [{compact(bounds.low)}, {compact(bounds.high)}]"
        against = "outside it"
    else:
        threshold = compact(bounds.threshold)
        opposite = "below" if hypothesis.rule == "above" else "above"
        where, against = f"{hypothesis.rule} {threshold}", f"{opposite} {threshold}"
    return (
        f"Supported where the {support} {kind} interval lies wholly {where} and the "
        f"Holm-adjusted p is below {alpha:g}; refuted where the {refute} interval lies wholly "
        f"{against}; otherwise inconclusive."
    )


def slug(text: str) -> str:
    """A name for a file or an anchor: lower-case letters, digits, `-` and `_`."""
    return re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-") or "unnamed"


def count(value: int | None) -> str:
    """A count with thousands separators, or a dash."""
    return "–" if value is None else f"{value:,}"
