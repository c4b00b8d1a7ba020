"""Samples and errors against what a header allows: lengths, ends, log-probabilities, reasons.

None of this needs a tokenizer or a model.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from pathlib import Path

from cot_entropy.audit.findings import Finding
from cot_entropy.base.errors import UserError
from cot_entropy.base.strict import Strict
from cot_entropy.formats.records import (
    ChainRecord,
    CompletionRecord,
    Header,
    PrefixRecord,
    Sample,
    read_records,
)
from cot_entropy.generate.chains import context_error
from cot_entropy.registration.provenance import CellRecord


class Errors(Strict):
    """Questions of one file whose record holds an error in place of generations."""

    file: str
    """Path below the results."""
    questions: int
    """Records in the file."""
    errors: int
    """Of them, with an error."""
    unexplained: int
    """Of them, with an error that does not follow from the stored numbers."""
    first: str
    """The first such error; empty where there is none."""


def sample_problem(sample: Sample, budget: int) -> str:
    """Where a sample is none that a budget of so many tokens gives; empty if nowhere."""
    tokens = len(sample.token_ids)
    if len(sample.logprobs) != tokens:
        return "not one log-probability for each token"
    if not 1 <= tokens <= budget:
        return f"{tokens} tokens, where the budget is {budget}"
    if sample.finish_reason == "length" and tokens < budget:
        return f"cut at the budget of {budget} tokens, and has {tokens}"
    return "" if _are_logprobs(sample.logprobs) else "no log-probabilities of four decimals"


def top_problem(record: ChainRecord, asked: int) -> str:
    """Where the further log-probabilities of a chain are none that an engine gives."""
    tokens = len(record.chain.token_ids) if record.chain else 0
    if len(record.top_logprobs) != (tokens if asked else 0):
        return "not the further log-probabilities that the engine was asked for"
    for row in record.top_logprobs:
        if not _are_logprobs(row) or any(a < b for a, b in pairwise(row)):
            return "further log-probabilities that are none, or do not fall"
    return ""


def _are_logprobs(values: Sequence[float]) -> bool:
    return all(value <= 0 and round(value, 4) == value for value in values)


@dataclass(frozen=True)
class Ends:
    """Which tokens end texts in one cell, and which stand inside them.

    A token that ends a text ends every text: where it also stands inside one, a text was cut, or
    its finish reason changed.
    """

    ending: Counter[int] = field(default_factory=Counter)
    inside: set[int] = field(default_factory=set)
    places: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, sample: Sample, place: str) -> None:
        """Note one sample of a file."""
        ids = sample.token_ids
        if sample.finish_reason == "stop" and ids:
            self.ending[ids[-1]] += 1
            if len(self.places[ids[-1]]) < 2:
                self.places[ids[-1]].append(place)
            ids = ids[:-1]
        self.inside.update(ids)

    def problems(self) -> Iterator[tuple[str, str]]:
        """File and detail of each token that ends some texts and stands inside others."""
        for token in sorted(self.ending.keys() & self.inside):
            path, _, where = self.places[token][0].partition(" ")
            count = self.ending[token]
            yield path, f"{where}: token {token} ends {count} texts and stands inside others"


def cell_samples(cell: CellRecord, results: Path) -> Iterator[Finding]:
    """What the ends of all texts of a cell say about each other."""
    ends = Ends()
    for name, header in cell.headers.items():
        try:
            for place, sample in _samples(results / name, name, header):
                ends.add(sample, place)
        except UserError:
            continue  # named by the checks that read the file
    for name, detail in ends.problems():
        yield Finding(check="generations", subject=name, detail=detail)


def _samples(path: Path, name: str, header: Header) -> Iterator[tuple[str, Sample]]:
    if header.stage == "chains":
        for number, record in enumerate(read_records(path, ChainRecord), start=1):
            if record.chain:
                yield f"{name} record {number}", record.chain
    elif header.stage in {"completions", "self_consistency"}:
        for number, one in enumerate(read_records(path, CompletionRecord), start=1):
            for prefix in one.prefixes:
                for sample in prefix.samples:
                    yield f"{name} record {number}", sample


def cell_errors(cell: CellRecord, results: Path) -> Iterator[Errors]:
    """The errors of each generation file of a cell, and which of them its numbers explain."""
    for name, header in cell.headers.items():
        if header.stage == "prefixes":
            continue
        try:
            yield _errors(results / name, name, header)
        except UserError:
            continue  # named by the checks that read the file


def _errors(path: Path, name: str, header: Header) -> Errors:
    pairs = _chain_errors(path, header) if header.stage == "chains" else _later(path, header)
    found = list(pairs)
    unexplained = [error for error, known in found if error is not None and error not in known]
    return Errors(
        file=name,
        questions=len(found),
        errors=sum(error is not None for error, _ in found),
        unexplained=len(unexplained),
        first=unexplained[0] if unexplained else "",
    )


def _chain_errors(path: Path, header: Header) -> Iterator[tuple[str | None, list[str | None]]]:
    for record in read_records(path, ChainRecord):
        prompt, settings = len(record.prompt_token_ids), header.engine.settings
        yield record.error, [context_error(prompt, header.chain.budget, settings)]


def _later(path: Path, header: Header) -> Iterator[tuple[str | None, list[str | None]]]:
    """Errors of completions, or of chains to vote with, beside what the numbers explain."""
    settings = header.engine.settings
    votes = header.stage == "self_consistency"
    above = path.parent if votes else path.parents[1]
    chains = read_records(above / "chains.jsonl.zst", ChainRecord)
    cuts: Iterator[PrefixRecord] = iter(())
    if not votes:
        cuts = read_records(path.with_name("prefixes.jsonl.zst"), PrefixRecord)
    files = zip_longest(chains, cuts, read_records(path, CompletionRecord))
    for chain, cut, record in files:
        if chain is None or record is None:
            continue
        prompt = len(chain.prompt_token_ids)
        if votes or header.probe is None:
            yield record.error, [context_error(prompt, header.chain.budget, settings)]
            continue
        if chain.chain is None:
            yield record.error, [f"no chain: {chain.error}"]
            continue
        longest = prompt + (max(cut.ends, default=0) if cut else 0)
        known = [context_error(longest, header.probe.budget, settings)]
        if header.derived_from is not None:
            under = context_error(longest, header.derived_from.budget, settings)
            known.append(f"under the stored block: {under}")
        yield record.error, known
