"""The verbs that score, judge and show."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from cot_entropy.base.errors import ConfigError
from cot_entropy.base.options import into
from cot_entropy.cli.app import (
    LOG,
    Chains,
    Completions,
    Job,
    Out,
    Prefixes,
    Results,
    app,
    named,
    read_job,
)
from cot_entropy.protocol.names import EQUIVALENCES, EXTRACTIONS, Dataset


@app.command("score")
def score_verb(
    job: Job, chains: Chains, prefixes: Prefixes, completions: Completions, out: Out
) -> None:
    """Turn stored completions into entropy trajectories.

    Its rule calls it; the example prints that call, with all that it depends on.

    Example: snakemake -Fnp --until score
    """
    from cot_entropy.protocol.scoring import ScoreJob
    from cot_entropy.signal.score import score

    score(
        read_job(ScoreJob, job), chains=chains, prefixes=prefixes, completions=completions, out=out
    )


@app.command("sensitivity")
def sensitivity_verb(
    job: Job, chains: Chains, prefixes: Prefixes, completions: Completions, out: Out
) -> None:
    """Score completions by every extraction and equivalence.

    Its rule calls it; the example prints that call, with all that it depends on.

    Example: snakemake -Fnp --until sensitivity
    """
    from cot_entropy.protocol.scoring import SensitivityJob
    from cot_entropy.signal.sensitivity import sensitivity

    sensitivity(
        read_job(SensitivityJob, job),
        chains=chains,
        prefixes=prefixes,
        completions=completions,
        out=out,
    )


@app.command("grade")
def grade_verb(
    dataset: Annotated[Dataset, typer.Option(help="The kind of answer.")],
    extraction: Annotated[str, named("Which answer", EXTRACTIONS)] = "registered",
    equivalence: Annotated[str, named("When two are one", EQUIVALENCES)] = "normalised",
) -> None:
    """Grade JSON lines from stdin.

    {id, completion, gold} in, {id, answer, correct} out, in the same order.

    How many, and which golds nothing can equal, is said on standard error.

    Example: cot-entropy grade --dataset gsm8k < completions.jsonl
    """
    from cot_entropy.answers import grade_lines

    graded = grade_lines(
        sys.stdin.buffer,
        sys.stdout,
        dataset=dataset,
        extraction=extraction,
        equivalence=equivalence,
    )
    LOG.info("%s", graded)


@app.command("analyse")
def analyse_verb(
    trajectories: Annotated[list[Path], typer.Argument(help="One trajectories.parquet per cell.")],
    plan: Annotated[Path, typer.Option(help="The plan.")],
    out: Annotated[
        Path, typer.Option(help="The folder for verdicts.csv and estimates.csv.", callback=into)
    ],
    variants: Annotated[
        Path | None, typer.Option(help="variants.csv: compare its rows with the papers' too.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Cells analysed at a time.")] = 2,
) -> None:
    """Judge every hypothesis from trajectories alone.

    Rows are confirmatory only where provenance and a matching freeze stand in the folder.

    Example: cot-entropy analyse --plan preregistration/plan.yaml --out out mine.parquet
    """
    from cot_entropy.registration.departures import run_standings
    from cot_entropy.stats.analyse import analyse

    standings = run_standings(out, trajectories)
    found = analyse(plan, trajectories, out, standings=standings, variants=variants, jobs=jobs)
    LOG.info("%s: %s", out, found)


@app.command("calibrate")
def calibrate_verb(
    plan: Annotated[Path, typer.Option(help="The plan.")],
    out: Annotated[Path, typer.Option(help="The folder for the tables.", callback=into)],
    effort: Annotated[Literal["full", "quick"], typer.Option(help="How many studies.")] = "full",
    jobs: Annotated[int, typer.Option(min=1, help="Settings simulated at a time.")] = 2,
) -> None:
    """Simulate studies with known truth: coverage, power.

    False support and detectable gaps too. Half an hour on two cores; `--effort quick` a minute. An
    interrupted run goes on where it stopped. A registered plan keeps its full run in the folder
    `calibration` beside it.

    Example: cot-entropy calibrate --plan preregistration/plan.yaml --out calibration --effort quick
    """
    from cot_entropy.stats.calibration.run import calibrate

    calibrate(plan, out, effort=effort, jobs=jobs)


@app.command("baseline")
def baseline_verb(
    *,
    job: Job,
    chains: Chains,
    self_consistency: Annotated[Path, typer.Option(help="The cell's further chains.")],
    trajectories: Annotated[Path, typer.Option(help="The cell's trajectories.")],
    plan: Annotated[Path, typer.Option(help="The plan.")],
    out: Out,
) -> None:
    """Set self-consistency beside the entropy signals.

    Its rule calls it; the example prints that call, with all that it depends on.

    Example: snakemake -Fnp --until baseline --configfile config/zhao.yaml
    """
    from cot_entropy.protocol.baseline import BaselineJob
    from cot_entropy.stats.baseline import compare_baseline

    compare_baseline(
        read_job(BaselineJob, job),
        chains=chains,
        self_consistency=self_consistency,
        trajectories=trajectories,
        plan=plan,
        out=out,
    )


@app.command("variants")
def variants_verb(
    job: Job,
    plan: Annotated[Path, typer.Option(help="The plan.")],
    out: Out,
) -> None:
    """Compare protocol variants on the same questions.

    Its rule calls it; the example prints that call, with all that it depends on.

    Example: snakemake variants -Fnp --until compare_variants --config variants='["m_3"]'
    """
    from cot_entropy.protocol.variants import VariantsJob
    from cot_entropy.stats.variants import compare_variants

    compare_variants(read_job(VariantsJob, job), plan=plan, out=out)


@app.command("report")
def report_verb(
    results: Results,
    plan: Annotated[Path, typer.Option(help="The plan.")],
    out: Out,
) -> None:
    """Write report.html: what was confirmed, and how sure.

    Its rule calls it; the example prints that call, with all that it depends on.

    Example: snakemake -Fnp --until report
    """
    from cot_entropy.report.page import write_report

    write_report(results, plan=plan, out=out)


@app.command("show")
def show_verb(
    results: Results,
    question: Annotated[str | None, typer.Option(help="Show this question's trajectory.")] = None,
    cell: Annotated[str | None, typer.Option(help="This cell alone, model/dataset.")] = None,
    *,
    replication: Annotated[
        bool, typer.Option("--replication", help="Show the measures of replication instead.")
    ] = False,
) -> None:
    """Print verdicts, a trajectory or replication.

    Example: cot-entropy show results/demo --question photos-42a7f151bf32
    """
    from rich.console import Console

    from cot_entropy.report.show import show_question, show_replication, show_verdicts
    from cot_entropy.stats.replication.rows import read_replication

    if replication:
        if question or cell:
            raise ConfigError("--replication is about all cells; leave out --question and --cell")
        Console().print(show_replication(read_replication(results / "replication.csv")))
        return
    show = partial(show_question, question_id=question) if question else show_verdicts
    Console().print(show(results, cell=cell))
    if question is None:
        typer.echo(f"report: {results / 'report.html'}")


PLAN = Path("preregistration/plan.yaml")


@app.command("replication")
def replication_verb(
    *,
    published: Annotated[
        bool, typer.Option("--published", help="Z26 against R26, from published.yaml.")
    ] = False,
    plan: Annotated[Path, typer.Option(help="The plan, published.yaml beside it.")] = PLAN,
) -> None:
    """Print how the published studies replicate each other.

    From printed figures alone, without any run; what these do not tell is said.

    Example: cot-entropy replication --published
    """
    if not published:
        raise ConfigError(
            "nothing to compare: give --published; a run's own: cot-entropy show RESULTS"
            " --replication"
        )
    from rich.console import Console

    from cot_entropy.report.show import show_replication
    from cot_entropy.stats.replication.table import published_table

    Console().print(show_replication(published_table(plan)))


@app.command("power")
def power_verb(
    *,
    original: Annotated[str, typer.Option(help="A study of published.yaml.")] = "z26-full-gsm8k",
    questions: Annotated[
        int | None, typer.Option(min=40, max=3000, help="Questions of a cell.")
    ] = None,
    models: Annotated[int, typer.Option(min=1, max=50, help="Models.")] = 3,
    datasets: Annotated[int, typer.Option(min=1, max=20, help="Datasets.")] = 2,
    accuracy: Annotated[
        float | None, typer.Option(min=0.001, max=0.999, help="Expected accuracy.")
    ] = None,
    flag_rate: Annotated[
        float | None, typer.Option(min=0.001, max=0.999, help="Expected share of monotone chains.")
    ] = None,
    gap: Annotated[
        float | None, typer.Option(min=-100, max=100, help="Gap in points, not the original's.")
    ] = None,
    prior: Annotated[
        Literal["conditional", "predictive", "eb"], typer.Option(help="Design prior.")
    ] = "eb",
    shrinkage: Annotated[
        float, typer.Option(min=0, max=0.99, help="Share taken off the gap; `eb` finds its own.")
    ] = 0.0,
    plan: Annotated[Path, typer.Option(help="The plan, published.yaml beside it.")] = PLAN,
) -> None:
    """Print a planned replication's power and size.

    The chance of each verdict on the gap and of each criterion of replication, and the questions
    needed for 80 and 90 %. What is left out is the original's.

    Example: cot-entropy power --original z26-full-math500 --questions 500
    """
    from rich.console import Console

    from cot_entropy.report.show import show_power
    from cot_entropy.stats.calibration.success import plan_replication

    rows = plan_replication(
        plan,
        original,
        questions=questions,
        models=models,
        datasets=datasets,
        accuracy=accuracy,
        flag_rate=flag_rate,
        gap=gap,
        prior=prior,
        shrinkage=shrinkage,
    )
    Console().print(show_power(rows))
