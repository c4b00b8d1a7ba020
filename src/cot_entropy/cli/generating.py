"""The verbs that generate, and `estimate`, which says before what they will take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cot_entropy.cli.app import (
    LOG,
    STORED,
    STORED_PREFIXES,
    Chains,
    FillOption,
    Job,
    Model,
    Out,
    Prefixes,
    Questions,
    app,
    read_engine_job,
    read_job,
)

if TYPE_CHECKING:
    from cot_entropy.formats.ledger import Work
    from cot_entropy.protocol.baseline import SelfConsistencyJob
    from cot_entropy.protocol.engine import EngineSettings
    from cot_entropy.protocol.probe import CompletionsJob


@contextmanager
def _ready(
    engine: EngineSettings, *, model: Path, out: Path, tokens: float, work: Work
) -> Iterator[None]:
    """Hold the stage's devices and note its attempt; what will not do is said before it starts."""
    from cot_entropy.engine.devices import held_devices
    from cot_entropy.estimate.before import shortages_before
    from cot_entropy.formats.attempts import attempt
    from cot_entropy.formats.ledger_writing import noted

    with held_devices(engine), noted(out, work), attempt(out, engine.fill):
        for shortage in shortages_before(engine, model=model, out=out, tokens=tokens):
            LOG.warning("%s: may not do: %s", out, shortage)
        yield


def _work_on(chains: Path, settings: CompletionsJob | SelfConsistencyJob) -> Work:
    """A job on these chains, as the ledger has it."""
    from cot_entropy.formats.ledger import Work
    from cot_entropy.formats.records import read_header

    header = read_header(chains)
    return Work.of(settings, cell=header.cell, seed=header.study_seed)


@app.command("estimate")
def estimate_verb(
    configfile: Annotated[Path, typer.Option(help="The study.")],
    assumptions: Annotated[
        Path | None, typer.Option(help="Your own figures in place of the project's.")
    ] = None,
    *,
    json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Predict requests, tokens, disk, memory and hours.

    After a run the actual ones stand beside. Downloads and starts nothing.

    Example: cot-entropy estimate --configfile config/demo.yaml
    """
    from rich.console import Console

    from cot_entropy.estimate.assumptions import read_assumptions
    from cot_entropy.estimate.predict import estimate
    from cot_entropy.estimate.table import render
    from cot_entropy.study.config import read_configuration

    configuration = read_configuration(configfile)
    results = Path("results") / configuration.study.study
    found = estimate(configuration, read_assumptions(assumptions), results)
    if json:
        typer.echo(found.model_dump_json(indent=1))
    else:
        Console(width=None if Console().is_terminal else 120).print(render(found))


@app.command("model")
def model_verb(job: Job, out: Out) -> None:
    """Prepare a model, and hash what decides its answers.

    Its rule calls it; the example prints that call, with all that it depends on.

    Example: snakemake -Fnp --until model
    """
    from cot_entropy.model.spec import ModelJob
    from cot_entropy.model.stage import prepare_model

    prepare_model(read_job(ModelJob, job), out=out)


@app.command("questions")
def questions_verb(job: Job, out: Out) -> None:
    """Load a dataset, check it, and write its questions.

    Its rule calls it; the example prints that call, with all that it depends on.

    Example: snakemake -Fnp --until questions
    """
    from cot_entropy.data.job import QuestionsJob
    from cot_entropy.data.stage import prepare_questions

    prepare_questions(read_job(QuestionsJob, job), out=out)


@app.command("chains")
def chains_verb(
    job: Job, model: Model, questions: Questions, out: Out, fill: FillOption = None
) -> None:
    """Generate the reference chain of every question.

    Its rule calls it; the example prints that call, with all that it depends on.

    Example: snakemake -Fnp --until chains
    """
    from cot_entropy.estimate.before import chains_tokens
    from cot_entropy.formats.ledger import Work
    from cot_entropy.generate.chains import generate_chains
    from cot_entropy.protocol.chain import ChainsJob

    settings = read_engine_job(ChainsJob, job, fill)
    tokens = chains_tokens(settings, questions)
    work = Work.of(settings, cell=settings.cell, seed=settings.study_seed)
    with _ready(settings.engine, model=model, out=out, tokens=tokens, work=work):
        generate_chains(settings, model=model, questions=questions, out=out)


@app.command("prefixes")
def prefixes_verb(job: Job, chains: Chains, out: Out) -> None:
    """Cut every chain into prefixes on token boundaries.

    Its rule calls it; the example prints that call, with all that it depends on.

    Example: snakemake -Fnp --until prefixes
    """
    from cot_entropy.generate.prefixes import cut_prefixes
    from cot_entropy.protocol.probe import PrefixesJob

    cut_prefixes(read_job(PrefixesJob, job), chains=chains, out=out)


@app.command("completions")
def completions_verb(
    *,
    job: Job,
    model: Model,
    chains: Chains,
    prefixes: Prefixes,
    out: Out,
    fill: FillOption = None,
    stored: Annotated[Path | None, typer.Option(help=STORED)] = None,
    stored_prefixes: Annotated[Path | None, typer.Option(help=STORED_PREFIXES)] = None,
) -> None:
    """Sample m completions at every prefix of every chain.

    Its rule calls it; the example prints that call, with all that it depends on.

    Example: snakemake -Fnp --until completions
    """
    from cot_entropy.estimate.before import completions_tokens
    from cot_entropy.generate.completions import StoredFiles, sample_completions
    from cot_entropy.protocol.probe import CompletionsJob

    files = None
    if stored is not None and stored_prefixes is not None:
        files = StoredFiles(completions=stored, prefixes=stored_prefixes)
    settings = read_engine_job(CompletionsJob, job, fill)
    tokens = completions_tokens(settings, prefixes)
    work = _work_on(chains, settings)
    with _ready(settings.engine, model=model, out=out, tokens=tokens, work=work):
        sample_completions(
            settings,
            model=model,
            chains=chains,
            prefixes=prefixes,
            stored=files,
            out=out,
        )


@app.command("derive")
def derive_verb(
    *,
    job: Job,
    model: Model,
    chains: Chains,
    prefixes: Prefixes,
    stored: Annotated[Path, typer.Option(help=STORED)],
    stored_prefixes: Annotated[Path, typer.Option(help=STORED_PREFIXES)],
    out: Out,
) -> None:
    """Take stored completions of another block; no engine.

    Its rule calls it; the example prints that call, with all that it depends on.

    Example: snakemake variants -Fnp --until derive --config variants='["m_3"]'
    """
    from cot_entropy.formats.attempts import attempt
    from cot_entropy.formats.ledger_writing import noted
    from cot_entropy.generate.completions import StoredFiles, derive_completions
    from cot_entropy.protocol.probe import CompletionsJob

    settings = read_job(CompletionsJob, job)
    with noted(out, _work_on(chains, settings)), attempt(out):
        derive_completions(
            settings,
            model=model,
            chains=chains,
            prefixes=prefixes,
            stored=StoredFiles(completions=stored, prefixes=stored_prefixes),
            out=out,
        )


@app.command("self-consistency")
def self_consistency_verb(
    job: Job, model: Model, chains: Chains, out: Out, fill: FillOption = None
) -> None:
    """Sample further whole chains of each question, to vote.

    Its rule calls it; the example prints that call, with all that it depends on.

    Example: snakemake -Fnp --until self_consistency --configfile config/zhao.yaml
    """
    from cot_entropy.estimate.before import self_consistency_tokens
    from cot_entropy.generate.self_consistency import sample_chains
    from cot_entropy.protocol.baseline import SelfConsistencyJob

    settings = read_engine_job(SelfConsistencyJob, job, fill)
    tokens = self_consistency_tokens(settings, chains)
    work = _work_on(chains, settings)
    with _ready(settings.engine, model=model, out=out, tokens=tokens, work=work):
        sample_chains(settings, model=model, chains=chains, out=out)


@app.command("gather")
def gather_verb(
    shards: Annotated[list[Path], typer.Argument(help="The files of all shards of one cell.")],
    out: Out,
) -> None:
    """Join the shards of a cell to the file of a whole run.

    In question order. Its rule calls it; the example prints that call.

    Example: snakemake -Fnp --until gather_chains --config shards=2
    """
    from cot_entropy.formats.ledger import Work
    from cot_entropy.formats.ledger_writing import note_gathered
    from cot_entropy.formats.records import read_header
    from cot_entropy.generate.shards import gather

    gather(shards, out=out)
    header = read_header(out)
    work = Work(
        cell=header.cell, seed=header.study_seed, code=header.code_digest, settings=None, device=""
    )
    note_gathered(shards, out, work)
