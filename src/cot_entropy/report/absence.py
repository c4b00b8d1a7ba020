"""Why a registered cell has no number: said in words, from the plan and the run's own record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cot_entropy.plan.model import Hypothesis
from cot_entropy.report.inputs import ReportInputs


def why_not_run(inputs: ReportInputs, hypothesis: Hypothesis) -> str:
    """One sentence per reason; empty where every registered cell of the hypothesis was run.

    `Not run: qwen2.5-7b/math500. The study has no dataset math500.`
    """
    registered = inputs.plan.plan.cells_of(hypothesis)
    missing = [cell for cell in registered if cell not in inputs.cells]
    if not missing:
        return ""
    whole = len(missing) == len(registered)
    scope = "Not run in any registered cell" if whole else "Registered and not run"
    return " ".join((f"{scope}: {', '.join(missing)}.", *_reasons(inputs, missing)))


def _reasons(inputs: ReportInputs, missing: Sequence[str]) -> Iterator[str]:
    """What the study's configuration lacks, or that only the trajectories are not there."""
    if inputs.registration.run is None:
        yield "No trajectories were given for them."
        return
    study = inputs.registration.run.configuration.study
    parts = [cell.split("/") for cell in missing]
    models = [name for name in dict.fromkeys(one[0] for one in parts) if name not in study.models]
    datasets = [
        name for name in dict.fromkeys(one[1] for one in parts) if name not in study.datasets
    ]
    lacking = [
        *(f"no model {name}" for name in models),
        *(f"no dataset {name}" for name in datasets),
    ]
    if lacking:
        last = f" and {lacking[-1]}" if len(lacking) > 1 else lacking[-1]
        yield f"This study has {', '.join(lacking[:-1])}{last}."
    waiting = [cell for cell in missing if cell in study.cells]
    if waiting:
        which = "" if len(waiting) == len(missing) else f" of {', '.join(waiting)}"
        yield f"The study names them, and this run has no trajectories{which}."
