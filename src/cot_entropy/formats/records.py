"""The records of generation files: a header, then one record per question.

A file is zstd-compressed JSON lines: the header first, then the questions in dataset order once
the file is complete. A question that could not be generated has an `error` and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from pydantic import Field, ValidationError

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import read_jsonl, write_jsonl
from cot_entropy.base.strict import Strict, describe
from cot_entropy.protocol.chain import ChainBlock
from cot_entropy.protocol.engine import EngineSettings, Fill
from cot_entropy.protocol.names import AnswerKind
from cot_entropy.protocol.probe import ProbeBlock
from cot_entropy.protocol.shard import Shard

SCHEMA_VERSION = 1


class ModelIdentity(Strict):
    """Which weights, tokenizer and template answered."""

    name: str
    """Its name in the study."""
    source: str
    """`hub`, `local` or `bundled`, and which."""
    revision: str
    """The hub's commit; of a local or bundled model the sha256 of its files."""
    weights_sha256: str
    """Hash over the weight files."""
    tokenizer_sha256: str
    """Hash over the tokenizer files."""
    chat_template_sha256: str
    """Hash of the template that makes the prompt."""


class DatasetIdentity(Strict):
    """Which questions were asked, in which order."""

    name: str
    """Its name in the study."""
    source: str
    """Where the questions come from."""
    revision: str
    """The commit on the hub, or what stands for it."""
    sha256: str
    """Hash that the config pins: of a local file's bytes, else over all questions."""
    questions_sha256: str
    """Hash over the questions asked, in order: id, text and gold as it came."""
    answer: AnswerKind
    """Kind of gold."""
    questions: int
    """How many."""


class EngineIdentity(Strict):
    """What computed the tokens, as far as it can change them."""

    name: str
    """`vllm`, or `scripted` for the stand-in of tests."""
    version: str
    """Its release."""
    torch: str
    """Release."""
    transformers: str
    """Release."""
    device: str
    """The GPU's or the processor's name."""
    driver: str | None
    """Release of the GPU's driver; null on a CPU."""
    cuda: str | None
    """Release of CUDA that torch was built for; null on a CPU, whatever build runs there."""
    settings: EngineSettings
    """The study's `engine`."""

    @property
    def binding(self) -> Self:
        """The same, whatever way the device was filled."""
        settings = EngineSettings.model_validate(self.settings.binding())
        return self.model_copy(update={"settings": settings})


class Header(Strict):
    """The first record of a generation file: everything that its contents depend on."""

    record: Literal["header"] = "header"
    """Marks the first line."""
    schema_version: Literal[1] = 1
    """Version of this format."""
    stage: Literal["chains", "prefixes", "completions", "self_consistency"]
    """What the file holds."""
    cell: str
    """`model/dataset`."""
    study_seed: int
    """The study's seed."""
    model: ModelIdentity
    """Which model answered."""
    dataset: DatasetIdentity
    """Which questions."""
    engine: EngineIdentity
    """What computed this file's tokens; in `prefixes`, those of the chains that it cuts."""
    system_role: Literal["native", "merged"]
    """Whether the template took a system turn, or it was merged into the user turn."""
    chain: ChainBlock
    """The chain block."""
    probe: ProbeBlock | None = None
    """The probe block; null in chains."""
    derived_from: ProbeBlock | None = None
    """Completions only: the block whose stored samples were taken where they are the same."""
    code_digest: str
    """Hash of the code that the stage can reach."""
    inputs: dict[str, str]
    """sha256 of each input file, by its role."""
    other_fills: list[Fill] = Field(default_factory=list)
    """How else than in `engine.settings` the device was filled while questions were finished."""

    @property
    def fills(self) -> list[Fill]:
        """Every way in which the device was filled, that of `engine.settings` first."""
        return [self.engine.settings.fill, *self.other_fills]

    def filled(self, fills: Iterable[Fill]) -> Self:
        """The same header, whose questions were finished with the device filled in these ways."""
        ways = list(dict.fromkeys([*fills, *self.other_fills]))
        settings = self.engine.settings.filled(ways[0])
        engine = self.engine.model_copy(update={"settings": settings})
        return self.model_copy(update={"engine": engine, "other_fills": ways[1:]})

    @property
    def binding(self) -> Self:
        """The same, whatever ways the device was filled in."""
        return self.model_copy(update={"engine": self.engine.binding, "other_fills": []})


class ShardHeader(Header):
    """The first record of a shard's file, which no reader takes for that of a whole cell."""

    shard: Shard

    def whole(self) -> Header:
        """The header of the file that the shards are gathered into."""
        return Header.model_validate(self.model_dump(exclude={"shard"}))


class Sample(Strict):
    """One sampled continuation."""

    text: str
    """What the tokens say."""
    token_ids: list[int]
    """Sampled tokens."""
    logprobs: list[float]
    """Natural-log probability of each sampled token, four decimals."""
    finish_reason: Literal["stop", "length"]
    """`length`: cut at the token budget."""


class ChainRecord(Strict):
    """The reference chain of one question; `chain` is null where `error` says why."""

    question_id: str
    """Id in its dataset."""
    question: str
    """Its text."""
    gold: str
    """Its gold answer."""
    stratum: str | None
    """Its difficulty, if the dataset has one."""
    prompt_token_ids: list[int]
    """The prompt as it was sent."""
    seed: int
    """Seed of the request."""
    chain: Sample | None
    """The reference chain."""
    token_ends: list[int]
    """For each chain token the length of the text up to and with it, in characters.

    The end-of-text token, if sampled, is in `token_ids` and adds no text.
    """
    top_logprobs: list[list[float]] = Field(default_factory=list)
    """For each chain token those of the most probable tokens there, falling, four decimals.

    Empty unless the engine was asked for them (`engine.top_logprobs`).
    """
    response_start: str = ""
    """What the template itself opened the response with, such as `<think>`."""
    error: str | None = None
    """Why there is no chain."""


class PrefixRecord(Strict):
    """Where the chain of one question is cut: prefix k is the prompt and `ends[k]` tokens."""

    question_id: str
    """Id in its dataset."""
    n_units_chain: int
    """Units of the whole chain, before the cap."""
    ends: list[int]
    """Tokens of the chain in prefix 0..N; the first is 0."""
    text_ends: list[int]
    """Characters of the chain's text in prefix 0..N (units 1..k)."""


class Prefix(Strict):
    """The m completions sampled at one prefix."""

    k: int
    """Units in the prefix, 0 to N."""
    seed: int
    """The prefix's seed; sample j has seed + j."""
    samples: list[Sample]
    """The completions, in sample order."""


class CompletionRecord(Strict):
    """All prefixes of one question, in order."""

    question_id: str
    """Id in its dataset."""
    prefixes: list[Prefix]
    """Prefix 0 to N."""
    error: str | None = None
    """Why there are none."""


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
