"""Completions: m samples at each prefix of each chain, sampled or taken from stored ones."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import sha256_file
from cot_entropy.engine.identity import engine_identity
from cot_entropy.engine.open import open_engine
from cot_entropy.engine.stream import Engine
from cot_entropy.formats.inputs import read_model
from cot_entropy.formats.records import read_header
from cot_entropy.formats.run_summary import RunSummary
from cot_entropy.generate.completion_tasks import ProbedCell
from cot_entropy.generate.prompts import ChatTokenizer
from cot_entropy.generate.reuse import Stored
from cot_entropy.generate.stage import OpenEngine
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.protocol.probe import CompletionsJob
from cot_entropy.protocol.reuse import derivable

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class StoredFiles:
    """Completions of another probe block on the same chains, with the prefixes behind them."""

    completions: Path
    prefixes: Path


def sample_completions(
    job: CompletionsJob,
    *,
    model: Path,
    chains: Path,
    prefixes: Path,
    out: Path,
    stored: StoredFiles | None = None,
    engine: OpenEngine = open_engine,
) -> RunSummary:
    """Sample `out` (CompletionRecord lines): m completions at every prefix of every chain.

    What the same engine already sampled under another block (`stored`) is taken from there, and
    the header's `derived_from` says so. A question without a chain, with a prefix that leaves no
    room for the budget, or that the engine rejects, gets a record with an error. Raises UserError;
    what is finished stays in `<out>.partial`.
    """
    cell = _open(job, model=model, chains=chains, prefixes=prefixes, stored=stored)
    own = engine_identity(job.engine)
    if cell.stored is not None and cell.stored.header.engine.binding != own.binding:
        log.warning("%s: another engine than this one; nothing is reused", cell.stored.completions)
        cell = replace(cell, stored=None)
    return cell.run(cell.header(own), chains, prefixes, out, engine)


def derive_completions(
    job: CompletionsJob,
    *,
    model: Path,
    chains: Path,
    prefixes: Path,
    stored: StoredFiles,
    out: Path,
) -> RunSummary:
    """Write `out` from stored completions alone: no engine is started.

    The header names the engine that sampled them. A question that failed under the other block
    keeps its error. Raises DataError where the stored block does not hold all that is needed.
    """
    cell = _open(job, model=model, chains=chains, prefixes=prefixes, stored=stored)
    found = cell.stored
    if found is None or derivable(job.probe, found.probe) != "all":
        raise DataError(f"{stored.completions}: does not hold all that the block needs")
    cell = replace(cell, complete=True)
    return cell.run(cell.header(found.header.engine), chains, prefixes, out, _no_engine)


def _open(
    job: CompletionsJob, *, model: Path, chains: Path, prefixes: Path, stored: StoredFiles | None
) -> ProbedCell:
    manifest = read_model(model)
    source = read_header(chains)
    chains_sha256 = sha256_file(chains)
    if manifest.identity() != source.model:
        raise DataError(f"{chains}: made with another model than {model}; generate them again")
    cut_from = read_header(prefixes)
    if cut_from.inputs.get("chains") != chains_sha256 or cut_from.probe != job.probe:
        raise DataError(f"{prefixes}: cut from other chains or by another block; cut them again")
    tokenizer = ChatTokenizer(Path(manifest.folder), source.chain.system_prompt)
    found = None
    if stored is not None:
        found = Stored.open(stored.completions, stored.prefixes, chains_sha256=chains_sha256)
        if derivable(job.probe, found.probe) == "none":
            raise DataError(f"{stored.completions}: no sample there answers this block's requests")
    return ProbedCell(
        job=job,
        source=source,
        inputs={"chains": chains_sha256, "prefixes": sha256_file(prefixes)},
        tokenizer=tokenizer,
        folder=Path(manifest.folder),
        cue=tokenizer.encode_after(job.probe.cue) if job.probe.cue else [],
        stored=found,
    )


def _no_engine(settings: EngineSettings, folder: Path) -> Engine:
    def refuse() -> NoReturn:
        raise DataError(f"{folder}: a stored completion is missing; sample the block instead")

    return Engine(refuse, settings)
