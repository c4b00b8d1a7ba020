"""Writes a clearly synthetic run in the layout of results/<study>/: random numbers, no model.

Deterministic in its seed. Chains, completions and answers are drawn from word lists, so that a
page of 7,276 questions can be tested without any engine.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cot_entropy.formats.records import (
    ChainRecord,
    CompletionRecord,
    DatasetIdentity,
    EngineIdentity,
    Header,
    ModelIdentity,
    Prefix,
    PrefixRecord,
    Sample,
    write_records,
)
from cot_entropy.formats.trajectories import write_trajectories
from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Protocol
from cot_entropy.protocol.chain import ChainBlock
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.protocol.probe import ProbeBlock
from cot_entropy.report.inputs import cell_files
from cot_entropy.signal.entropy import coherence, prefix_entropy, violations
from cot_entropy.stats.analyse import analyse
from cot_entropy.stats.published.comparison import comparison
from cot_entropy.stats.published.row import write_comparison

ROOT = Path(__file__).parents[2]
PLAN = ROOT / "preregistration" / "plan.yaml"
PUBLISHED = PLAN.with_name("published.yaml")
PUBLISHED = PLAN.with_name("published.yaml")
PROTOCOL = Protocol(chain="registered", probe="registered", scoring="registered")
WORDS = [
    *("so", "then", "the", "total", "of", "apples", "in", "each", "basket", "is", "found", "by"),
    *("adding", "what", "was", "left", "after", "she", "gave", "half", "away", "and", "we", "cost"),
]


@dataclass(frozen=True)
class Draw:
    """One question's generated text and its row of the trajectories."""

    chain: ChainRecord
    prefixes: PrefixRecord
    completions: CompletionRecord
    row: dict[str, Any]


def draw(
    cell: str,
    index: int,
    rng: np.random.Generator,
    *,
    hostile: str = "",
    sentences: Sequence[str] = (),
) -> Draw:
    """One question: the entropy mostly falls; wrong answers rise more often."""
    n_units = int(rng.integers(2, 9))
    right = bool(rng.random() < 0.7)
    gold, wrong = str(int(rng.integers(10, 500))), str(int(rng.integers(500, 900)))
    final = gold if right else wrong
    units = [
        " ".join(rng.choice(WORDS, size=int(rng.integers(10, 26)))) + "." for _ in range(n_units)
    ]
    if sentences:
        units = [str(rng.choice(sentences)) for _ in range(n_units)]
    units[0] += hostile
    units[-1] += f" The answer is {final}."
    spread = rng.uniform(0.2, 0.8) * (1 if right else 1.4)
    answers = []
    for k in range(n_units + 1):
        keep = min(
            0.97, 0.35 + k / n_units * (0.6 if right else 0.38) + float(rng.normal(0, 0.1 * spread))
        )
        drawn = [final if rng.random() < keep else str(int(rng.integers(1, 6))) for _ in range(5)]
        answers.append([None if rng.random() < 0.01 else answer for answer in drawn])
    labels = [_labels(row) for row in answers]
    entropies = [prefix_entropy(row) for row in labels]
    rises = violations(entropies, 0.01)
    ends = np.cumsum([0] + [len(u) + 2 for u in units]).tolist()
    text = "\n\n".join(units)
    ends[-1] = len(text)
    last = answers[-1]
    majority = max(last, key=lambda a: (last.count(a), -last.index(a)))
    question_id = f"{cell.split('/')[1]}-{index}"
    return Draw(
        chain=ChainRecord(
            question_id=question_id,
            question=" ".join(rng.choice(WORDS, size=30)) + "?" + hostile,
            gold=gold,
            stratum=None,
            prompt_token_ids=[1, 2],
            seed=index,
            chain=_sample(text),
            token_ends=[len(text)],
        ),
        prefixes=PrefixRecord(
            question_id=question_id,
            n_units_chain=n_units,
            ends=list(range(n_units + 1)),
            text_ends=ends,
        ),
        completions=CompletionRecord(
            question_id=question_id,
            prefixes=[
                Prefix(k=k, seed=k, samples=[_sample(_completion(a)) for a in row])
                for k, row in enumerate(answers)
            ],
        ),
        row={
            "cell": cell,
            "question_id": question_id,
            "n_units": n_units,
            "n_units_chain": n_units,
            "entropies": entropies,
            "answers_missing": [row.count(None) for row in answers],
            "completions_empty": [0 for _ in answers],
            "violations": rises,
            "monotone": None if rises is None else rises == 0,
            "coherence": coherence(entropies),
            "final_entropy": entropies[-1],
            "final_confidence": last.count(majority) / 5,
            "majority_answer": majority,
            "majority_tied": False,
            "correct": majority == gold,
            "chain_answer": final,
            "chain_correct": right,
            "chain_tokens": len(text) // 4,
            "chain_truncated": False,
            "probe_tokens": 30 * 5 * (n_units + 1),
            "answer_clusters": labels,
            "final_samples_correct": [a == gold for a in last],
            "probe_tokens_by_prefix": [150 for _ in answers],
            "answers": answers,
        },
    )


def _labels(row: list[str | None]) -> list[int]:
    seen: dict[str, int] = {}
    return [-1 if a is None else seen.setdefault(a, len(seen)) for a in row]


def _completion(answer: str | None) -> str:
    return "so we stop here" if answer is None else f"which gives the answer {answer}"


def _sample(text: str) -> Sample:
    return Sample(text=text, token_ids=[1], logprobs=[-0.1], finish_reason="stop")


def header(cell: str, *, engine: str, questions: int, stage: str) -> Header:
    """A header that names its engine; hashes are zeros."""
    zeros = "0" * 64
    settings = EngineSettings(name=engine, device="cpu")
    model, dataset = cell.split("/")
    return Header(
        stage=stage,
        cell=cell,
        study_seed=1,
        model=ModelIdentity(
            name=model, source="synthetic", revision="none", weights_sha256=zeros,
            tokenizer_sha256=zeros, chat_template_sha256=zeros,
        ),
        dataset=DatasetIdentity(
            name=dataset, source="synthetic", revision="none", sha256=zeros,
            questions_sha256=zeros, answer="number", questions=questions,
        ),
        engine=EngineIdentity(
            name=engine, version="0", torch="0", transformers="0", device="cpu", driver=None, cuda=None,
            settings=settings,
        ),
        system_role="native",
        chain=ChainBlock(system_prompt="synthetic", temperature=0.7, budget=1024),
        probe=ProbeBlock(
            segmentation="blank_lines", cap=8, cap_policy="truncate", m=5, temperature=0.7, budget=150
        ),
        code_digest=zeros,
        inputs={},
    )  # fmt: skip


def write_run(
    results: Path,
    sizes: dict[str, int],
    *,
    engine: str = "scripted",
    hostile: str = "",
    seed: int = 20261129,
    jobs: int = 1,
    sentences: Sequence[str] = (),
) -> None:
    """Write every file of a run with these cells and numbers of questions."""
    for number, (cell, questions) in enumerate(sizes.items()):
        rng = np.random.default_rng([seed, number])
        draws = [
            draw(cell, i, rng, hostile=hostile if i == 0 else "", sentences=sentences)
            for i in range(questions)
        ]
        files = cell_files(results, cell, PROTOCOL)
        write_records(
            files.chains,
            header(cell, engine=engine, questions=questions, stage="chains"),
            [d.chain for d in draws],
        )
        write_records(files.prefixes, None, [d.prefixes for d in draws])
        write_records(
            files.completions,
            header(cell, engine=engine, questions=questions, stage="completions"),
            [d.completions for d in draws],
        )
        write_trajectories(files.trajectories, [d.row for d in draws])
    plan = registration_of(results)
    paths = [cell_files(results, cell, PROTOCOL).trajectories for cell in sizes]
    found = analyse(plan, paths, results, jobs=jobs)
    rows = comparison(
        [*found.verdicts, *found.estimates],
        PUBLISHED,
        level=0.95,
        cells=load_plan(plan).plan.cells,
    )
    write_comparison(results / "comparison.csv", rows)


def registration_of(results: Path, *, resamples: int = 200) -> Path:
    """The project's plan with few resamples, and the declared differences, below `results`."""
    text = PLAN.read_text(encoding="utf-8").replace("10000", str(resamples))
    plan = results / "preregistration" / "plan.yaml"
    plan.parent.mkdir(parents=True, exist_ok=True)
    plan.write_text(text, encoding="utf-8")
    for name in ("differences.yaml", "published.yaml"):
        shutil.copy(PLAN.with_name(name), plan.parent)
    return plan
