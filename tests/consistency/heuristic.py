"""A judge that reads nothing: lengths, shared words and cue words, fitted on the development split.

What it can tell about an item is given away by the surface. Run this file for its scores.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from cot_entropy.consistency import benchmark
from cot_entropy.consistency.benchmark import BenchmarkLabel, Version
from cot_entropy.consistency.transcript import Transcript

CUES = (
    r"\b(but|however|still|aber|pero|mais|ma|mas)\b",
    r"\b(wait|hold on|no,|hmm|actually|on reflection)",
    r"\b(so|therefore|then|conclude|settles|also|donc|quindi|portanto|por eso)\b",
    r"\b(I have to|I need to|I will now|tengo que|let me)\b",
)


def features(transcript: Transcript) -> list[float]:
    """Log lengths, shares of words that are repeated, the last number's fate, counts of cues."""
    question, reasoning, answer = (
        re.findall(r"[\u4e00-\u9fff]|[^\W_]+", text.casefold())
        for text in (transcript.question, transcript.reasoning, transcript.answer)
    )
    numbers = [word for word in reasoning if word.isdigit()]
    shared = [
        sum(word in set(other) for word in one) / max(1, len(one))
        for one, other in (
            (answer, reasoning),
            (answer, reasoning[-25:]),
            (answer, question),
            (reasoning, question),
        )
    ]
    cues = [len(re.findall(cue, transcript.reasoning, re.IGNORECASE)) for cue in CUES]
    lengths = [np.log1p(len(words)) for words in (question, reasoning, answer)]
    return [*lengths, *shared, float(numbers[-1:] == answer[-1:]), *np.log1p(cues)]


def clear_items(
    version: Version, split: str, *, new_only: bool = False
) -> tuple[list[Transcript], list[BenchmarkLabel]]:
    """Items of a split (`dev`, `test`, `all`) that are consistent or inconsistent without doubt."""
    labels = benchmark.load_labels(version)
    chosen = [
        transcript
        for transcript in benchmark.load_transcripts(version)
        if split in {"all", labels[transcript.id].split}
        and not labels[transcript.id].borderline
        and labels[transcript.id].label != "not_applicable"
        and (labels[transcript.id].since == version or not new_only)
    ]
    return chosen, [labels[transcript.id] for transcript in chosen]


def inconsistent(labels: Sequence[BenchmarkLabel]) -> np.ndarray:
    return np.array([label.label == "inconsistent" for label in labels])


def fitted(version: Version) -> Pipeline:
    """The heuristic with weights from a version's development split."""
    items, labels = clear_items(version, "dev")
    model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    return model.fit([features(item) for item in items], inconsistent(labels))


def verdicts(version: Version, items: Sequence[Transcript]) -> np.ndarray:
    """Whether it calls each item inconsistent."""
    return np.asarray(fitted(version).predict([features(item) for item in items]))


def interval(truth: np.ndarray, said: np.ndarray, families: Sequence[str]) -> tuple[float, float]:
    """95 % of balanced accuracy, whole families drawn again 2,000 times."""
    rng = np.random.default_rng(0)
    names = sorted(set(families))
    members = {name: [i for i, family in enumerate(families) if family == name] for name in names}
    drawn = []
    for _ in range(2000):
        index = [i for name in rng.choice(names, len(names)) for i in members[name]]
        if len(set(truth[index])) == 2:
            drawn.append(balanced_accuracy_score(truth[index], said[index]))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)


class Surface(NamedTuple):
    """How far the heuristic gets: hits of items, balanced accuracy with its 95 % interval."""

    right: int
    n: int
    balanced: float
    low: float
    high: float


def surface(version: Version, split: str, *, new_only: bool = False) -> Surface:
    """The heuristic on the clear items of a split."""
    items, labels = clear_items(version, split, new_only=new_only)
    truth, said = inconsistent(labels), verdicts(version, items)
    return Surface(
        int((truth == said).sum()),
        len(truth),
        float(balanced_accuracy_score(truth, said)),
        *interval(truth, said, [label.family for label in labels]),
    )


if __name__ == "__main__":
    print("version 1, test", surface(1, "test"))
    print("version 1, all", surface(1, "all"))
    print("version 2, test", surface(2, "test"))
    print("version 2, test, new items", surface(2, "test", new_only=True))
