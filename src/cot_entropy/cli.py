"""The command line: parse, call, print. One verb per arrow of the line the data takes.

Exit codes: 0 done; 1 the system failed (disk, memory) or `audit` found differences; 2 bad input,
named in one line; 130 and 143 stopped by Ctrl-C or SIGTERM, to be resumed by the same command.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import click
import typer
from pydantic import ValidationError

from cot_entropy import __version__
from cot_entropy.answers.types import Equivalence, ExtractionRule
from cot_entropy.errors import ConfigError, UserError
from cot_entropy.strict import Strict, describe

app = typer.Typer(
    name="cot-entropy",
    help="Chain-of-thought entropy signals: generate, score, analyse, report, audit.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

J = TypeVar("J", bound=Strict)

JobOption = Annotated[
    str, typer.Option("--job", help="The job's settings, as the rule gives them (JSON).")
]
OutOption = Annotated[Path, typer.Option("--out", help="The file to write.")]


def _version(*, show: bool) -> None:
    if show:
        typer.echo(f"cot-entropy {__version__}")
        raise typer.Exit


@app.callback()
def options(
    *,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
    log: Annotated[Path | None, typer.Option("--log", help="Also write messages here.")] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=lambda value: _version(show=value), is_eager=True)
    ] = False,
) -> None:
    """Chain-of-thought entropy signals: generate, score, analyse, report, audit."""
    handlers: list[logging.Handler] = [logging.StreamHandler()]
    if log:
        log.parent.mkdir(parents=True, exist_ok=True)
        handlers.append(logging.FileHandler(log, mode="w"))
    logging.basicConfig(
        level=logging.DEBUG if debug else logging.INFO, format="%(message)s", handlers=handlers
    )


def main() -> NoReturn:
    """Run the command; a user's error is one line and an exit code, never a traceback."""
    debug = "--debug" in sys.argv[1:]
    try:
        sys.exit(app(standalone_mode=False))
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (UserError, OSError) as error:
        if debug:
            raise
        logging.getLogger(__name__).error("error: %s", _one_line(error))
        sys.exit(error.exit_code if isinstance(error, UserError) else 1)


def _one_line(error: UserError | OSError) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())


def _job(kind: type[J], text: str) -> J:
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise ConfigError(f"--job: {describe(error)}") from None
