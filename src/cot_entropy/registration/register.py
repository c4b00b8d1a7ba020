"""PREREGISTRATION.md: the plan as people read it, in the sections of OSF's template.

Rendered from plan.yaml, differences.yaml, the study's configuration and the calibration beside the
plan, with nothing added but the sentences of the template;
`python -m cot_entropy.registration.register` writes it again, and a test fails when it is not
current.
Source: OSF Preregistration template, osf.io/prereg.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from cot_entropy.base.files import write_text
from cot_entropy.model.spec import pinned_revision
from cot_entropy.plan.differences import load_differences
from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Bounds, Hypothesis
from cot_entropy.registration.items import TABLES
from cot_entropy.stats.calibration.decidable import DecidableRow
from cot_entropy.stats.calibration.planning import SuccessRow
from cot_entropy.stats.calibration.records import read_records
from cot_entropy.study.config import read_configuration

CONFIG: Final = Path("config/study.yaml")
TEMPLATE: Final = "preregistration.md.j2"
FILE: Final = "PREREGISTRATION.md"
DECIDABLE: Final = Path("calibration/decidable.csv")
SUCCESS: Final = Path("calibration/success.csv")

UNITS: Final = {
    "accuracy_gap_pp": "accuracy(monotone) - accuracy(not monotone), percentage points",
    "rho_coherence": "Spearman's rho of coherence (H_0 - H_N, nats) and correctness, midranks",
    "rho_violations": "Spearman's rho of the violation count and correctness, midranks",
    "filter_auroc": "mean within-fold AUROC of a logistic regression for `wrong`, monotone chains",
}


def render(config: Path = CONFIG) -> str:
    """The document; raises ConfigError or PlanError where its sources are not valid."""
    configuration = read_configuration(config)
    plan_path = Path(configuration.study.plan)
    study, blocks = configuration.study, configuration.protocols
    names = blocks.protocols[study.protocol]
    environment = Environment(  # noqa: S701 (Markdown: `cell` escapes what a table would break on)
        loader=PackageLoader("cot_entropy.registration"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "cell": cell,
        "decision": decision,
        "share": share,
        "listed": ", ".join,
        "pinned": pinned_revision,
    }
    return environment.get_template(TEMPLATE).render(
        plan=load_plan(plan_path).plan,
        study=study,
        chain=blocks.chain[names.chain],
        probe=blocks.probe[names.probe],
        scoring=blocks.scoring[names.scoring],
        differences=load_differences(plan_path.parent / TABLES[1]),
        units=UNITS,
        decidable=decidable(plan_path.parent / DECIDABLE),
        success=success(plan_path.parent / SUCCESS),
    )


def cell(value: object) -> str:
    """A value as the text of one Markdown table cell."""
    return " ".join(str(value).split()).replace("|", "\\|")


def decidable(path: Path) -> list[DecidableRow]:
    """What the calibration found that the design decides; nothing before the first calibration."""
    return read_records(path, DecidableRow) if path.exists() else []


@dataclass(frozen=True)
class Planned:
    """One original under one design prior: its gap, and a chance for each outcome."""

    study: str
    expectation: str
    rows: tuple[SuccessRow, ...]


def success(path: Path) -> list[Planned]:
    """The planned replications of the registered study; nothing before the first calibration."""
    rows = read_records(path, SuccessRow) if path.exists() else []

    def key(row: SuccessRow) -> tuple[str, str, float]:
        return row.study, row.prior, row.shrinkage

    found = []
    for (study, prior, shrinkage), group in groupby(rows, key=key):
        own = tuple(group)
        taken = f"{own[0].gap_pp:.1f} points"
        how = "by its own evidence (empirical Bayes)" if prior == "eb" else f"by {shrinkage:.0%}"
        found.append(Planned(study, f"gap {taken}, shrunken {how}", own))
    return found


def share(value: float) -> str:
    """A probability with two decimals, rounded towards the middle: 0.997 is not 1."""
    shown = f"{value:.2f}"
    if shown in {"0.00", "1.00"} and 0 < value < 1:
        return "< 0.01" if value < 0.5 else "> 0.99"
    return shown


def decision(hypothesis: Hypothesis) -> str:
    """When a hypothesis is supported, and when it is refuted, in words."""
    supported, refuted = (
        f"{100 * level:g} % {hypothesis.interval} interval"
        for level in (hypothesis.levels.supported, hypothesis.levels.refuted)
    )
    inside, outside = _sides(hypothesis.rule, hypothesis.bounds)
    return f"supported: {supported} wholly {inside}; refuted: {refuted} wholly {outside}"


def _sides(rule: str, bounds: Bounds) -> tuple[str, str]:
    if rule == "within":
        interval = f"[{bounds.low:g}, {bounds.high:g}]"
        return f"inside {interval}", f"outside {interval}"
    above, below = f"above {bounds.threshold:g}", f"below {bounds.threshold:g}"
    return (above, below) if rule == "above" else (below, above)


def write(config: Path = CONFIG) -> Path:
    """Write the document beside the plan; returns its path."""
    path = Path(read_configuration(config).study.plan).parent / FILE
    write_text(path, render(config))
    return path


if __name__ == "__main__":
    write()
