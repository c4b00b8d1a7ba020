"""Why a registered cell has no number."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.report.reported_runs import Reported
from tests.report.synthetic_run import ROOT

from cot_entropy.plan.model import Hypothesis
from cot_entropy.registration.provenance import RunRecord
from cot_entropy.report.absence import why_not_run
from cot_entropy.report.inputs import ReportInputs, read_inputs
from cot_entropy.study.config import Configuration, configuration, read_configuration

DISTILLED = "r1-distill-qwen-7b"


def inputs_of(run: Reported, settings: Configuration | None = None) -> ReportInputs:
    """The run, as if its record named this configuration."""
    found = read_inputs(
        run.results, plan=run.plan, differences=run.plan.with_name("differences.yaml")
    )
    if settings is None:
        return found
    record = RunRecord.model_construct(configuration=settings)
    return replace(found, registration=replace(found.registration, run=record))


def hypothesis(inputs: ReportInputs, name: str) -> Hypothesis:
    return next(one for one in inputs.plan.plan.hypotheses if one.id == name)


def study(**changes: object) -> Configuration:
    """The registered study with other values."""
    values = read_configuration(ROOT / "config/study.yaml").study.model_dump(mode="json")
    return configuration({**values, **changes}, source="test")


def test_a_study_without_the_distilled_model_says_so(registered: Reported) -> None:
    """H4 is about one model on two datasets; this study has neither of its cells."""
    models = study().study.model_dump(mode="json")["models"]
    del models[DISTILLED]
    inputs = inputs_of(registered, study(models=models))
    assert why_not_run(inputs, hypothesis(inputs, "H4a")) == (
        f"Not run in any registered cell: {DISTILLED}/gsm8k, {DISTILLED}/math500. "
        f"This study has no model {DISTILLED}."
    )


def test_a_study_with_one_dataset_names_the_other(registered: Reported) -> None:
    """Half of a hypothesis is run, and the other half is not passed over."""
    datasets = study().study.model_dump(mode="json")["datasets"]
    del datasets["math500"]
    inputs = inputs_of(registered, study(datasets=datasets))
    cells = dict.fromkeys([f"{DISTILLED}/gsm8k"], inputs.cells["qwen2.5-7b/gsm8k"])
    found = why_not_run(replace(inputs, cells=cells), hypothesis(inputs, "H4b"))
    assert found == (
        f"Registered and not run: {DISTILLED}/math500. This study has no dataset math500."
    )


def test_a_cell_that_the_study_names_waits_for_its_trajectories(registered: Reported) -> None:
    """Nothing is wrong with the configuration: the cell was not run yet."""
    inputs = inputs_of(registered, study())
    assert why_not_run(inputs, hypothesis(inputs, "H4a")).endswith(
        "The study names them, and this run has no trajectories."
    )


def test_without_a_record_only_the_absence_is_said(registered: Reported) -> None:
    """An analysis of trajectories alone has no configuration to blame."""
    inputs = inputs_of(registered)
    assert why_not_run(inputs, hypothesis(inputs, "H4a")).endswith(
        "No trajectories were given for them."
    )


@pytest.mark.parametrize("place", ["matrix", "section"])
def test_the_page_says_it_in_matrix_and_section(registered: Reported, place: str) -> None:
    """No hypothesis of the plan is left out of the matrix."""
    start = '<section id="verdicts"' if place == "matrix" else '<section id="h4a"'
    part = registered.html[registered.html.index(start) :]
    part = part[: part.index("</section>")]
    assert f"Not run in any registered cell: {DISTILLED}/gsm8k" in part
