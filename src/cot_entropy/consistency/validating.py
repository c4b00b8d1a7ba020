"""The verbs about the benchmark: measure a judge, and hand the items to Scout."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from cot_entropy.base.errors import ConfigError
from cot_entropy.base.files import write_text
from cot_entropy.consistency.arguments import (
    Connections,
    Context,
    FieldChars,
    Judge,
    Kind,
    LocalModel,
    MaxChars,
    MaxTokens,
    Out,
    Seed,
)
from cot_entropy.consistency.benchmark import NEWEST, Version
from cot_entropy.consistency.settings import JudgeSettings
from cot_entropy.consistency.taxonomy import not_faithfulness


def validate(
    out: Out,
    *,
    judge: Judge = None,
    local_model: LocalModel = None,
    context: Context = 8192,
    recorded: Annotated[
        Path | None,
        typer.Option(help="A judge's recorded run, checked and scored; no judge asked."),
    ] = None,
    version: Annotated[
        int, typer.Option(min=1, max=NEWEST, help="Version of the benchmark.")
    ] = NEWEST,
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

    Writes judgements.jsonl.zst, scores.csv, confusion.csv and resolution.csv.

    Example: cot-entropy consistency validate --judge computed --out judge
    """
    from cot_entropy.consistency import benchmark
    from cot_entropy.consistency.judge_selection import judge_all, named_judge
    from cot_entropy.consistency.recorded import read_recorded
    from cot_entropy.consistency.resolution import resolution, told, write_resolution
    from cot_entropy.consistency.scan import read_judgements, write_judgements
    from cot_entropy.consistency.validation import (
        agreement,
        confusion,
        scores,
        stability,
        unjudged,
        write_scores,
    )

    if recorded is not None:
        if judge is not None or local_model is not None:
            raise ConfigError("--recorded takes the place of a judge; name one of them")
        found, of_version = read_recorded(recorded)
        runs = [found]
    else:
        of_version = cast(Version, version)
        transcripts = benchmark.select(split=split, version=of_version)
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
    labels = benchmark.load_labels(of_version)
    shares = scores(runs[0], labels)
    if len(runs) > 1:
        shares.append(stability(runs))
    if second is not None:
        shares.append(agreement(runs[0], read_judgements(second)))
    table = confusion(runs[0], labels)
    widths = resolution([labels[one.id] for one in runs[0]])
    write_judgements(out / "judgements.jsonl.zst", runs[0])
    write_scores(out / "scores.csv", shares)
    write_resolution(out / "resolution.csv", widths)
    write_text(out / "confusion.csv", table.to_csv(lineterminator="\n"))
    typer.echo(f"benchmark version {of_version}, {len(runs[0])} items")
    typer.echo(table.to_string())
    for score in shares:
        value = "-" if score.value is None else f"{score.value:.2f}"
        typer.echo(
            f"{score.outcome:24} {score.quantity:24} {value:>5} ({score.count}/{score.n}), "
            f"judge errors {score.judge_errors}"
        )
    for line in told(widths):
        typer.echo(line)
    warning = unjudged(runs[0], labels)
    if warning:
        typer.echo(f"warning: {warning}", err=True)
    typer.echo(not_faithfulness())


def export_benchmark(
    out: Out,
    *,
    version: Annotated[
        int, typer.Option(min=1, max=NEWEST, help="Version of the benchmark.")
    ] = NEWEST,
    split: Annotated[Literal["dev", "test", "all"], typer.Option(help="Benchmark items.")] = "test",
) -> None:
    """Write the benchmark as a Scout store, with validation cases.

    Writes store/ and validation.csv, for `scout scan -T store -V validation.csv`.

    Example: cot-entropy consistency benchmark --out benchmark
    """
    import pandas as pd

    from cot_entropy.consistency import benchmark
    from cot_entropy.consistency.store import insert

    chosen = cast(Version, version)
    labels = benchmark.load_labels(chosen)
    transcripts = benchmark.select(split=split, version=chosen)
    insert(out / "store", transcripts)
    cases = [
        {
            "id": one.sha256(),
            "target": labels[one.id].outcome or labels[one.id].subtype or labels[one.id].label,
            "split": labels[one.id].split,
        }
        for one in transcripts
        if not labels[one.id].borderline
    ]
    write_text(out / "validation.csv", pd.DataFrame(cases).to_csv(index=False, lineterminator="\n"))
    typer.echo(
        f"{len(transcripts)} items of version {version} in {out / 'store'}, "
        f"{len(cases)} clear ones in {out / 'validation.csv'}"
    )
