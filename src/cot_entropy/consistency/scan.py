"""A scan of many transcripts: store, estimate, judge, and write what was found.

`judgements.jsonl.zst` has one record per transcript, in the order given; `rates.csv` counts
them. The Scout store and scan lie beside them for Scout's own tools.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from inspect_ai._util.error import PrerequisiteError  # not exported; a missing key raises it
from inspect_ai.model import Model, get_model
from inspect_scout import columns, scan_results_df, transcripts_from
from inspect_scout import scan as scout_scan
from pydantic import ValidationError
from rich.markup import render

from cot_entropy.base.errors import DataError, ModelError
from cot_entropy.base.files import read_jsonl, write_jsonl
from cot_entropy.base.strict import describe
from cot_entropy.consistency.cache import ReplyCache, cache_key
from cot_entropy.consistency.importing import refuse_duplicates
from cot_entropy.consistency.judge import DETAIL_CHARS, base_judgement, first_prompt, without_asking
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.scanner import NAME, reasoning_consistency
from cot_entropy.consistency.settings import JudgeSettings
from cot_entropy.consistency.store import insert
from cot_entropy.consistency.transcript import Transcript

BYTES_PER_TOKEN = 4
"""Rule of thumb for English; used for the estimate only, which is printed as one."""


@dataclass(frozen=True)
class Workload:
    """What a scan will ask: transcripts by who decides, and tokens before the first request.

    Input tokens are estimated from UTF-8 bytes; output tokens are the upper bound of one reply
    each. Retries are not in it.
    """

    transcripts: int
    by_rule: int
    cached: int
    to_ask: int
    input_tokens: int
    output_tokens_at_most: int

    def cost(self, *, input_price: float, output_price: float) -> float:
        """The cost at prices per million tokens, output at its upper bound."""
        millionths = self.input_tokens * input_price + self.output_tokens_at_most * output_price
        return millionths / 1e6


def workload(
    transcripts: Sequence[Transcript], *, settings: JudgeSettings, cache: ReplyCache
) -> Workload:
    """Count what rules and cache decide, and estimate the tokens of the rest."""
    by_rule = cached = to_ask = tokens = 0
    for transcript in transcripts:
        if without_asking(transcript, settings):
            by_rule += 1
            continue
        prompt = first_prompt(transcript, settings)
        if cache.has(cache_key(prompt, settings)):
            cached += 1
            continue
        to_ask += 1
        tokens += math.ceil(len((prompt.system + prompt.user).encode()) / BYTES_PER_TOKEN)
    return Workload(
        transcripts=len(transcripts),
        by_rule=by_rule,
        cached=cached,
        to_ask=to_ask,
        input_tokens=tokens,
        output_tokens_at_most=to_ask * settings.max_tokens,
    )


def scan_transcripts(
    transcripts: Sequence[Transcript],
    *,
    folder: Path,
    settings: JudgeSettings,
    model: Model | None = None,
    progress: str = "none",
) -> list[Judgement]:
    """Judge transcripts through Scout; results in the order given.

    `folder` receives `store/` (Scout transcripts), `scans/` and `cache/`. `model` replaces the one
    that `settings.model` names (a local server, a test's). One transcript is asked first: where
    the judge cannot be reached, ModelError says so before the rest is tried. `progress` is
    Scout's display: `rich`, `plain` or `none`.
    """
    refuse_duplicates(transcripts)
    judge = model if model is not None else _model(settings)
    insert(folder / "store", transcripts)
    unasked = [t for t in transcripts if _must_ask(t, settings, ReplyCache(folder / "cache"))]
    if unasked:
        first = _scan(unasked[:1], folder, settings, judge, "none")[0]
        if first.failure == "unreachable":
            raise ModelError(
                f"judge {settings.model} cannot be used: {first.failure_detail}; "
                f"check its name, address and key (the transcripts are kept in {folder / 'store'})"
            )
    return _scan(transcripts, folder, settings, judge, progress)


def _model(settings: JudgeSettings) -> Model:
    try:
        return get_model(settings.model, memoize=False)
    except (ValueError, ImportError, PrerequisiteError) as error:
        detail = " ".join(render(str(error)).plain.split())
        raise ModelError(f"judge {settings.model}: {detail}") from None


def _must_ask(transcript: Transcript, settings: JudgeSettings, cache: ReplyCache) -> bool:
    if without_asking(transcript, settings):
        return False
    return not cache.has(cache_key(first_prompt(transcript, settings), settings))


def _scan(
    transcripts: Sequence[Transcript],
    folder: Path,
    settings: JudgeSettings,
    model: Model,
    progress: str,
) -> list[Judgement]:
    options = settings.model_dump(exclude={"model"})
    status = scout_scan(
        {NAME: reasoning_consistency(**options, cache=str(folder / "cache"))},
        transcripts=transcripts_from(str(folder / "store")).where(
            columns.transcript_id.in_([transcript.sha256() for transcript in transcripts])
        ),
        scans=str(folder / "scans"),
        model=model,
        max_transcripts=settings.connections,
        max_processes=1,
        display=progress,
    )
    frame: pd.DataFrame = scan_results_df(status.location).scanners[NAME]
    rows = {str(row.transcript_id): row for row in frame.itertuples()}
    return [_judgement(t, rows.get(t.sha256()), settings) for t in transcripts]


def _judgement(transcript: Transcript, row: Any, settings: JudgeSettings) -> Judgement:
    if row is not None and pd.isna(row.scan_error):
        return Judgement.model_validate_json(json.dumps(json.loads(row.metadata)["judgement"]))
    detail = "the scan ended before this transcript" if row is None else str(row.scan_error)
    return Judgement(
        **base_judgement(transcript, judge=settings.model, seed=settings.seed),
        outcome="judge_error",
        decided_by="judge",
        failure="too_long" if "context length" in detail else "unreachable",
        failure_detail=" ".join(detail.split())[:DETAIL_CHARS],
    )


def write_judgements(path: Path, judgements: Sequence[Judgement]) -> None:
    """Write judgements as zstd-compressed JSON lines."""
    write_jsonl(path, (judgement.model_dump(mode="json") for judgement in judgements))


def read_judgements(path: Path) -> list[Judgement]:
    """Read what `write_judgements` wrote; raises DataError naming file and line."""
    found: list[Judgement] = []
    for number, row in read_jsonl(path):
        try:
            found.append(Judgement.model_validate(row))
        except ValidationError as error:
            raise DataError(f"{path}:{number}: {describe(error)}") from None
    return found
