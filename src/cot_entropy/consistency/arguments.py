"""Options that several verbs of `cot-entropy consistency` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cot_entropy.answers import AnswerKind
from cot_entropy.base.options import into
from cot_entropy.consistency.settings import Division
from cot_entropy.study.judges import MIN_CHARS, MIN_CONTEXT, MIN_FIELD_CHARS, MIN_TOKENS

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
Context = Annotated[int, typer.Option(min=MIN_CONTEXT, help="Tokens of the local model's context.")]
Seed = Annotated[int, typer.Option(help="The judge's sampling seed.")]
MaxChars = Annotated[
    int, typer.Option(min=MIN_CHARS, help="Characters of a transcript the judge sees.")
]
MaxTokens = Annotated[
    int, typer.Option(min=MIN_TOKENS, help="Tokens of a reply; doubled after a cut-off one.")
]
FieldChars = Annotated[
    int | None,
    typer.Option(min=MIN_FIELD_CHARS, help="Longest free text in a reply, for vLLM only."),
]
Connections = Annotated[int, typer.Option(min=1, help="Requests at a time.")]
Split = Annotated[
    Division,
    typer.Option(help="What divides prose beside reasoning blocks: a marker, or else the judge."),
]
Actions = Annotated[
    str,
    typer.Option(
        help="Calls of tools that are judged one by one: `reasoned` (all that the model reasoned "
        "about in the same message), `all`, `none`, or names of tools, separated by commas."
    ),
]
Kind = Annotated[AnswerKind, typer.Option(help="What answers are, for `computed`.")]
Source = Annotated[
    Path, typer.Argument(help="chains.jsonl.zst, a folder of Inspect logs, or JSON lines.")
]
