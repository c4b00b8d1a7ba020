"""The application, its options, and the options that verbs share."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from pydantic import TypeAdapter, ValidationError

from cot_entropy import __version__
from cot_entropy.base.errors import ConfigError, DataError
from cot_entropy.base.files import write_text
from cot_entropy.base.printable import printable
from cot_entropy.base.rules import Kind
from cot_entropy.base.stopping import stop_with_parent
from cot_entropy.base.strict import Strict, describe
from cot_entropy.protocol.baseline import SelfConsistencyJob
from cot_entropy.protocol.chain import ChainsJob
from cot_entropy.protocol.engine import Fill
from cot_entropy.protocol.probe import CompletionsJob

LOG = logging.getLogger("cot_entropy")

app = typer.Typer(
    name="cot-entropy",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Job = Annotated[str, typer.Option("--job", help="The job's settings (JSON), as its rule gives it.")]
FillOption = Annotated[
    str | None, typer.Option("--fill", help="How full to make the device (JSON), likewise.")
]
Out = Annotated[Path, typer.Option("--out", help="The file to write.")]
Model = Annotated[Path, typer.Option("--model", help="The model's manifest.")]
Questions = Annotated[Path, typer.Option("--questions", help="The dataset's questions.")]
Chains = Annotated[Path, typer.Option("--chains", help="The cell's reference chains.")]
Prefixes = Annotated[Path, typer.Option("--prefixes", help="Where the chains are cut.")]
Completions = Annotated[Path, typer.Option("--completions", help="The completions per prefix.")]


def one_study(path: Path) -> Path:
    """A study's folder, or a file; raises DataError for the folder that holds studies."""
    from cot_entropy.registration.provenance import FOLDER

    studies = sorted(one.parent for one in path.glob(f"*/{FOLDER}"))
    if studies and not (path / FOLDER).exists():
        raise DataError(f"{path}: holds studies, is none; give one: {', '.join(map(str, studies))}")
    return path


def _is_folder(path: Path) -> Path:
    if not path.is_dir():
        what = "is a file" if path.exists() else "no such folder"
        raise DataError(f"{path}: {what}; give the folder of a study, such as results/demo")
    return one_study(path)


Results = Annotated[Path, typer.Argument(help="The study's folder.", callback=_is_folder)]


def named(what: str, kind: Kind) -> Any:
    """An option that names a rule of a kind."""

    def known(name: str) -> str:
        try:
            return TypeAdapter(Annotated[str, kind]).validate_python(name)
        except ValidationError as error:
            raise typer.BadParameter(describe(error)) from None

    return typer.Option(help=f"{what}: {', '.join(kind.names)}.", callback=known)


STORED = "Completions of another probe block to take samples from."
STORED_PREFIXES = "The prefixes of those completions."


class PrintableFormatter(logging.Formatter):
    """Messages of this package on one line each, whatever text of others they quote."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (the library's name)
        """The message, escaped; other libraries' as they are."""
        message = super().formatMessage(record)
        return printable(message) if record.name.startswith("cot_entropy") else message


def _version(show: bool) -> None:
    if show:
        typer.echo(f"cot-entropy {__version__}")
        raise typer.Exit


@app.callback()
def options(
    *,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
    log: Annotated[
        Path | None,
        typer.Option("--log", help="As a rule's job: write messages here too, end with Snakemake."),
    ] = None,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """Chain-of-thought entropy signals: generate, score, analyse, report, audit.

    Exit codes: 0 done; 1 `audit` found differences; 2 bad input, named in one line; 3 the engine
    was lost; 4 a file cannot be written: the disk is full or read-only; 5 the machine or this
    program failed; 130 and 143 stopped. After 3, 4, 5, 130 and 143 the same command goes on where
    it was.

    Example: cot-entropy show results/demo
    """
    handlers: list[logging.Handler] = [logging.StreamHandler()]
    if log:
        stop_with_parent()
        write_text(log, "")
        # vLLM reconfigures logging, which closes the file; mode "a" opens it again, "w" does not
        handlers.append(logging.FileHandler(log, mode="a", encoding="utf-8"))
    for handler in handlers:
        handler.setFormatter(PrintableFormatter())
    logging.basicConfig(handlers=handlers)
    logging.getLogger("cot_entropy").setLevel(logging.DEBUG if debug else logging.INFO)


J = TypeVar("J", bound=Strict)


def read_job(kind: type[J], text: str, *, option: str = "--job") -> J:
    """The settings of a job; raises ConfigError naming the key."""
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise ConfigError(f"{option}: {describe(error)}") from None


E = TypeVar("E", ChainsJob, CompletionsJob, SelfConsistencyJob)


def read_engine_job(kind: type[E], text: str, fill: str | None) -> E:
    """The settings of a job that generates, with the device filled as `fill` says."""
    job = read_job(kind, text)
    if fill is None:
        return job
    engine = job.engine.filled(read_job(Fill, fill, option="--fill"))
    return job.model_copy(update={"engine": engine})
