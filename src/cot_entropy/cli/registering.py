"""The verbs that register, record and audit."""

from __future__ import annotations

from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from cot_entropy.base.files import sha256_file
from cot_entropy.cli.app import Job, Out, Results, app, one_study, read_job


@app.command("record-run")
def record_run_verb(job: Job, out: Out) -> None:
    """Record what a run was told, and the registered items.

    Its rule calls it; the example prints that call, with all that it depends on.

    Example: snakemake -Fnp --until record_run
    """
    from cot_entropy.registration.provenance import RunJob, record_run

    record_run(read_job(RunJob, job), out=out)


@app.command("record-cell")
def record_cell_verb(
    cell: Annotated[str, typer.Argument(help="model/dataset")],
    results: Annotated[Path, typer.Option(help="The study's folder.")],
    out: Out,
) -> None:
    """Record headers and hashes of a cell's files.

    Its rule calls it; the example prints that call, with all that it depends on.

    Example: snakemake -Fnp --until record_cell
    """
    from cot_entropy.registration.provenance import record_cell

    record_cell(cell, results=results, out=out)


@app.command("seal")
def seal_verb(results: Results, out: Out) -> None:
    """Write the manifest over every file of the results.

    Its rule calls it; the example prints that call, with all that it depends on.

    Example: snakemake -Fnp --until seal
    """
    from cot_entropy.registration.provenance import seal

    seal(results, out=out)


@app.command("audit")
def audit_verb(
    results: Annotated[
        Path,
        typer.Argument(help="A study's folder, or an archive of one.", callback=one_study),
    ],
    *,
    registered: Annotated[
        Path | None,
        typer.Option(
            help="Your own copy of what was registered: plan, freeze, folder or OSF's zip."
        ),
    ] = None,
    online: Annotated[
        bool, typer.Option("--online", help="Ask OSF again about its registration.")
    ] = False,
    api: Annotated[str, typer.Option(help="Where OSF's API v2 answers.")] = "https://api.osf.io/v2",
    against: Annotated[
        Path | None,
        typer.Option(help="Compare with another run, or an archive of one, row by row instead."),
    ] = None,
    regenerate: Annotated[
        int, typer.Option(min=0, help="Generate so many drawn questions again.")
    ] = 0,
    draw: Annotated[int | None, typer.Option(help="Seed of that draw; random without.")] = None,
    tokenizer: Annotated[
        list[Path] | None,
        typer.Option(help="A folder with a model's tokenizer.json; one per model."),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Cells analysed at a time.")] = 2,
    json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Recompute a run, and compare it with its registration.

    Exit code 0: nothing differs, or each difference is declared; 1: differences; 2: no audit, the
    results cannot be read or are refused; 4 and 5: this machine failed.

    Example: cot-entropy audit results/study
    """
    from cot_entropy.audit.audit import audit
    from cot_entropy.audit.compare import compare

    found = (
        compare(results, against)
        if against
        else audit(
            results,
            registered=registered,
            online=api if online else None,
            jobs=jobs,
            regenerate=regenerate,
            draw=draw,
            tokenizers=tokenizer or (),
        )
    )
    # ASCII: no control character of others reaches a terminal
    typer.echo(dumps(found.model_dump(mode="json"), indent=2) if json else "\n".join(found.lines()))
    raise typer.Exit(found.exit_code)


@app.command("archive")
def archive_verb(
    results: Results,
    out: Annotated[Path, typer.Argument(help="The zip file to write.")],
) -> None:
    """Pack a run as an RO-Crate that `audit` accepts.

    Anywhere, without GPU or model.

    Example: cot-entropy archive results/study study.zip
    """
    from cot_entropy.audit.archive import archive

    archive(results, out)


@app.command("freeze")
def freeze_verb(
    configfile: Annotated[Path, typer.Option(help="The registered study.")] = Path(
        "config/study.yaml"
    ),
    reason: Annotated[str | None, typer.Option(help="Why an earlier freeze is replaced.")] = None,
    *,
    demonstration: Annotated[
        bool, typer.Option("--demonstration", help="As `make demo` freezes: at every run.")
    ] = False,
) -> None:
    """Freeze plan, config, data, locks and code.

    Writes freeze.json beside the study's plan and prints its sha256. Refuses a dirty tree, and
    an earlier freeze without a reason; a demonstration says so, and is not frozen.

    Example: cot-entropy freeze --configfile config/study.yaml
    """
    from cot_entropy.registration.freeze import demonstrate, freeze, freeze_path

    if demonstration:
        typer.echo(f"{freeze_path(configfile).parent}: {demonstrate(configfile)}")
        return
    freeze(configfile, reason=reason)
    typer.echo(sha256_file(freeze_path(configfile)))


@app.command("register")
def register_verb(
    out: Annotated[Path, typer.Argument(help="The folder to write, or the copy to check.")],
    configfile: Annotated[Path, typer.Option(help="The registered study.")] = Path(
        "config/study.yaml"
    ),
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Compare a copy, a folder or zip, with this tree.")
    ] = False,
) -> None:
    """Write what to upload to OSF.

    Plan, freeze, text, tables, locks, code, and a README that says what to press. `--check` lists
    what differs in an uploaded copy, with exit code 1 where anything does.

    Example: cot-entropy register registration
    """
    from cot_entropy.audit.registered_copy import copy_folder
    from cot_entropy.registration.bundle import copy_problems, write_bundle

    if not check:
        for path in write_bundle(configfile, out):
            typer.echo(path)
        return
    with copy_folder(out) as folder:
        problems = list(copy_problems(configfile, folder))
    for problem in problems:
        typer.echo(f"difference: {problem}")
    typer.echo(f"{out}: {len(problems) or 'no'} difference{'s' if len(problems) != 1 else ''}")
    raise typer.Exit(1 if problems else 0)
