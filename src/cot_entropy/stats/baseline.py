"""Self-consistency beside the entropy signals: accuracy, coverage curve and tokens, per cell.

The vote's share of the majority answer is the baseline's confidence; answers are extracted and
compared by the study's own scoring block. Everything here is exploratory (E9).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Final

import numpy as np

from cot_entropy.answers import cluster, extract, grade_answer
from cot_entropy.base.errors import DataError, PlanError
from cot_entropy.formats.records import ChainRecord, CompletionRecord, read_header, read_records
from cot_entropy.plan.entries.cost import Cost
from cot_entropy.plan.load import load_plan
from cot_entropy.protocol.baseline import BaselineJob
from cot_entropy.protocol.names import AnswerKind
from cot_entropy.signal.score import majority
from cot_entropy.stats.cells import Cell, Flags, Values, read_cell
from cot_entropy.stats.confirm.hypotheses import settings_of
from cot_entropy.stats.explore.bootstrap import Rows, Weights, bootstrap, ratio
from cot_entropy.stats.explore.ranking import Ranking, auroc
from cot_entropy.stats.explore.risk_coverage import RiskCoverage
from cot_entropy.stats.explore.signals import SignalSource, oriented
from cot_entropy.stats.signals import final_entropy, shape_flag, violations
from cot_entropy.stats.tables import ESTIMATE_COLUMNS, write_table

COVERAGES: Final = (0.2, 0.4, 0.6, 0.8, 1.0)
SIGNALS: Final = {
    "final_entropy": final_entropy.SIGNAL,
    "violations": violations.SIGNAL,
    "shape_flag": shape_flag.SIGNAL,
}


@dataclass(frozen=True, kw_only=True)
class Vote:
    """One question's vote over k chains; a vote without any answer is wrong."""

    share: float
    correct: bool
    tokens: int


@dataclass(frozen=True, eq=False)
class _Method:
    """What answers, how sure it is of each answer, and what each costs in generated tokens."""

    scores: Values
    correct: Flags
    tokens: Values


def compare_baseline(
    job: BaselineJob,
    *,
    chains: Path,
    self_consistency: Path,
    trajectories: Path,
    plan: Path,
    out: Path,
) -> None:
    """Write `out`, the numbers of the vote and of each signal; raises DataError and PlanError."""
    loaded = load_plan(plan)
    entry = next((one for one in loaded.plan.exploratory if isinstance(one, Cost)), None)
    if entry is None:
        raise PlanError(f"{plan}: no entry with the estimator `cost`")
    cell = read_cell(trajectories)
    votes = read_votes(job, chains=chains, self_consistency=self_consistency)
    if list(votes) != cell.frame["question_id"].tolist():
        raise DataError(f"{self_consistency}: not the questions of {trajectories}")
    found = list(votes.values())
    methods = {"self_consistency": _vote_method(found)} | {
        name: _signal_method(cell, signal) for name, signal in SIGNALS.items()
    }
    names, rows = _names(methods), Rows(entry=entry, cell=cell)
    values = bootstrap(cell, settings_of(loaded.plan), lambda weights: _numbers(methods, weights))
    write_table(
        out,
        [
            rows.row(name, value, n=cell.n, undefined="one outcome class, or no question")
            for name, value in zip(names, values, strict=True)
        ],
        columns=ESTIMATE_COLUMNS,
        plan_sha256=loaded.sha256,
        trajectories_sha256={cell.name: cell.trajectories_sha256},
    )


def read_votes(job: BaselineJob, *, chains: Path, self_consistency: Path) -> dict[str, Vote]:
    """The vote on every question, by its id, in order; raises DataError."""
    kind = read_header(chains).dataset.answer
    pairs = zip_longest(
        read_records(chains, ChainRecord), read_records(self_consistency, CompletionRecord)
    )
    votes: dict[str, Vote] = {}
    for chain, sampled in pairs:
        if chain is None or sampled is None or chain.question_id != sampled.question_id:
            raise DataError(f"{self_consistency}: not the questions of {chains}, in order")
        votes[chain.question_id] = vote(sampled, chain.gold, job, kind)
    return votes


def vote(sampled: CompletionRecord, gold: str, job: BaselineJob, kind: AnswerKind) -> Vote:
    """The majority answer of the chains, ties to the answer seen first."""
    samples = [sample for prefix in sampled.prefixes for sample in prefix.samples]
    rule = job.scoring
    answers = [extract(sample.text, rule=rule.extraction, kind=kind) for sample in samples]
    labels = cluster(answers, equivalence=rule.equivalence, kind=kind).labels
    top = majority(labels, rule.no_answer) if labels else None
    answer = None if top is None else answers[top.sample]
    return Vote(
        share=top.share if top else 0.0,
        correct=answer is not None
        and grade_answer(answer, gold, equivalence=rule.equivalence, kind=kind).correct,
        tokens=sum(len(sample.token_ids) for sample in samples),
    )


def _vote_method(votes: list[Vote]) -> _Method:
    return _Method(
        np.array([one.share for one in votes]),
        np.array([one.correct for one in votes], dtype=np.bool_),
        np.array([float(one.tokens) for one in votes]),
    )


def _signal_method(cell: Cell, signal: SignalSource) -> _Method:
    tokens = cell.values("chain_tokens") + cell.values("probe_tokens")
    return _Method(oriented(cell, signal), cell.correct, tokens)


def _names(methods: Mapping[str, _Method]) -> list[str]:
    measures = ["accuracy", "tokens_per_question", "auroc"]
    return [
        f"{measure}[{name}]"
        for name in methods
        for measure in (*measures, *(f"accuracy_at_coverage_{c:g}" for c in COVERAGES))
    ]


def _numbers(methods: Mapping[str, _Method], weights: Weights) -> Values:
    """Per method accuracy, tokens, AUROC and accuracy at each coverage, `(k, b)`."""
    numbers: list[Values] = []
    total = weights.sum(axis=0)
    for one in methods.values():
        sums = Ranking.of(one.scores, one.correct, ~np.isnan(one.scores)).sums(weights)
        curve = RiskCoverage.of(sums)
        numbers += [
            ratio(one.correct.astype(np.float64) @ weights, total),
            ratio(one.tokens @ weights, total),
            auroc(sums),
        ]
        numbers += [1 - curve.risk_at(np.full(weights.shape[1], c)) for c in COVERAGES]
    return np.array(numbers)
