"""Planned replications of published gaps: the registered study's, or one that a reader plans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from cot_entropy.base.errors import ConfigError, PlanError
from cot_entropy.plan.entries.replication import Replication, ReplicationParams
from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Hypothesis, Plan
from cot_entropy.stats.calibration.planning import (
    LARGEST,
    PlannedStudy,
    SuccessRow,
    success_rows,
)
from cot_entropy.stats.published.counts import fitting_tables
from cot_entropy.stats.published.model import Study, load_published
from cot_entropy.stats.replication.effects import Effect
from cot_entropy.stats.replication.power import Prior
from cot_entropy.stats.replication.published_effects import design_of, published_effects

EXPECTED: Final[tuple[tuple[Prior, float], ...]] = (("eb", 0.0), ("conditional", 0.5))
"""Design priors of the registered study: shrunken by the original's evidence, and by half. Ours."""


def plan_replication(
    plan_path: Path,
    study: str,
    *,
    questions: int | None = None,
    models: int = 3,
    datasets: int = 2,
    accuracy: float | None = None,
    flag_rate: float | None = None,
    gap: float | None = None,
    prior: Prior = "eb",
    shrinkage: float = 0.0,
) -> list[SuccessRow]:
    """The outcomes of a planned replication of one published gap.

    What is left out is the original's: its questions, accuracy, flag rate and gap. Raises
    ConfigError naming the option to give or to change.
    """
    plan = load_plan(plan_path).plan
    studies = load_published(plan_path.with_name("published.yaml")).studies
    one, original = _original(studies, study)
    if gap is not None:
        original = Effect(estimate=gap, error=original.error)
    accuracy, flag_rate = _shares(one, accuracy, flag_rate)
    planned = PlannedStudy(
        questions=questions or one.n,
        accuracy=accuracy,
        flag_rate=flag_rate,
        cells=models * datasets,
    )
    hypothesis, params = _registered(plan)
    try:
        return list(
            success_rows(
                study, original, planned,
                plan=plan, hypothesis=hypothesis, params=params, prior=prior, shrinkage=shrinkage,
            )
        )  # fmt: skip
    except ValueError as error:
        raise ConfigError(f"no such study: {error}") from None


def registered_success(plan_path: Path) -> Iterator[SuccessRow]:
    """The registered study of each matched original, under each expected design prior."""
    plan = load_plan(plan_path).plan
    published = plan_path.with_name("published.yaml")
    entries = [one for one in plan.exploratory if isinstance(one, Replication)]
    if not entries or not published.is_file():
        return
    hypothesis, params = _registered(plan)
    cells = plan.cells_of(hypothesis)
    for study in load_published(published).studies:
        tables = fitting_tables(study)
        if design_of(study) != "matched" or study.cell not in cells or not tables:
            continue
        _, original = _original([study], study.id)
        accuracy, flag_rate = _shares(study, None, None)
        planned = PlannedStudy(
            questions=study.n, accuracy=accuracy, flag_rate=flag_rate, cells=len(cells)
        )
        for prior, shrinkage in EXPECTED:
            yield from success_rows(
                study.id, original, planned,
                plan=plan, hypothesis=hypothesis, params=params, prior=prior, shrinkage=shrinkage,
            )  # fmt: skip


def _registered(plan: Plan) -> tuple[Hypothesis, ReplicationParams]:
    gaps = [one for one in plan.hypotheses if one.estimand == "accuracy_gap_pp"]
    entries = [one for one in plan.exploratory if isinstance(one, Replication)]
    if not gaps or not entries:
        raise PlanError("the plan has no hypothesis on the gap, or no entry `replication`")
    return gaps[0], entries[0].params


def _original(studies: Sequence[Study], wanted: str) -> tuple[Study, Effect]:
    found = {
        one.study: one.effect
        for one in published_effects(studies)
        if one.scale == "accuracy_gap_pp" and one.effect is not None
    }
    effect = found.get(wanted)
    if effect is None:
        raise ConfigError(f"--original: `{wanted}` is no study with a gap: {', '.join(found)}")
    return next(study for study in studies if study.id == wanted), effect


def _shares(study: Study, accuracy: float | None, flag_rate: float | None) -> tuple[float, float]:
    """Accuracy and flag rate, those of the study's own counts where left out."""
    tables = fitting_tables(study)
    if (accuracy is None or flag_rate is None) and not tables:
        raise ConfigError(f"{study.id} prints no counts: give --accuracy and --flag-rate")
    if tables:
        n = tables[0].right + tables[0].wrong
        accuracy = tables[0].right / n if accuracy is None else accuracy
        flag_rate = tables[0].monotone / n if flag_rate is None else flag_rate
    if accuracy is None or flag_rate is None:
        raise ConfigError(f"{study.id}: give --accuracy and --flag-rate")
    return accuracy, flag_rate


def size_text(size: int | None) -> str:
    """Questions needed, or that no size searched reaches the chance."""
    return "–" if size is None else f"{size:,}"


NOTE: Final = f"–: more questions do not help, or {LARGEST:,} are too few"
