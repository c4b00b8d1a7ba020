"""Extract and cluster the answers of the registered study at its cap: 327,420 completions.

7,276 questions (4 models x 1,319 GSM8K and 500 MATH questions), 9 prefixes, 5 completions of up to
150 tokens. The texts are cut from real solutions in `../shared/data` where that folder stands
beside the project, else made up. Goals on two cores: 60 s under `registered` + `normalised`, 180 s
under `robust` + `by_value`, with memory flat in the number of questions.

    python benchmarks/answers.py [--share 0.1] [--processes 2]
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from cot_entropy.answers import AnswerKind, Equivalence, ExtractionRule, cluster, extract

DATA: Final = Path(__file__).parents[1].parent / "shared" / "data"
MODELS: Final = 4
QUESTIONS: Final = {"gsm8k": 1319, "math": 500}
PREFIXES: Final = 9
SAMPLES: Final = 5
CHARACTERS: Final = 600  # 150 tokens of English and LaTeX
VARIANTS: Final[tuple[tuple[ExtractionRule, Equivalence], ...]] = (
    ("registered", "normalised"),
    ("robust", "by_value"),
)


class Solution(NamedTuple):
    text: str
    answer: str


@dataclass(frozen=True)
class Share:
    """What one cell (or a part of it) took."""

    completions: int
    without_answer: int
    classes: int
    as_strings: int
    cpu_seconds: float
    half_way_mib: float
    peak_mib: float


@cache
def solutions(dataset: str) -> list[Solution]:
    if dataset == "math":
        path = DATA / "math500_test.jsonl"
        if path.exists():
            rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            return [Solution(row["solution"], row["answer"]) for row in rows]
        return [
            Solution(
                f"We add: $x = {n} + \\sqrt{{{n}}}$. So \\boxed{{{n}+\\sqrt{{{n}}}}}.",
                f"{n}+\\sqrt{{{n}}}",
            )
            for n in range(2, 502)
        ]
    path = DATA / "gsm8k_openai_model_solutions.jsonl"
    if path.exists():
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        names = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
        texts = [row[name]["solution"] for row in rows for name in names]
        return [Solution(text, text.rsplit("A: ", 1)[-1]) for text in texts]
    return [
        Solution(f"{n} + {n} = {2 * n}. The answer is ${2 * n:,}.", f"{2 * n:,}")
        for n in range(5276)
    ]


def completions(dataset: str, question: int, random: Random) -> list[str]:
    """Five completions of one prefix: most agree, some respell the answer, some are wrong."""
    pool = solutions(dataset)
    samples = []
    for _ in range(SAMPLES):
        chance = random.random()
        text, answer = pool[question % len(pool)]
        if chance < 0.15:
            text, answer = pool[random.randrange(len(pool))]
        elif chance < 0.30:
            text = text.replace(answer, respelled(answer, random))
        elif chance < 0.35:
            text = ""
        samples.append(text[-CHARACTERS:])
    return samples


def respelled(answer: str, random: Random) -> str:
    return random.choice(
        [
            f" {answer} ",
            answer.replace("\\frac", "\\dfrac"),
            f"{answer}.0",
            f"{answer}+0",
            f"-{answer}",
        ]
    )


def score(
    dataset: str, model: int, share: float, rule: ExtractionRule, equivalence: Equivalence
) -> Share:
    """Score one cell; the texts are made outside the clock, one question at a time."""
    kind: AnswerKind = "number" if dataset == "gsm8k" else "math"
    random = Random(f"{dataset}/{model}")  # repeatable, not secret
    extract("warm up 1", rule=rule, kind=kind)
    questions = round(QUESTIONS[dataset] * share)
    total = without = classes = as_strings = 0
    seconds = half_way = 0.0
    for question in range(questions):
        prefixes = [completions(dataset, question, random) for _ in range(PREFIXES)]
        start = time.process_time()
        for samples in prefixes:
            answers = [extract(text, rule=rule, kind=kind) for text in samples]
            found = cluster(answers, equivalence=equivalence, kind=kind)
            total += len(samples)
            without += found.labels.count(-1)
            classes += len(found.representatives)
            as_strings += found.pairs_as_strings
        seconds += time.process_time() - start
        if question == questions // 2:
            half_way = peak_mib()
    return Share(total, without, classes, as_strings, seconds, half_way, peak_mib())


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def cells() -> Iterator[tuple[str, int]]:
    for dataset in QUESTIONS:
        yield from zip(repeat(dataset), range(MODELS), strict=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--share", type=float, default=1.0, help="of the questions of each cell")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    for rule, equivalence in VARIANTS:
        start = time.perf_counter()
        # a fresh process for each cell, as in the workflow: no cell warms the caches of another
        with ProcessPoolExecutor(options.processes, max_tasks_per_child=1) as pool:
            jobs = [
                pool.submit(score, dataset, model, options.share, rule, equivalence)
                for dataset, model in cells()
            ]
            shares = [job.result() for job in jobs]
        wall = time.perf_counter() - start
        cpu = sum(share.cpu_seconds for share in shares)
        print(
            f"{rule} + {equivalence}: {sum(share.completions for share in shares):,} completions, "
            f"{cpu:.1f} s of processor time to score, {cpu / 2:.1f} s on two cores; "
            f"{wall:.1f} s by the clock with {options.processes} processes, "
            f"their start and making the texts; "
            f"{sum(share.without_answer for share in shares):,} without an answer, "
            f"{sum(share.classes for share in shares):,} classes, "
            f"{sum(share.as_strings for share in shares):,} pairs as strings; "
            f"peak {max(share.half_way_mib for share in shares):.0f} MiB half way, "
            f"{max(share.peak_mib for share in shares):.0f} MiB at the end"
        )


if __name__ == "__main__":
    main()
