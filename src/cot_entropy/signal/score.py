"""Stored chains and completions to `trajectories.parquet`, one row per question, without a GPU.

For prefix k and sample j the searched text is units 1..k of the chain and the completion (or the
completion alone), so that a completion that stops at once inherits the chain's answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cot_entropy.answers import cluster, extract, grade_answer
from cot_entropy.base.errors import DataError
from cot_entropy.formats.records import (
    ChainRecord,
    CompletionRecord,
    Prefix,
    PrefixRecord,
    Sample,
    read_header,
    read_records,
)
from cot_entropy.formats.trajectories import write_trajectories
from cot_entropy.protocol.names import AnswerKind
from cot_entropy.protocol.scoring import NoAnswer, ScoreJob, ScoringBlock
from cot_entropy.signal.entropy import NO_ANSWER, coherence, prefix_entropy, violations
from cot_entropy.signal.instability import instability
from cot_entropy.signal.token_entropy import mean_token_entropy, token_entropies
from cot_entropy.signal.units import unit_means, unit_tokens


@dataclass(frozen=True, kw_only=True)
class Question:
    """All that was generated for one question."""

    chain: ChainRecord
    prefixes: PrefixRecord
    completions: CompletionRecord


@dataclass(frozen=True, kw_only=True)
class Majority:
    """The majority answer of m samples: ties go to the answer seen first in sample order."""

    sample: int
    """The first sample that gives it."""
    share: float
    """Among the samples that the `no answer` rule counts."""
    tied: bool


def score(job: ScoreJob, *, chains: Path, prefixes: Path, completions: Path, out: Path) -> None:
    """Write one cell's trajectories; raises DataError where the files are of different runs."""
    kind = read_header(chains).dataset.answer
    questions = read_questions(chains=chains, prefixes=prefixes, completions=completions)
    rows = (score_question(question, job=job, kind=kind) for question in questions)
    write_trajectories(out, rows)


def read_questions(*, chains: Path, prefixes: Path, completions: Path) -> Iterator[Question]:
    """Join the three files of a cell question by question, in order."""
    files = (
        read_records(chains, ChainRecord),
        read_records(prefixes, PrefixRecord),
        read_records(completions, CompletionRecord),
    )
    try:
        for chain, prefix, completion in zip(*files, strict=True):
            ids = {chain.question_id, prefix.question_id, completion.question_id}
            if len(ids) > 1:
                raise DataError(
                    f"{completions}: question `{completion.question_id}` stands where {chains} "
                    f"has `{chain.question_id}`; the files are of different runs"
                )
            yield Question(chain=chain, prefixes=prefix, completions=completion)
    except ValueError:
        raise DataError(
            f"{completions}: not as many questions as {chains}; the files are of different runs"
        ) from None


def score_question(question: Question, *, job: ScoreJob, kind: AnswerKind) -> dict[str, Any]:
    """One row of the trajectories contract."""
    chain, scoring = question.chain, job.scoring
    text = chain.chain.text if chain.chain else ""
    answers = [
        [
            extract(searched, rule=scoring.extraction, kind=kind)
            for searched in searched_texts(prefix, question, scoring)
        ]
        for prefix in question.completions.prefixes
    ]
    labels = [cluster(row, equivalence=scoring.equivalence, kind=kind).labels for row in answers]
    right = [[_correct(answer, chain.gold, scoring, kind) for answer in row] for row in answers]
    entropies = [prefix_entropy(row, scoring.no_answer) for row in labels]
    rises = violations(entropies, scoring.eps)
    top = majority(labels[-1], scoring.no_answer) if labels else None
    winner = top.sample if top else None
    chain_answer = extract(text, rule=scoring.extraction, kind=kind)
    chain_correct = _correct(chain_answer, chain.gold, scoring, kind)
    samples = [sample for prefix in question.completions.prefixes for sample in prefix.samples]
    next_token = mean_token_entropy(chain.top_logprobs)
    by_token, _ = token_entropies(chain.top_logprobs)
    ends = question.prefixes.ends
    return {
        "cell": job.cell,
        "question_id": chain.question_id,
        "n_units": max(len(question.prefixes.ends) - 1, 0),
        "n_units_chain": question.prefixes.n_units_chain,
        "entropies": entropies,
        "answers_missing": [row.count(None) for row in answers],
        "completions_empty": [
            sum(not sample.text.strip() for sample in prefix.samples)
            for prefix in question.completions.prefixes
        ],
        "violations": rises,
        "monotone": None if rises is None else rises == 0,
        "coherence": coherence(entropies),
        "final_entropy": entropies[-1] if entropies else None,
        "final_confidence": top.share if top else None,
        "majority_answer": None if winner is None else answers[-1][winner],
        "majority_tied": top.tied if top else False,
        "correct": (
            chain_correct
            if scoring.outcome == "chain"
            else winner is not None and right[-1][winner]
        ),
        "chain_answer": chain_answer,
        "chain_correct": chain_correct,
        "chain_tokens": len(chain.chain.token_ids) if chain.chain else 0,
        "chain_truncated": bool(chain.chain and chain.chain.finish_reason == "length"),
        "probe_tokens": sum(len(sample.token_ids) for sample in samples),
        "answer_clusters": labels,
        "final_samples_correct": right[-1] if right else [],
        "probe_tokens_by_prefix": [
            sum(len(sample.token_ids) for sample in prefix.samples)
            for prefix in question.completions.prefixes
        ],
        "completion_mean_logprobs": [
            [_mean_logprob(sample) for sample in prefix.samples]
            for prefix in question.completions.prefixes
        ],
        "samples_correct": right,
        "chain_mean_logprob": _mean_logprob(chain.chain) if chain.chain else None,
        "chain_token_entropy": next_token.entropy if next_token else None,
        "chain_token_remainder": next_token.remainder if next_token else None,
        "chain_entropy_instability": instability(by_token),
        "unit_tokens": unit_tokens(ends),
        "unit_mean_logprobs": unit_means(chain.chain.logprobs, ends) if chain.chain else [],
        "unit_token_entropies": unit_means(by_token.tolist(), ends) if by_token.size else None,
        "stratum": chain.stratum,
        "answers": answers,
    }


def majority(labels: Sequence[int], no_answer: NoAnswer) -> Majority | None:
    """The most frequent answer of the last prefix; None where all m gave no answer.

    Completions without an answer count as the rule says: as one answer (and a wrong one), as
    nothing, or each as an answer of its own.
    """
    if all(label == NO_ANSWER for label in labels):
        return None
    classes = [
        (
            label if label != NO_ANSWER or no_answer == "shared_class" else (NO_ANSWER, sample),
            sample,
        )
        for sample, label in enumerate(labels)
        if label != NO_ANSWER or no_answer != "drop"
    ]
    counts = Counter(answer for answer, _ in classes)
    most = max(counts.values())
    leaders = [answer for answer in counts if counts[answer] == most]
    first = next(sample for answer, sample in classes if answer == leaders[0])
    return Majority(sample=first, share=most / len(classes), tied=len(leaders) > 1)


def searched_texts(prefix: Prefix, question: Question, scoring: ScoringBlock) -> list[str]:
    """What each sample of a prefix is searched in: units 1..k and the sample, or the sample."""
    units = ""
    if scoring.searched == "units_and_completion" and question.chain.chain:
        units = question.chain.chain.text[: question.prefixes.text_ends[prefix.k]]
    return [units + sample.text for sample in prefix.samples]


def _correct(answer: str | None, gold: str, scoring: ScoringBlock, kind: AnswerKind) -> bool:
    if answer is None:
        return False
    return grade_answer(answer, gold, equivalence=scoring.equivalence, kind=kind).correct


def _mean_logprob(sample: Sample) -> float | None:
    return float(np.mean(sample.logprobs)) + 0.0 if sample.logprobs else None
