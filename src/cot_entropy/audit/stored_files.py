"""Stored files against what the run wrote down about them: hashes, headers, questions, seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Final

from cot_entropy.answers.golds import number_gold
from cot_entropy.audit.findings import Finding
from cot_entropy.audit.sampled import cell_errors, cell_samples, sample_problem, top_problem
from cot_entropy.base.errors import UserError
from cot_entropy.base.files import sha256_file
from cot_entropy.base.seeds import Role, request_seed
from cot_entropy.data.load import load
from cot_entropy.data.questions import Question as Asked
from cot_entropy.data.questions import questions_sha256
from cot_entropy.data.sources.embedded import EmbeddedDataset
from cot_entropy.data.sources.local import LocalDataset
from cot_entropy.formats.attempts import read_attempts
from cot_entropy.formats.inputs import Question, read_dataset, read_questions
from cot_entropy.formats.records import (
    ChainRecord,
    CompletionRecord,
    Header,
    PrefixRecord,
    read_header,
    read_records,
)
from cot_entropy.registration.provenance import CellRecord, Manifest, recorded, result_files
from cot_entropy.study.config import Study

ROLES: Final[Mapping[str, Role]] = {
    "chains": "chain",
    "completions": "completion",
    "self_consistency": "self_consistency",
}


def manifest_findings(results: Path, manifest: Manifest) -> Iterator[Finding]:
    """Files that are not the bytes that the run sealed, are gone, or were added."""
    present = {path.relative_to(results).as_posix(): path for path in result_files(results)}
    for name, path in present.items():
        sealed = manifest.files.get(name)
        if sealed is None:
            yield _file(name, "is not in manifest.json: added after the run")
        elif sha256_file(path) != sealed.sha256:
            yield _file(name, "is not the file that manifest.json seals (sha256 differs)")
        elif path.stat().st_size != sealed.bytes:
            yield _file(name, "has another size than manifest.json says")
    for name in manifest.files.keys() - present.keys():
        yield _file(name, "is in manifest.json and not there: removed after the run")


def record_findings(results: Path, cell: CellRecord) -> Iterator[Finding]:
    """A cell's files against its provenance: hashes and headers."""
    for name, sha256 in cell.files.items():
        path = results / name
        if not recorded(path):
            yield _file(name, f"provenance of {cell.cell} names it and it is not there")
        elif sha256_file(path) != sha256:
            yield _file(name, f"is not the file in the provenance of {cell.cell} (sha256 differs)")
        elif name in cell.headers and read_header(path) != cell.headers[name]:
            yield _file(name, f"has another header than the provenance of {cell.cell} says")
        elif name in cell.headers and read_attempts(path) != cell.attempts.get(name, []):
            yield _file(name, f"has other attempts than the provenance of {cell.cell} says")
    for name in cell.headers.keys() - cell.files.keys():
        yield _file(name, f"provenance of {cell.cell} has a header and no hash of it")


def generation_findings(results: Path, cell: CellRecord, study: Study) -> Iterator[Finding]:
    """A cell's generations against its questions: ids, order, texts, golds, seeds, counts.

    The questions themselves against what headers and config say of them; generated ones are
    generated again.
    """
    questions = results / "inputs" / f"{cell.cell.split('/')[1]}.questions.jsonl.zst"
    for name, header in cell.headers.items():
        path = results / name
        try:
            problem = next(_problems(path, header, questions, study), None)
        except UserError as error:
            problem = str(error).replace(f"{results}/", "")
        if problem:
            yield Finding(check="generations", subject=name, detail=problem)
    for one in cell_errors(cell, results):
        if one.unexplained:
            detail = (
                f"{one.unexplained} of {one.questions} questions hold an error that no stored "
                f"number explains: {one.first}"
            )
            yield Finding(check="generations", subject=one.file, detail=detail)
    yield from cell_samples(cell, results)


def _problems(path: Path, header: Header, questions: Path, study: Study) -> Iterator[str]:
    if read_dataset(questions) != header.dataset:
        yield f"{questions.name} holds another dataset than the header names"
    yield from _question_problems(header, questions, study)
    if header.stage == "chains":
        if header.inputs.get("questions") != sha256_file(questions):
            yield f"was made from other questions than {questions.name}"
        pairs = zip_longest(read_questions(questions), read_records(path, ChainRecord))
        for number, (question, chain) in enumerate(pairs, start=1):
            yield from _chain_problems(number, question, chain, header)
        return
    ids = [question.id for question in read_questions(questions)]
    if header.stage == "prefixes":
        found = [record.question_id for record in read_records(path, PrefixRecord)]
        if found != ids:
            yield f"its {len(found)} questions are not the {len(ids)} of {questions.name}, in order"
        return
    samples = header.probe.m if header.probe else None
    cut = [1] * len(ids)  # a baseline: the prompt alone
    if header.probe:
        stored = read_records(path.with_name("prefixes.jsonl.zst"), PrefixRecord)
        cut = [len(record.ends) for record in stored]
    records = read_records(path, CompletionRecord)
    for number, (identity, prefixes, record) in enumerate(zip_longest(ids, cut, records), start=1):
        if record is None or record.question_id != identity:
            yield f"record {number} is not of question `{identity}`"
            continue
        if len(record.prefixes) != (0 if record.error else prefixes):
            yield f"record {number}: {len(record.prefixes)} prefixes, where {prefixes} were cut"
        if samples is None and record.prefixes:  # a baseline: as many as the first question has
            samples = len(record.prefixes[0].samples)
        yield from _completion_problems(number, record, header, samples)


def _question_problems(header: Header, path: Path, study: Study) -> Iterator[str]:
    stored = list(read_questions(path))
    dataset, spec = header.dataset, study.datasets[header.cell.split("/")[1]]
    if len(stored) != dataset.questions:
        yield f"{path.name} holds {len(stored)} questions, its header says {dataset.questions}"
    asked = [Asked(**one.model_dump()) for one in stored]
    found = questions_sha256(asked)
    for one in asked:
        if one.written is not None and number_gold(one.written) != one.gold:
            yield f"{path.name}: gold of `{one.id}` is not what was written, read as a number"
    if found != dataset.questions_sha256:
        yield f"{path.name}: sha256 of its questions is {found}, its header says another"
    if spec.questions is None and not isinstance(spec, LocalDataset) and found != dataset.sha256:
        yield f"{path.name}: sha256 of its questions is {found}, the dataset's is another"
    generated = isinstance(spec, EmbeddedDataset) and spec.questions in {None, len(stored)}
    if generated and asked != list(load(spec, root=Path()).questions):
        yield f"{path.name}: not the questions that the config generates"


def _chain_problems(
    number: int, question: Question | None, record: ChainRecord | None, header: Header
) -> Iterator[str]:
    if question is None or record is None or record.question_id != question.id:
        yield f"record {number} is not of question `{question.id if question else None}`"
        return
    stored = (record.question, record.gold, record.stratum)
    if stored != (question.text, question.gold, question.stratum):
        yield f"record {number}: question or gold is not that of `{question.id}`"
    if record.seed != _seed(header, question.id, index=0):
        yield f"record {number}: seed is not that of `{question.id}` in {header.cell}"
    chain, ends = record.chain, record.token_ends
    if chain is None:
        if ends or record.error is None:
            yield f"record {number}: no chain, and no reason"
    elif record.error is not None:
        yield f"record {number}: a chain, and an error"
    elif problem := sample_problem(chain, header.chain.budget):
        yield f"record {number}: {problem}"
    elif len(ends) != len(chain.token_ids):
        yield f"record {number}: not one token end for each token"
    elif sorted(ends) != ends or [0, *ends][-1] != len(chain.text) or min(ends, default=0) < 0:
        yield f"record {number}: the token ends are not those of its text"
    if problem := top_problem(record, header.engine.settings.top_logprobs):
        yield f"record {number}: {problem}"


def _completion_problems(
    number: int, record: CompletionRecord, header: Header, samples: int | None
) -> Iterator[str]:
    for index, prefix in enumerate(record.prefixes):
        if prefix.k != index or len(prefix.samples) != samples:
            yield f"record {number}: prefix {index} does not hold {samples} samples"
        if prefix.seed != _seed(header, record.question_id, index=index):
            yield f"record {number}: seed of prefix {index} is not that of {header.cell}"
        budget = header.probe.budget if header.probe else header.chain.budget
        for sample in prefix.samples:
            if problem := sample_problem(sample, budget):
                yield f"record {number}: prefix {index}: {problem}"


def _seed(header: Header, question_id: str, *, index: int) -> int:
    return request_seed(
        study_seed=header.study_seed,
        run=header.chain.seed,
        cell=header.cell,
        question_id=question_id,
        role=ROLES[header.stage],
        index=index,
    )


def _file(name: str, detail: str) -> Finding:
    return Finding(check="files", subject=name, detail=detail)
