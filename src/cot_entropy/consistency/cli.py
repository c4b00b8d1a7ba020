"""`cot-entropy consistency ...`: scan, validate, compare, and where the scanner lies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from cot_entropy.answers import AnswerKind
from cot_entropy.base.files import write_text
from cot_entropy.base.options import into
from cot_entropy.consistency import benchmark, scanner
from cot_entropy.consistency.computed import NAME as COMPUTED
from cot_entropy.consistency.figure import draw_confusion
from cot_entropy.consistency.importing import answer_kind, read_source
from cot_entropy.consistency.join_cells import join_cells
from cot_entropy.consistency.judge_selection import (
    announce,
    draw,
    judge_all,
    named_judge,
    refuse_other_judge,
)
from cot_entropy.consistency.rates import Rate, rates, write_rates
from cot_entropy.consistency.scan import read_judgements, write_judgements
from cot_entropy.consistency.settings import JudgeSettings
from cot_entropy.consistency.store import insert
from cot_entropy.consistency.taxonomy import not_faithfulness
from cot_entropy.consistency.validation import (
    accuracy,
    agreement,
    confusion,
    on_benchmark,
    scores,
    stability,
    unjudged,
    write_scores,
)

app = typer.Typer(
    no_args_is_help=True,
    help="Does the stated reasoning lead to the stated answer?",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Out = Annotated[Path, typer.Option("--out", help="The folder to write into.", callback=into)]
Judge = Annotated[
    str | None, typer.Option("--judge", help="An Inspect model string, or `computed` (no model).")
]
LocalModel = Annotated[
    Path | None,
    typer.Option(
        "--local-model", help="A model's folder or manifest to judge with, served on loopback."
    ),
]
Context = Annotated[int, typer.Option(min=1, help="Context of the local model, in tokens.")]
Seed = Annotated[int, typer.Option(help="The judge's sampling seed.")]
MaxChars = Annotated[int, typer.Option(min=1, help="Characters of a transcript the judge sees.")]
MaxTokens = Annotated[
    int, typer.Option(min=1, help="Tokens of a reply; doubled after a cut-off one.")
]
FieldChars = Annotated[
    int | None, typer.Option(min=1, help="Longest free text in a reply, for vLLM only.")
]
Connections = Annotated[int, typer.Option(min=1, help="Requests at a time.")]
Kind = Annotated[AnswerKind, typer.Option(help="What answers are, for `computed`.")]
Source = Annotated[
    Path, typer.Argument(help="chains.jsonl.zst, a folder of Inspect logs, or JSON lines.")
]


@app.command()
def export(source: Source, out: Out) -> None:
    """Add transcripts to a Scout store.

    Those that are there already are left alone.

    Example: cot-entropy consistency export transcripts.jsonl --out store
    """
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
    max_tokens: MaxTokens = 1024,
    field_chars: FieldChars = None,
    connections: Connections = 8,
    kind: Annotated[
        AnswerKind | None,
        typer.Option(help="What answers are, for `computed`; chains say so themselves."),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Judge so many transcripts, drawn with --seed.")
    ] = None,
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
    """Judge every transcript.

    Writes judgements.jsonl.zst and rates.csv.

    Example: cot-entropy consistency scan transcripts.jsonl --judge computed --out scan
    """
    every = read_source(source)
    transcripts = draw(every, sample, seed=seed)
    if len(transcripts) < len(every):
        typer.echo(f"a random sample of {len(transcripts)} of {len(every)} transcripts")
    with named_judge(judge, local_model, out=out, context=context, connections=connections) as (
        name,
        model,
    ):
        settings = JudgeSettings(
            model=name,
            seed=seed,
            max_chars=max_chars,
            max_tokens=max_tokens,
            field_chars=field_chars,
            connections=connections,
        )
        if name != COMPUTED:
            announce(transcripts, settings, out=out, prices=(price_in, price_out))
        if dry_run:
            return
        judgements = judge_all(
            transcripts, settings, model, out=out, kind=kind or answer_kind(source)
        )
    known = beside = None
    if validation is not None:
        checked = read_judgements(validation)
        labels = benchmark.load_labels()
        refuse_other_judge(judgements, checked, validation, labels)
        known = accuracy(checked, labels, domain=domain)
        beside = on_benchmark(checked, labels, domain=domain)
    write_judgements(out / "judgements.jsonl.zst", judgements)
    found = rates(judgements, accuracy=known, on_benchmark=beside)
    write_rates(out / "rates.csv", found)
    _print_rates(found)


@app.command()
def validate(
    out: Out,
    *,
    judge: Judge = None,
    local_model: LocalModel = None,
    context: Context = 8192,
    split: Annotated[Literal["dev", "test", "all"], typer.Option(help="Benchmark items.")] = "test",
    repeats: Annotated[int, typer.Option(min=1, help="Scans with seed, seed + 1, ...")] = 1,
    seed: Seed = 0,
    max_chars: MaxChars = 60_000,
    max_tokens: MaxTokens = 1024,
    field_chars: FieldChars = None,
    connections: Connections = 8,
    kind: Kind = "number",
    second: Annotated[
        Path | None, typer.Option(help="Another judge's judgements.jsonl.zst, for kappa.")
    ] = None,
) -> None:
    """Measure a judge on the benchmark.

    Writes scores.csv, confusion.csv and confusion.svg.

    Example: cot-entropy consistency validate --judge computed --out judge
    """
    transcripts = benchmark.select(split=split)
    with named_judge(judge, local_model, out=out, context=context, connections=connections) as (
        name,
        model,
    ):
        settings = JudgeSettings(
            model=name,
            max_chars=max_chars,
            max_tokens=max_tokens,
            field_chars=field_chars,
            connections=connections,
        )
        runs = [
            judge_all(
                transcripts,
                settings.model_copy(update={"seed": seed + repeat}),
                model,
                out=out,
                kind=kind,
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
    write_scores(out / "scores.csv", found)
    write_text(out / "confusion.csv", table.to_csv(lineterminator="\n"))
    draw_confusion(table, out / "confusion.svg", judge=name)
    typer.echo(table.to_string())
    for score in found:
        value = "-" if score.value is None else f"{score.value:.2f}"
        typer.echo(
            f"{score.outcome:24} {score.quantity:24} {value:>5} ({score.count}/{score.n}), "
            f"judge errors {score.judge_errors}"
        )
    warning = unjudged(runs[0], labels)
    if warning:
        typer.echo(f"warning: {warning}", err=True)
    typer.echo(not_faithfulness())


@app.command()
def join(
    *,
    plan: Annotated[Path, typer.Option(help="The plan; its E11 says what is compared.")],
    trajectories: Annotated[list[Path], typer.Option(help="One file per cell.")],
    judgements: Annotated[list[Path], typer.Option(help="The same cells, in the same order.")],
    out: Annotated[Path, typer.Option("--out", help="The table to write.")],
) -> None:
    """Set the label beside the entropy signal (E11).

    Example: cot-entropy consistency join --plan preregistration/plan.yaml --out e11.csv
    --trajectories mine.parquet --judgements judgements.jsonl.zst
    """
    join_cells(plan, list(zip(trajectories, judgements, strict=True)), out=out)


@app.command(name="scanner")
def scanner_file() -> None:
    """Print the path of the scanner, for `scout scan`.

    Example: cot-entropy consistency scanner
    """
    typer.echo(scanner.__file__)


def _print_rates(found: list[Rate]) -> None:
    for row in found:
        if row.rate is None:
            typer.echo(
                f"{row.quantity:24} {'-':>6} of {row.n} {row.of} ({row.method}): {row.reason}"
            )
            continue
        typer.echo(
            f"{row.quantity:24} {row.rate:6.1%} of {row.n} {row.of} ({row.method}), "
            f"95 % {row.ci_low:.1%} to {row.ci_high:.1%}; on the benchmark: {row.on_benchmark}"
        )
    typer.echo(not_faithfulness())
