"""Stored texts against their tokens, decoded again by the tokenizer that a cell's headers name.

Only `tokenizer.json` is needed, known by its sha256; no template of anybody is run. Every prompt
of a file is the same text around its question, every text is the decoding of its ids, every token
ends where the decoding says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Final

from huggingface_hub import try_to_load_from_cache
from tokenizers import Tokenizer

from cot_entropy.audit.findings import Finding, problem_of
from cot_entropy.base.errors import DataError
from cot_entropy.base.files import sha256_file
from cot_entropy.formats.inputs import tokenizer_path
from cot_entropy.formats.records import (
    ChainRecord,
    CompletionRecord,
    Header,
    ModelIdentity,
    PrefixRecord,
    Sample,
    read_records,
)
from cot_entropy.generate.decoding import (
    Decode,
    Encode,
    continuation_text,
    decode_response,
    encode_after,
)
from cot_entropy.generate.stage import text_tokens
from cot_entropy.model.spec import BundledModel, HubModel, LocalModel, ModelSpec
from cot_entropy.model.stage import MODELS, TOKENIZER
from cot_entropy.registration.provenance import CellRecord
from cot_entropy.study.config import Study

MAX_BYTES: Final = 64 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """One results folder, and the tokenizers to decode it with."""

    results: Path
    study: Study
    given: Sequence[Path]
    """Folders that the auditor names, looked into first."""
    decoded: list[str] = field(default_factory=list)
    """Cells whose texts were decoded again."""
    undecoded: list[str] = field(default_factory=list)
    """Cells whose tokenizer is not at hand."""
    unframed: list[str] = field(default_factory=list)
    """Files whose prompts do not show their question when decoded: nothing is said about those."""

    def findings(self, cells: Sequence[CellRecord]) -> Iterator[Finding]:
        """The files of which a text, an end of a token or a prompt is not what its ids say."""
        for cell in cells:
            if not cell.headers:
                continue
            model = next(iter(cell.headers.values())).model
            tokenizer = self._tokenizer(cell.cell.split("/")[0], model)
            if tokenizer is None:
                self.undecoded.append(cell.cell)
                continue
            self.decoded.append(cell.cell)
            for name, header in cell.headers.items():
                if problem := problem_of(lambda: self._problem(name, header, tokenizer)):  # noqa: B023
                    short = problem.replace(f"{self.results}/", "")
                    yield Finding(check="generations", subject=name, detail=short)

    def _tokenizer(self, name: str, model: ModelIdentity) -> Tokenizer | None:
        for path in self._places(name):
            if not path.is_file() or path.stat().st_size > MAX_BYTES:
                continue
            if sha256_file(path) == model.tokenizer_sha256:
                try:
                    return Tokenizer.from_file(str(path))
                except Exception as error:  # the library raises nothing narrower
                    raise DataError(f"{path}: no usable tokenizer ({error})") from None
        return None

    def _places(self, name: str) -> Iterator[Path]:
        for folder in self.given:
            if not (folder / TOKENIZER).is_file():
                raise DataError(f"{folder / TOKENIZER}: no such file; name a folder that holds it")
            yield folder / TOKENIZER
        spec = self.study.models[name]
        found = _folder(spec)
        if found is not None:
            yield found / TOKENIZER
        if isinstance(spec, BundledModel):
            yield tokenizer_path(self.results / "inputs", name)

    def _problem(self, name: str, header: Header, tokenizer: Tokenizer) -> str:
        path = self.results / name
        read = _Reader(tokenizer)
        problems: Iterator[str]
        if header.stage == "chains":
            records = list(read_records(path, ChainRecord))
            if not read.frames(records, header.chain.system_prompt):
                self.unframed.append(name)
            problems = map(read.chain, records)
        elif header.stage == "completions" and header.probe is not None:
            problems = read.completions(path, header.probe.cue)
        elif header.stage == "self_consistency":
            problems = read.votes(path)
        else:
            return ""
        found = [f"record {n}: {one}" for n, one in enumerate(problems, start=1) if one]
        more = f" (and {len(found) - 1} more records)" if len(found) > 1 else ""
        return f"{found[0]}{more}" if found else ""


def _folder(spec: ModelSpec) -> Path | None:
    """Where a model's tokenizer stands on this machine; None where it does not."""
    match spec:
        case LocalModel():
            return Path(spec.path)
        case BundledModel():
            return MODELS / spec.name
        case HubModel():
            found = try_to_load_from_cache(spec.id, TOKENIZER, revision=spec.revision)
            return Path(found).parent if isinstance(found, str) else None


class _Reader:
    """The records of one file, read through one tokenizer."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._size = tokenizer.get_vocab_size(with_added_tokens=True)
        self._decode: Decode = lambda ids: str(
            tokenizer.decode(list(ids), skip_special_tokens=False)
        )
        self._encode: Encode = lambda text: list(
            tokenizer.encode(text, add_special_tokens=False).ids
        )
        self._frame: tuple[str, str] | None = None
        self._exact = False
        self._start = ""
        self._system = ""

    def frames(self, records: Sequence[ChainRecord], system: str) -> bool:
        """Learn what most prompts hold around their question; whether they show it at all."""
        found = Counter(self._around(record) for record in records)
        (self._frame, _), *_ = found.most_common(1) or [(None, 0)]
        self._start = Counter(record.response_start for record in records).most_common(1)[0][0]
        self._system = system.strip()
        again = sum(
            self._encode(self._decode(record.prompt_token_ids)) == record.prompt_token_ids
            for record in records
        )
        self._exact = 2 * again > len(records)
        return self._frame is not None

    def chain(self, record: ChainRecord) -> str:
        prompt = record.prompt_token_ids
        if problem := self._prompt(record):
            return problem
        if record.chain is None:
            return ""
        if outside := self._outside(record.chain):
            return outside
        decoded = decode_response(self._decode, prompt, text_tokens(record.chain))
        stop = record.chain.finish_reason == "stop"
        if decoded.text != record.chain.text:
            return "text of the chain is not what its token ids say"
        if [*decoded.token_ends, *([len(decoded.text)] if stop else [])] != record.token_ends:
            return "token ends are not those of its token ids"
        return ""

    def completions(self, path: Path, cue: str | None) -> Iterator[str]:
        after = encode_after(self._encode, cue) if cue else []
        files = zip_longest(
            read_records(path.parents[1] / "chains.jsonl.zst", ChainRecord),
            read_records(path.with_name("prefixes.jsonl.zst"), PrefixRecord),
            read_records(path, CompletionRecord),
        )
        for chain, where, record in files:
            if chain is None or where is None or record is None:
                return  # named by the checks that count
            tokens = chain.chain.token_ids if chain.chain else []
            yield self._samples(
                record,
                [[*chain.prompt_token_ids, *tokens[:end], *after] for end in where.ends],
            )

    def votes(self, path: Path) -> Iterator[str]:
        chains = read_records(path.with_name("chains.jsonl.zst"), ChainRecord)
        for chain, record in zip(chains, read_records(path, CompletionRecord), strict=False):
            yield self._samples(record, [chain.prompt_token_ids])

    def _samples(self, record: CompletionRecord, prompts: Sequence[list[int]]) -> str:
        for prompt, prefix in zip(prompts, record.prefixes, strict=False):
            for number, sample in enumerate(prefix.samples, start=1):
                if outside := self._outside(sample):
                    return outside
                text = continuation_text(self._decode, prompt, text_tokens(sample))
                if text != sample.text:
                    where = f"sample {number} at prefix {prefix.k}"
                    return f"text of {where} is not what its token ids say"
        return ""

    def _around(self, record: ChainRecord) -> tuple[str, str] | None:
        before, found, after = self._decode(record.prompt_token_ids).partition(record.question)
        return (before, after) if found else None

    def _prompt(self, record: ChainRecord) -> str:
        if self._frame is None:
            return ""
        before, after = self._frame
        text = f"{before}{record.question}{after}"
        exact = self._encode(text) == record.prompt_token_ids if self._exact else True
        if self._decode(record.prompt_token_ids) != text or not exact:
            return "prompt is not that of the other questions around its own"
        if self._system not in before + after:
            return "prompt does not hold the system prompt of its header"
        if record.response_start != self._start or not text.endswith(self._start):
            return "response start is not the end of its prompt"
        return ""

    def _outside(self, sample: Sample) -> str:
        wrong = [one for one in sample.token_ids if not 0 <= one < self._size]
        return f"token id {wrong[0]} is none of the tokenizer's {self._size}" if wrong else ""
