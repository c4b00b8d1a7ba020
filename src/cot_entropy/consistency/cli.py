"""`cot-entropy consistency ...`: scan, validate, compare, and where the scanner lies.

What a verb needs is imported when it runs: Inspect and Scout take seconds, and help needs neither.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from cot_entropy.answers import AnswerKind
from cot_entropy.consistency.arguments import (
    Actions,
    Connections,
    Context,
    FieldChars,
    Judge,
    LocalModel,
    MaxChars,
    MaxTokens,
    Out,
    Seed,
    Source,
    Split,
)
from cot_entropy.consistency.settings import COMPUTED, REASONED, JudgeSettings
from cot_entropy.consistency.validating import export_benchmark, validate

app = typer.Typer(
    no_args_is_help=True,
    help="Does the stated reasoning lead to the stated answer?",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.command()
def export(source: Source, out: Out, *, actions: Actions = REASONED) -> None:
    """Add transcripts to a Scout store.

    Those that are there already are left alone.

    Example: cot-entropy consistency export transcripts.jsonl --out store
    """
    from cot_entropy.consistency.importing import read_source
    from cot_entropy.consistency.store import insert

    transcripts = read_source(source, actions=actions)
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
    split: Split = "marker",
    actions: Actions = REASONED,
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
        Literal["agentic", "mathematical"] | None,
        typer.Option(
            help="Benchmark items like the source, for the corrected rate; by default agentic for "
            "logs and mathematical for chains."
        ),
    ] = None,
    price_in: Annotated[float | None, typer.Option(help="Price of 1e6 input tokens.")] = None,
    price_out: Annotated[float | None, typer.Option(help="Price of 1e6 output tokens.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print the estimate.")] = False,
) -> None:
    """Judge every transcript.

    Writes judgements.jsonl.zst, rates.csv and contrasts.csv.

    Example: cot-entropy consistency scan transcripts.jsonl --judge computed --out scan
    """
    from cot_entropy.consistency import benchmark
    from cot_entropy.consistency.contrasts import contrasts, write_contrasts
    from cot_entropy.consistency.importing import answer_kind, read_source
    from cot_entropy.consistency.judge_selection import (
        announce,
        draw,
        items_like,
        judge_all,
        named_judge,
        refuse_other_judge,
        told,
    )
    from cot_entropy.consistency.rates import Validated, rates, rates_in_words, write_rates
    from cot_entropy.consistency.scan import read_judgements, write_judgements
    from cot_entropy.consistency.validation import accuracy, on_benchmark

    like = items_like(source, domain)
    every = read_source(source, actions=actions)
    transcripts = draw(every, sample, seed=seed)
    if len(transcripts) < len(every):
        sizes = [sum(one.turn is None for one in those) for those in (transcripts, every)]
        typer.echo(f"a random sample of {sizes[0]} of {sizes[1]} transcripts")
    for line in told(transcripts):
        typer.echo(line)
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
            split=split,
        )
        if name != COMPUTED:
            announce(transcripts, settings, out=out, prices=(price_in, price_out))
        if dry_run:
            return
        judgements = judge_all(
            transcripts, settings, model, out=out, kind=kind or answer_kind(source)
        )
    validated = None
    if validation is not None:
        checked = read_judgements(validation)
        labels = benchmark.labels_for(judgement.id for judgement in checked)
        refuse_other_judge(judgements, checked, validation, labels)
        validated = (
            Validated(
                accuracy=accuracy(checked, labels, domain=like),
                domain=like,
                on_benchmark=on_benchmark(checked, labels, domain=like),
            )
            if like
            else None
        )
    write_judgements(out / "judgements.jsonl.zst", judgements)
    found = rates(judgements, validated=validated)
    write_rates(out / "rates.csv", found)
    write_contrasts(out / "contrasts.csv", contrasts(judgements))
    if validation is not None and like is None:
        typer.echo("no corrected rate: name the kind of the transcripts with --domain", err=True)
    for line in rates_in_words(found):
        typer.echo(line)


app.command()(validate)
app.command(name="benchmark")(export_benchmark)


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
    from cot_entropy.consistency.join_cells import join_cells

    join_cells(plan, list(zip(trajectories, judgements, strict=True)), out=out)


@app.command(name="scanner")
def scanner_file() -> None:
    """Print the path of the scanner, for `scout scan`.

    Example: cot-entropy consistency scanner
    """
    typer.echo(Path(__file__).with_name("scanner.py"))
