"""The judge that the command line names: found, announced, asked."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import typer
from inspect_ai.model import Model

from cot_entropy.answers import AnswerKind
from cot_entropy.base.errors import ConfigError, DataError
from cot_entropy.consistency.benchmark import Domain
from cot_entropy.consistency.cache import ReplyCache
from cot_entropy.consistency.computed import judge_all_computed
from cot_entropy.consistency.importing import kind_of_source
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.scan import scan_transcripts, workload
from cot_entropy.consistency.server import local_judge
from cot_entropy.consistency.settings import COMPUTED, JudgeSettings
from cot_entropy.consistency.transcript import Transcript
from cot_entropy.formats.inputs import read_model


@contextmanager
def named_judge(
    judge: str | None, local_model: Path | None, *, out: Path, context: int, connections: int
) -> Iterator[tuple[str, Model | None]]:
    """The judge's name and, where it is served here, the model, for as long as the block runs.

    `context` is in tokens, `connections` requests at a time. Raises ConfigError unless exactly
    one judge is named.
    """
    if judge is not None and local_model is None:
        yield judge, None
        return
    if judge is not None or local_model is None:
        raise ConfigError(
            "name one judge: --judge MODEL, --judge computed, or --local-model FOLDER"
        )
    served = Path(read_model(local_model).folder) if local_model.suffix == ".json" else local_model
    with local_judge(
        served, log=out / "server.log", max_model_len=context, connections=connections
    ) as local:
        yield local.name, local.model


def announce(
    transcripts: Sequence[Transcript],
    settings: JudgeSettings,
    *,
    out: Path,
    prices: tuple[float | None, float | None],
) -> None:
    """Print what will be asked, and the cost where both prices (per million tokens) are known."""
    work = workload(transcripts, settings=settings, cache=ReplyCache(out / "cache"))
    typer.echo(
        f"{work.transcripts} judgements to make: {work.by_rule} decided by rule, "
        f"{work.cached} judged before, {work.to_ask} to ask; about "
        f"{work.input_tokens:,} input tokens and at most {work.output_tokens_at_most:,} output "
        "tokens, without retries"
    )
    if prices[0] is not None and prices[1] is not None:
        cost = work.cost(input_price=prices[0], output_price=prices[1])
        typer.echo(f"at most about {cost:.2f} at the given prices")


def judge_all(
    transcripts: Sequence[Transcript],
    settings: JudgeSettings,
    model: Model | None,
    *,
    out: Path,
    kind: AnswerKind,
) -> list[Judgement]:
    """Judge by arithmetic or by model, whichever `settings.model` names."""
    if settings.model == COMPUTED:
        return judge_all_computed(transcripts, kind=kind)
    display = "rich" if sys.stdout.isatty() else "plain"
    return scan_transcripts(
        transcripts, folder=out, settings=settings, model=model, progress=display
    )


def draw(transcripts: Sequence[Transcript], size: int | None, *, seed: int) -> list[Transcript]:
    """A simple random sample in the given order; all where `size` is None or not smaller.

    The single turns of a drawn transcript come with it and are not counted.
    """
    names = list(dict.fromkeys((one.source, one.id) for one in transcripts))
    if size is None or size >= len(names):
        return list(transcripts)
    chosen = {names[n] for n in random.Random(seed).sample(range(len(names)), size)}  # noqa: S311  # no secret
    return [one for one in transcripts if (one.source, one.id) in chosen]


def told(transcripts: Sequence[Transcript]) -> Iterator[str]:
    """What was read, in lines: transcripts and turns, ways of dividing, samples with an error."""
    wholes = [one for one in transcripts if one.turn is None]
    turns = len(transcripts) - len(wholes)
    ways = Counter(one.split for one in wholes if not one.error)
    yield (
        f"{len(wholes)} transcripts"
        + (f" and {turns} single answers and actions in them" if turns else "")
        + "; divided: "
        + ", ".join(f"{way} {count}" for way, count in ways.most_common())
    )
    for one in wholes:
        if one.error:
            yield f"left out, ended in an error: {one.source}: {one.id}: {one.error[:200]}"


def items_like(source: Path, named: Domain | None) -> Domain | None:
    """The kind of benchmark items that a source's rates may be corrected with; None if unknown.

    Raises ConfigError where another kind is named than the source is known to be.
    """
    known = kind_of_source(source)
    if known == "mathematical" and named == "agentic":
        raise ConfigError(
            f"--domain {named}: {source} holds chains about mathematical questions; a rate is "
            "corrected with items of the same kind only"
        )
    return named or known


def refuse_other_judge(
    field: Sequence[Judgement], checked: Sequence[Judgement], path: Path, items: Container[str]
) -> None:
    """Raise DataError where a validation is of another judge or taxonomy than a scan, or judges
    what is no item of the benchmark."""
    for one in checked:
        if one.id not in items:
            raise DataError(
                f"{path}: `{one.id}` is no item of the benchmark; make it with `consistency "
                "validate`"
            )
    used = {(j.judge, j.taxonomy_sha256) for j in field}
    if {(j.judge, j.taxonomy_sha256) for j in checked} != used:
        raise DataError(
            f"{path}: made by another judge or taxonomy than this scan; run `consistency "
            "validate` with the same judge"
        )
