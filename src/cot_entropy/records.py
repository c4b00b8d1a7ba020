"""The records of generation files: a header, then one record per question.

A file is zstd-compressed JSON lines: the header first, then the questions in dataset order once
the file is complete. A question that could not be generated has an `error` and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from cot_entropy.engine.settings import EngineSettings
from cot_entropy.errors import DataError
from cot_entropy.files import read_jsonl, write_jsonl
from cot_entropy.protocol.chain import ChainBlock
from cot_entropy.protocol.names import AnswerKind
from cot_entropy.protocol.probe import ProbeBlock
from cot_entropy.protocol.shard import Shard
from cot_entropy.strict import Strict, describe

SCHEMA_VERSION = 1


class ModelIdentity(Strict):
    """Which weights, tokenizer and template answered."""

    name: str
    source: str
    revision: str
    """The hub's commit; of a local or bundled model the sha256 of its files."""
    weights_sha256: str
    tokenizer_sha256: str
    chat_template_sha256: str


class DatasetIdentity(Strict):
    """Which questions were asked, in which order."""

    name: str
    source: str
    revision: str
    sha256: str
    answer: AnswerKind
    questions: int


class EngineIdentity(Strict):
    """What computed the tokens, as far as it can change them."""

    name: str
    version: str
    torch: str
    transformers: str
    device: str
    """The GPU's or the processor's name."""
    driver: str | None
    """Release of the GPU's driver; null on a CPU."""
    cuda: str | None
    """Release of CUDA that torch was built for; null on a CPU, whatever build runs there."""
    settings: EngineSettings


class Header(Strict):
    """The first record of a generation file: everything that its contents depend on."""

    record: Literal["header"] = "header"
    schema_version: Literal[1] = 1
    stage: Literal["chains", "prefixes", "completions", "self_consistency"]
    cell: str
    study_seed: int
    model: ModelIdentity
    dataset: DatasetIdentity
    engine: EngineIdentity
    """What computed this file's tokens; in `prefixes`, those of the chains that it cuts."""
    system_role: Literal["native", "merged"]
    chain: ChainBlock
    probe: ProbeBlock | None = None
    derived_from: ProbeBlock | None = None
    """Completions only: the block whose stored samples were taken where they are the same."""
    code_digest: str
    inputs: dict[str, str]
    """sha256 of each input file, by its role."""


class ShardHeader(Header):
    """The first record of a shard's file, which no reader takes for that of a whole cell."""

    shard: Shard

    def whole(self) -> Header:
        """The header of the file that the shards are gathered into."""
        return Header.model_validate(self.model_dump(exclude={"shard"}))


class Sample(Strict):
    """One sampled continuation."""

    text: str
    token_ids: list[int]
    logprobs: list[float]
    """Natural-log probability of each sampled token, four decimals."""
    finish_reason: Literal["stop", "length"]


class ChainRecord(Strict):
    """The reference chain of one question; `chain` is null where `error` says why."""

    question_id: str
    question: str
    gold: str
    stratum: str | None
    prompt_token_ids: list[int]
    seed: int
    chain: Sample | None
    token_ends: list[int]
    """For each chain token the length of the text up to and with it, in characters.

    The end-of-text token, if sampled, is in `token_ids` and adds no text.
    """
    response_start: str = ""
    """What the template itself opened the response with, such as `<think>`."""
    error: str | None = None


class PrefixRecord(Strict):
    """Where the chain of one question is cut: prefix k is the prompt and `ends[k]` tokens."""

    question_id: str
    n_units_chain: int
    ends: list[int]
    """Tokens of the chain in prefix 0..N; the first is 0."""
    text_ends: list[int]
    """Characters of the chain's text in prefix 0..N (units 1..k)."""


class Prefix(Strict):
    """The m completions sampled at one prefix."""

    k: int
    seed: int
    samples: list[Sample]


class CompletionRecord(Strict):
    """All prefixes of one question, in order."""

    question_id: str
    prefixes: list[Prefix]
    error: str | None = None


R = TypeVar("R", bound=Strict)


def write_records(path: Path, header: Header | None, records: Iterable[Strict]) -> None:
    """Write a header (if any) and records as one file, atomically."""

    def lines() -> Iterator[dict[str, Any]]:
        if header is not None:
            yield header.model_dump(mode="json")
        for record in records:
            yield record.model_dump(mode="json")

    write_jsonl(path, lines())


def read_header(path: Path) -> Header:
    """The header of a generation file; raises DataError naming the file."""
    return _first(path, Header)


def read_shard_header(path: Path) -> ShardHeader:
    """The header of a shard's file; raises DataError naming the file."""
    return _first(path, ShardHeader)


def _first(path: Path, kind: type[R]) -> R:
    for number, value in read_jsonl(path):
        return parse_record(kind, value, path, number)
    raise DataError(f"{path}: empty; delete it and run again")


def read_records(path: Path, kind: type[R]) -> Iterator[R]:
    """The records of a generation file after its header, if it has one."""
    for number, value in read_jsonl(path):
        if number == 1 and value.get("record") == "header":
            continue
        yield parse_record(kind, value, path, number)


def parse_record(kind: type[R], value: dict[str, Any], path: Path, number: int) -> R:
    """One line of a file as a record; raises DataError naming file, line and field."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise DataError(f"{path}:{number}: {describe(error)}") from None
