"""The verbs of the optional extra."""

from __future__ import annotations

import typer

from cot_entropy.base.errors import ConfigError
from cot_entropy.cli.app import app


@app.command(
    "consistency",
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "help_option_names": [],
    },
)
def consistency_verb(context: typer.Context) -> None:
    """Does the stated reasoning lead to the answer? (extra).

    Example: cot-entropy consistency --help
    """
    try:
        from cot_entropy.consistency.cli import app as consistency

        consistency(args=context.args, prog_name="cot-entropy consistency")
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"{error.name} is not installed; the scan needs: pip install 'cot-entropy[consistency]'"
        ) from None
