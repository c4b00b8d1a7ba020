"""`cot-entropy consistency ...`: scan, validate, compare, and where the scanner lies."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
import typer
from inspect_ai.model import Model

from cot_entropy.answers import AnswerKind
from cot_entropy.consistency import benchmark, scanner
from cot_entropy.consistency.cache import ReplyCache
from cot_entropy.consistency.computed import NAME as COMPUTED
from cot_entropy.consistency.computed import judge_all_computed
from cot_entropy.consistency.figure import draw_confusion
from cot_entropy.consistency.importing import read_chains, read_inspect_logs, read_transcripts
from cot_entropy.consistency.join_cells import join_cells
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.rates import Rate, rates, write_rates
from cot_entropy.consistency.scan import (
    read_judgements,
    scan_transcripts,
    workload,
    write_judgements,
)
from cot_entropy.consistency.server import local_judge
from cot_entropy.consistency.settings import JudgeSettings
from cot_entropy.consistency.store import insert
from cot_entropy.consistency.taxonomy import not_faithfulness
from cot_entropy.consistency.transcript import Transcript
from cot_entropy.consistency.validation import accuracy, agreement, confusion, scores, stability
from cot_entropy.errors import ConfigError, DataError
from cot_entropy.files import write_text
from cot_entropy.inputs import read_model

app = typer.Typer(
    help="Does the stated reasoning lead to the stated answer?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Out = Annotated[Path, typer.Option("--out", help="The folder to write into.")]
Judge = Annotated[
    str | None, typer.Option("--judge", help="An Inspect model string, or `computed` (no model).")
]
LocalModel = Annotated[
    Path | None,
    typer.Option(
        "--local-model", help="A model's folder or manifest to judge with, served on loopback."
    ),
]
Context = Annotated[int, typer.Option(help="Context of the local model, in tokens.")]
Seed = Annotated[int, typer.Option(help="The judge's sampling seed.")]
MaxChars = Annotated[int, typer.Option(help="Characters of a transcript shown to the judge.")]
Connections = Annotated[int, typer.Option(help="Requests at a time.")]
Kind = Annotated[AnswerKind, typer.Option(help="What answers are, for `computed`.")]
Source = Annotated[
    Path, typer.Argument(help="chains.jsonl.zst, a folder of Inspect logs, or JSON lines.")
]


def read_source(path: Path) -> list[Transcript]:
    """Transcripts from a chains file (by its name), a folder of Inspect logs, or JSON lines."""
    if path.is_dir() or path.suffix == ".eval":
        return read_inspect_logs(path)
    if path.name.startswith("chains.jsonl"):
        return read_chains(path)
    return read_transcripts(path)


@app.command()
def export(source: Source, out: Out) -> None:
    """Add transcripts to a Scout store; those already there are left alone."""
    transcripts = read_source(source)
    insert(out, transcripts)
    typer.echo(f"{len(transcripts)} transcripts in {out}")


@app.command()
def scan(
    source: Source,
    out: Out,
    *,
    judge: Judge = None,
    local_model: LocalModel = None,
    context: Context = 8192,
    seed: Seed = 0,
    max_chars: MaxChars = 60_000,
    connections: Connections = 8,
    kind: Kind = "number",
    validation: Annotated[
        Path | None, typer.Option(help="Judgements of the same judge on the benchmark.")
    ] = None,
    domain: Annotated[
        Literal["agentic", "mathematical"],
        typer.Option(help="Benchmark items like the source, for the corrected rate."),
    ] = "mathematical",
    price_in: Annotated[float | None, typer.Option(help="Price of 1e6 input tokens.")] = None,
    price_out: Annotated[float | None, typer.Option(help="Price of 1e6 output tokens.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print the estimate.")] = False,
) -> None:
    """Judge every transcript; write judgements.jsonl.zst and rates.csv."""
    transcripts = read_source(source)
    with _judge(judge, local_model, out=out, context=context) as (name, model):
        settings = JudgeSettings(
            model=name, seed=seed, max_chars=max_chars, connections=connections
        )
        if name != COMPUTED:
            _announce(transcripts, settings, out, price_in, price_out)
        if dry_run:
            return
        judgements = _judged(transcripts, settings, model, out=out, kind=kind)
    known = None
    if validation is not None:
        checked = read_judgements(validation)
        _refuse_other_judge(judgements, checked, validation)
        known = accuracy(checked, benchmark.load_labels(), domain=domain)
    write_judgements(out / "judgements.jsonl.zst", judgements)
    found = rates(judgements, accuracy=known)
    write_rates(out / "rates.csv", found)
    _print_rates(found)


@app.command()
def validate(
    out: Out,
    *,
    judge: Judge = None,
    local_model: LocalModel = None,
    context: Context = 8192,
    split: Annotated[Literal["dev", "test", "all"], typer.Option()] = "test",
    repeats: Annotated[int, typer.Option(min=1, help="Scans with seed, seed + 1, ...")] = 1,
    seed: Seed = 0,
    max_chars: MaxChars = 60_000,
    connections: Connections = 8,
    second: Annotated[
        Path | None, typer.Option(help="Another judge's judgements.jsonl.zst, for kappa.")
    ] = None,
) -> None:
    """Measure a judge on the benchmark; write scores.csv, confusion.csv and confusion.svg."""
    transcripts = benchmark.select(split=split)
    with _judge(judge, local_model, out=out, context=context) as (name, model):
        settings = JudgeSettings(model=name, max_chars=max_chars, connections=connections)
        runs = [
            _judged(
                transcripts,
                settings.model_copy(update={"seed": seed + repeat}),
                model,
                out=out,
                kind="number",
            )
            for repeat in range(repeats)
        ]
    labels = benchmark.load_labels()
    found = scores(runs[0], labels)
    if repeats > 1:
        found.append(stability(runs))
    if second is not None:
        found.append(agreement(runs[0], read_judgements(second)))
    table = confusion(runs[0], labels)
    write_judgements(out / "judgements.jsonl.zst", runs[0])
    frame = pd.DataFrame([asdict(score) for score in found]).assign(note=not_faithfulness())
    write_text(out / "scores.csv", frame.to_csv(index=False, lineterminator="\n"))
    write_text(out / "confusion.csv", table.to_csv(lineterminator="\n"))
    draw_confusion(table, out / "confusion.svg", judge=name)
    typer.echo(table.to_string())
    for score in found:
        value = "-" if score.value is None else f"{score.value:.2f}"
        typer.echo(
            f"{score.outcome:24} {score.quantity:24} {value:>5} ({score.count}/{score.n}), "
            f"judge errors {score.judge_errors}"
        )
    typer.echo(not_faithfulness())


@app.command()
def join(
    *,
    plan: Annotated[Path, typer.Option(help="The plan; its E11 says what is compared.")],
    trajectories: Annotated[list[Path], typer.Option(help="One file per cell.")],
    judgements: Annotated[list[Path], typer.Option(help="The same cells, in the same order.")],
    out: Annotated[Path, typer.Option("--out", help="The table to write.")],
) -> None:
    """Set the consistency label beside the entropy signal on the same chains (E11)."""
    join_cells(plan, list(zip(trajectories, judgements, strict=True)), out=out)


@app.command(name="scanner")
def scanner_file() -> None:
    """Print the path of the scanner, for `scout scan`."""
    typer.echo(scanner.__file__)


def _announce(
    transcripts: list[Transcript],
    settings: JudgeSettings,
    out: Path,
    price_in: float | None,
    price_out: float | None,
) -> None:
    work = workload(transcripts, settings=settings, cache=ReplyCache(out / "cache"))
    typer.echo(
        f"{work.transcripts} transcripts: {work.by_rule} decided by rule, {work.cached} judged "
        f"before, {work.to_ask} to ask; about {work.input_tokens:,} input tokens and at most "
        f"{work.output_tokens_at_most:,} output tokens, without retries"
    )
    if price_in is not None and price_out is not None:
        cost = work.cost(input_price=price_in, output_price=price_out)
        typer.echo(f"at most about {cost:.2f} at the given prices")


@contextmanager
def _judge(
    judge: str | None, local_model: Path | None, *, out: Path, context: int
) -> Iterator[tuple[str, Model | None]]:
    """The judge's name and, where it is served here, the model, for as long as the block runs."""
    if judge is not None and local_model is None:
        yield judge, None
        return
    if judge is not None or local_model is None:
        raise ConfigError(
            "name one judge: --judge MODEL, --judge computed, or --local-model FOLDER"
        )
    served = Path(read_model(local_model).folder) if local_model.suffix == ".json" else local_model
    with local_judge(served, log=out / "server.log", max_model_len=context) as local:
        yield local.name, local.model


def _judged(
    transcripts: list[Transcript],
    settings: JudgeSettings,
    model: Model | None,
    *,
    out: Path,
    kind: AnswerKind,
) -> list[Judgement]:
    if settings.model == COMPUTED:
        return judge_all_computed(transcripts, kind=kind)
    display = "rich" if sys.stdout.isatty() else "plain"
    return scan_transcripts(
        transcripts, folder=out, settings=settings, model=model, progress=display
    )


def _refuse_other_judge(field: list[Judgement], checked: list[Judgement], path: Path) -> None:
    used = {(j.judge, j.taxonomy_sha256) for j in field}
    if {(j.judge, j.taxonomy_sha256) for j in checked} != used:
        raise DataError(
            f"{path}: made by another judge or taxonomy than this scan; run `consistency validate` "
            "with the same judge"
        )


def _print_rates(found: list[Rate]) -> None:
    for row in found:
        if row.rate is None:
            typer.echo(
                f"{row.quantity:24} {'-':>6} of {row.n} {row.of} ({row.method}): {row.reason}"
            )
            continue
        typer.echo(
            f"{row.quantity:24} {row.rate:6.1%} of {row.n} {row.of} ({row.method}), "
            f"95 % {row.ci_low:.1%} to {row.ci_high:.1%}"
        )
    typer.echo(not_faithfulness())
