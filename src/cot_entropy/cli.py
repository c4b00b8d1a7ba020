"""The command line: parse, call, print. One verb per arrow of the line the data takes.

Exit codes: 0 done; 1 the system failed (disk, memory) or `audit` found differences; 2 bad input,
named in one line; 130 and 143 stopped by Ctrl-C or SIGTERM, to be resumed by the same command.
"""

from __future__ import annotations

import io
import logging
import sys
from pathlib import Path
from typing import Annotated, Literal, NoReturn, TypeVar

import typer
from pydantic import ValidationError

from cot_entropy import __version__
from cot_entropy.errors import ConfigError, UserError
from cot_entropy.files import write_text
from cot_entropy.protocol.names import Dataset, Equivalence, ExtractionRule
from cot_entropy.strict import Strict, describe

app = typer.Typer(
    name="cot-entropy",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Job = Annotated[str, typer.Option("--job", help="The job's settings (JSON), as its rule gives it.")]
Out = Annotated[Path, typer.Option("--out", help="The file to write.")]
Model = Annotated[Path, typer.Option("--model", help="The model's manifest.")]
Questions = Annotated[Path, typer.Option("--questions", help="The dataset's questions.")]
Chains = Annotated[Path, typer.Option("--chains", help="The cell's reference chains.")]
Prefixes = Annotated[Path, typer.Option("--prefixes", help="Where the chains are cut.")]
Completions = Annotated[Path, typer.Option("--completions", help="The completions per prefix.")]
STORED = "Completions of another probe block to take samples from."
STORED_PREFIXES = "The prefixes of those completions."


def _version(show: bool) -> None:
    if show:
        typer.echo(f"cot-entropy {__version__}")
        raise typer.Exit


@app.callback()
def options(
    *,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
    log: Annotated[Path | None, typer.Option("--log", help="Write messages here too.")] = None,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """Chain-of-thought entropy signals: generate, score, analyse, report, audit."""
    handlers: list[logging.Handler] = [logging.StreamHandler()]
    if log:
        write_text(log, "")
        # vLLM reconfigures logging, which closes the file; mode "a" opens it again, "w" does not
        handlers.append(logging.FileHandler(log, mode="a", encoding="utf-8"))
    logging.basicConfig(format="%(message)s", handlers=handlers)
    logging.getLogger("cot_entropy").setLevel(logging.DEBUG if debug else logging.INFO)


@app.command("model")
def model_verb(job: Job, out: Out) -> None:
    """Prepare a model: fetch or build its folder, hash what decides its answers."""
    from cot_entropy.model.spec import ModelJob
    from cot_entropy.model.stage import prepare_model

    prepare_model(_job(ModelJob, job), out=out)


@app.command("questions")
def questions_verb(job: Job, out: Out) -> None:
    """Load a dataset, check it, and write its questions."""
    from cot_entropy.data.spec import QuestionsJob
    from cot_entropy.data.stage import prepare_questions

    prepare_questions(_job(QuestionsJob, job), out=out)


@app.command("chains")
def chains_verb(job: Job, model: Model, questions: Questions, out: Out) -> None:
    """Generate the reference chain of every question of a cell."""
    from cot_entropy.chains import generate_chains
    from cot_entropy.prereg.attempts import attempt
    from cot_entropy.protocol.chain import ChainsJob

    with attempt(out):
        generate_chains(_job(ChainsJob, job), model=model, questions=questions, out=out)


@app.command("prefixes")
def prefixes_verb(job: Job, chains: Chains, out: Out) -> None:
    """Cut every chain into prefixes on token boundaries."""
    from cot_entropy.prefixes import cut_prefixes
    from cot_entropy.protocol.probe import PrefixesJob

    cut_prefixes(_job(PrefixesJob, job), chains=chains, out=out)


@app.command("completions")
def completions_verb(
    *,
    job: Job,
    model: Model,
    chains: Chains,
    prefixes: Prefixes,
    out: Out,
    stored: Annotated[Path | None, typer.Option(help=STORED)] = None,
    stored_prefixes: Annotated[Path | None, typer.Option(help=STORED_PREFIXES)] = None,
) -> None:
    """Sample m completions at every prefix of every chain."""
    from cot_entropy.completions import StoredFiles, sample_completions
    from cot_entropy.prereg.attempts import attempt
    from cot_entropy.protocol.probe import CompletionsJob

    files = None
    if stored is not None and stored_prefixes is not None:
        files = StoredFiles(completions=stored, prefixes=stored_prefixes)
    with attempt(out):
        sample_completions(
            _job(CompletionsJob, job),
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
    """Take all completions from those of another probe block; starts no engine."""
    from cot_entropy.completions import StoredFiles, derive_completions
    from cot_entropy.prereg.attempts import attempt
    from cot_entropy.protocol.probe import CompletionsJob

    with attempt(out):
        derive_completions(
            _job(CompletionsJob, job),
            model=model,
            chains=chains,
            prefixes=prefixes,
            stored=StoredFiles(completions=stored, prefixes=stored_prefixes),
            out=out,
        )


@app.command("score")
def score_verb(
    job: Job, chains: Chains, prefixes: Prefixes, completions: Completions, out: Out
) -> None:
    """Turn stored completions into entropy trajectories."""
    from cot_entropy.protocol.scoring import ScoreJob
    from cot_entropy.signal.score import score

    score(_job(ScoreJob, job), chains=chains, prefixes=prefixes, completions=completions, out=out)


@app.command("sensitivity")
def sensitivity_verb(
    job: Job, chains: Chains, prefixes: Prefixes, completions: Completions, out: Out
) -> None:
    """Score stored completions under every extraction rule and equivalence."""
    from cot_entropy.protocol.scoring import SensitivityJob
    from cot_entropy.signal.sensitivity import sensitivity

    sensitivity(
        _job(SensitivityJob, job),
        chains=chains,
        prefixes=prefixes,
        completions=completions,
        out=out,
    )


@app.command("grade")
def grade_verb(
    dataset: Annotated[Dataset, typer.Option(help="The kind of answer.")],
    extraction: Annotated[ExtractionRule, typer.Option()] = "registered",
    equivalence: Annotated[Equivalence, typer.Option()] = "normalised",
) -> None:
    """Grade JSON lines {id, completion, gold} from stdin; {id, answer, correct} to stdout.

    Example: cot-entropy grade --dataset gsm8k < completions.jsonl
    """
    from cot_entropy.answers import grade_lines

    lines = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="surrogateescape")
    grade_lines(lines, sys.stdout, dataset=dataset, extraction=extraction, equivalence=equivalence)


@app.command("analyse")
def analyse_verb(
    trajectories: Annotated[list[Path], typer.Argument(help="One trajectories.parquet per cell.")],
    plan: Annotated[Path, typer.Option(help="The plan.")],
    out: Annotated[Path, typer.Option(help="The folder for verdicts.csv and estimates.csv.")],
    jobs: Annotated[int, typer.Option(min=1, help="Cells analysed at a time.")] = 2,
) -> None:
    """Judge every hypothesis of the plan from trajectories alone.

    Rows are confirmatory only where provenance and a matching freeze stand in the folder.

    Example: cot-entropy analyse --plan preregistration/plan.yaml --out out */trajectories.parquet
    """
    from cot_entropy.prereg.check import run_standings
    from cot_entropy.stats.analyse import analyse

    standings = run_standings(out, trajectories)
    analyse(plan, trajectories, out, standings=standings, jobs=jobs)


@app.command("calibrate")
def calibrate_verb(
    plan: Annotated[Path, typer.Option(help="The plan.")],
    out: Annotated[Path, typer.Option(help="The folder for the four tables.")],
    effort: Annotated[Literal["full", "quick"], typer.Option()] = "full",
    jobs: Annotated[int, typer.Option(min=1, help="Settings simulated at a time.")] = 2,
) -> None:
    """Simulate studies with known truth: coverage, false support, power, detectable gaps.

    Half an hour on two cores; `--effort quick` a minute.
    """
    from cot_entropy.stats.calibration.run import calibrate

    calibrate(plan, out, effort=effort, jobs=jobs)


@app.command("self-consistency")
def self_consistency_verb(job: Job, model: Model, chains: Chains, out: Out) -> None:
    """Sample further whole chains of every question, for a vote."""
    from cot_entropy.prereg.attempts import attempt
    from cot_entropy.protocol.baseline import SelfConsistencyJob
    from cot_entropy.self_consistency import sample_chains

    with attempt(out):
        sample_chains(_job(SelfConsistencyJob, job), model=model, chains=chains, out=out)


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
    """Set self-consistency beside the entropy signals: accuracy, coverage and tokens."""
    from cot_entropy.protocol.baseline import BaselineJob
    from cot_entropy.stats.baseline import compare_baseline

    compare_baseline(
        _job(BaselineJob, job),
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
    """Compare protocol variants with the study's own protocol on the same questions."""
    from cot_entropy.protocol.variants import VariantsJob
    from cot_entropy.stats.variants import compare_variants

    compare_variants(_job(VariantsJob, job), plan=plan, out=out)


@app.command("report")
def report_verb(
    results: Annotated[Path, typer.Argument(help="The study's folder.")],
    plan: Annotated[Path, typer.Option(help="The plan.")],
    out: Out,
) -> None:
    """Write the page that shows what was confirmed, how sure, and what deviated."""
    from cot_entropy.report.page import write_report

    write_report(results, plan=plan, out=out)


@app.command("record-run")
def record_run_verb(job: Job, out: Out) -> None:
    """Record what a run was told and which registered items it found."""
    from cot_entropy.prereg.provenance import RunJob, record_run

    record_run(_job(RunJob, job), out=out)


@app.command("record-cell")
def record_cell_verb(
    cell: Annotated[str, typer.Argument(help="model/dataset")],
    results: Annotated[Path, typer.Option(help="The study's folder.")],
    out: Out,
) -> None:
    """Record the headers and hashes of the files that a cell's rows rest on."""
    from cot_entropy.prereg.provenance import record_cell

    record_cell(cell, results=results, out=out)


@app.command("seal")
def seal_verb(
    results: Annotated[Path, typer.Argument(help="The study's folder.")], out: Out
) -> None:
    """Write the manifest over every file of the results."""
    from cot_entropy.prereg.provenance import seal

    seal(results, out=out)


@app.command("show")
def show_verb(
    results: Annotated[Path, typer.Argument(help="The study's folder.")],
    question: Annotated[str | None, typer.Option(help="Show this question's trajectory.")] = None,
    cell: Annotated[str | None, typer.Option(help="The question's cell, model/dataset.")] = None,
) -> None:
    """Print the verdict matrix, or one question's trajectory.

    Example: cot-entropy show results/demo --question wordproblems-1
    """
    from rich.console import Console

    from cot_entropy.report.show import show_question, show_verdicts

    if cell is not None and not question:
        raise ConfigError("--cell names the cell of a question: give --question ID too")
    shown = show_question(results, question, cell=cell) if question else show_verdicts(results)
    Console().print(shown)
    if question is None:
        typer.echo(f"report: {results / 'report.html'}")


@app.command("audit")
def audit_verb(
    results: Annotated[Path, typer.Argument(help="A study's folder, or an archive of one.")],
    *,
    freeze: Annotated[Path | None, typer.Option(help="Your own copy of freeze.json.")] = None,
    against: Annotated[
        Path | None, typer.Option(help="Compare with another run instead, row by row.")
    ] = None,
    regenerate: Annotated[
        int, typer.Option(min=0, help="Generate so many drawn questions again.")
    ] = 0,
    draw: Annotated[int | None, typer.Option(help="Seed of that draw; random without.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Cells analysed at a time.")] = 2,
    json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Recompute every hash and every number of a run, and compare it with its registration.

    Exit code 0: nothing differs, or each difference is declared; 1: differences; 2: no audit.

    Example: cot-entropy audit results/demo --regenerate 5
    """
    from cot_entropy.prereg.audit import audit
    from cot_entropy.prereg.compare import compare

    found = (
        compare(results, against)
        if against
        else audit(results, freeze=freeze, jobs=jobs, regenerate=regenerate, draw=draw)
    )
    typer.echo(found.model_dump_json(indent=2) if json else "\n".join(found.lines()))
    raise typer.Exit(found.exit_code)


@app.command("archive")
def archive_verb(
    results: Annotated[Path, typer.Argument(help="The study's folder.")],
    out: Annotated[Path, typer.Argument(help="The zip file to write.")],
) -> None:
    """Pack a run as an RO-Crate that `audit` accepts on another machine, without GPU or model."""
    from cot_entropy.prereg.archive import archive

    archive(results, out)


@app.command("freeze")
def freeze_verb(
    configfile: Annotated[Path, typer.Option(help="The registered study.")] = Path(
        "config/study.yaml"
    ),
    reason: Annotated[str | None, typer.Option(help="Why an earlier freeze is replaced.")] = None,
) -> None:
    """Freeze plan, config, datasets, locks and code into preregistration/freeze.json.

    Refuses a dirty tree, and an earlier freeze without a reason.
    """
    from cot_entropy.prereg.freeze import freeze

    typer.echo(freeze(configfile, reason=reason).items_sha256)


@app.command("anchor")
def anchor_verb(
    kind: Annotated[
        Literal["osf_doi", "signed_tag", "rfc3161"],
        typer.Argument(help="Where the freeze's hash is kept."),
    ],
    value: Annotated[str, typer.Argument(help="The DOI, the tag's name, or the timestamp.")],
    freeze: Annotated[Path, typer.Option(help="The freeze.")] = Path("preregistration/freeze.json"),
) -> None:
    """Record in the freeze where its hash stands outside this repository; changes no item."""
    from cot_entropy.prereg.freeze import anchor

    anchor(freeze, kind=kind, value=value)


@app.command(
    "consistency",
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "help_option_names": [],
    },
)
def consistency_verb(context: typer.Context) -> None:
    """Scan transcripts: does the stated reasoning lead to the stated answer? (extra)."""
    try:
        from cot_entropy.consistency.cli import app as consistency
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"{error.name} is not installed; the scan needs: pip install 'cot-entropy[consistency]'"
        ) from None
    consistency(args=context.args, prog_name="cot-entropy consistency")


def main() -> NoReturn:
    """Run the command; a user's error is one line and an exit code, never a traceback."""
    debug = "--debug" in sys.argv[1:]
    try:
        app()
        sys.exit(0)
    except (UserError, OSError) as error:
        if debug:
            raise
        logging.getLogger("cot_entropy").error("error: %s", _one_line(error))  # noqa: TRY400
        sys.exit(error.exit_code if isinstance(error, UserError) else 1)


def _one_line(error: UserError | OSError) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())


J = TypeVar("J", bound=Strict)


def _job(kind: type[J], text: str) -> J:
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise ConfigError(f"--job: {describe(error)}") from None
