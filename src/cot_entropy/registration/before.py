"""The rows that a study will be able to confirm, said before its first GPU hour; and its seed."""

from __future__ import annotations

from pathlib import Path

from cot_entropy.base.errors import ConfigError
from cot_entropy.registration.anchors.check import study_seed
from cot_entropy.registration.departures import read_registration, run_departures
from cot_entropy.registration.freeze import FILE
from cot_entropy.registration.provenance import run_items, run_job
from cot_entropy.study.config import Configuration, Study


def seed_of(study: Study) -> int:
    """The seed of a study: its number, or what its anchor gives.

    Raises ConfigError where it is anchored and no authority has signed the freeze yet.
    """
    if study.seed != "anchored":
        return study.seed
    path = Path(study.plan).parent / FILE
    seed = study_seed(path)
    if seed is None:
        raise ConfigError(
            f"seed: anchored, and nothing dates {path}: first cot-entropy freeze, then "
            f"cot-entropy anchor rfc3161 --tsa URL --freeze {path} (or anchor osf)"
        )
    return seed


def outlook(configuration: Configuration) -> str | None:
    """One line that says why rows of this study will be exploratory; None where none will be."""
    plan = Path(configuration.study.plan)
    path = plan.parent / FILE
    if not path.is_file():
        return (
            f"nothing will be confirmatory: {path} is not there (to register this study first: "
            "docs/howto/run-the-study.md)"
        )
    registration = read_registration(plan.parent)
    items = run_items(configuration, plan, Path()) | run_job(configuration).code
    departing = [
        one.item
        for one in run_departures(registration.items or {}, items, registration)
        if one.deviation is None
    ]
    if not departing:
        return None
    more = f" and {len(departing) - 3} more" if len(departing) > 3 else ""
    return (
        f"rows will be exploratory: not as frozen in {path}: {', '.join(departing[:3])}{more}; "
        "what is declared in deviations.yaml is not"
    )
