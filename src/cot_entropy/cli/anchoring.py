"""The verbs of `cot-entropy anchor`: a freeze's hash, kept by somebody else."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cot_entropy.cli.app import app

anchor = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)
app.add_typer(anchor, name="anchor")

FreezeFile = Annotated[Path, typer.Option("--freeze", help="The freeze.")]
Ledger = Annotated[
    Path | None, typer.Option("--ledger", help="A study's folder: anchor its ledger's head.")
]
FREEZE = Path("preregistration/freeze.json")


@anchor.callback()
def anchor_verb() -> None:
    """Have the hash of a freeze kept by somebody else.

    What is added is verified first, and stored beside the freeze, in `anchors/`.

    Example: cot-entropy anchor request freeze.tsq
    """


@anchor.command("request")
def request_verb(
    out: Annotated[Path, typer.Argument(help="The request to write, in DER.")],
    freeze: FreezeFile = FREEZE,
    ledger: Ledger = None,
) -> None:
    """Write an RFC 3161 timestamp request.

    Send it to any authority whose root the plan names, and add what it answers.

    Example: cot-entropy anchor request freeze.tsq
    """
    from cot_entropy.base.files import atomic
    from cot_entropy.registration.anchors.add import target
    from cot_entropy.registration.anchors.rfc3161 import request

    with atomic(out) as stream:
        stream.write(request(target(freeze, ledger).content))


@anchor.command("rfc3161")
def rfc3161_verb(
    *,
    token: Annotated[Path | None, typer.Option(help="The authority's response.")] = None,
    tsa: Annotated[str | None, typer.Option(help="The authority's address: ask it now.")] = None,
    ca: Annotated[
        Path | None, typer.Option(help="PEM with the root, where browsers do not trust it.")
    ] = None,
    freeze: FreezeFile = FREEZE,
    ledger: Ledger = None,
) -> None:
    """Add an RFC 3161 timestamp.

    Verified down to a root that the frozen plan names.

    Example: cot-entropy anchor rfc3161 --token freeze.tsr
    """
    from cot_entropy.registration.anchors.add import add_timestamp, target

    typer.echo(add_timestamp(target(freeze, ledger), token=token, tsa=tsa, ca=ca))


@anchor.command("tag")
def tag_verb(
    name: Annotated[str, typer.Argument(help="The tag's name.")], freeze: FreezeFile = FREEZE
) -> None:
    """Add a signed git tag.

    Its commit must hold this very freeze, and its key be one that the frozen plan names.

    Example: cot-entropy anchor tag registered
    """
    from cot_entropy.registration.anchors.add import add_tag
    from cot_entropy.registration.anchors.check import frozen_at

    typer.echo(add_tag(frozen_at(freeze), name))


@anchor.command("osf")
def osf_verb(
    registration: Annotated[str, typer.Argument(help="OSF's id, or the DOI.")],
    freeze: FreezeFile = FREEZE,
    api: Annotated[str, typer.Option(help="Where OSF's API v2 answers.")] = "https://api.osf.io/v2",
) -> None:
    """Add a registration on OSF.

    Asks OSF for its date and its files' sha256; one of them must be this very freeze.

    Example: cot-entropy anchor osf 10.17605/OSF.IO/ABCDE
    """
    from cot_entropy.registration.anchors.add import add_osf
    from cot_entropy.registration.anchors.check import frozen_at

    typer.echo(add_osf(frozen_at(freeze), registration, api=api))
