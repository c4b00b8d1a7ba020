"""Agreement of a second reading of the benchmark with its labels. Run this file for the figures."""

from __future__ import annotations

import json
from importlib.resources import files

from sklearn.metrics import cohen_kappa_score

from cot_entropy.consistency import benchmark
from cot_entropy.consistency.benchmark import BenchmarkLabel


def second_reading() -> dict[str, str]:
    """The outcome that the second reading gives each item: a subtype or a label."""
    text = files(benchmark).joinpath("v2", "second_reading.jsonl").read_text(encoding="utf-8")
    return {row["id"]: row["outcome"] for row in map(json.loads, text.splitlines())}


def own(label: BenchmarkLabel) -> str:
    return label.subtype or label.label


def disagreements() -> list[str]:
    """Ids of the items on which both readings differ."""
    other = second_reading()
    return [id for id, label in benchmark.load_labels(2).items() if other[id] != own(label)]


def kappa(*, of: str = "all") -> tuple[int, float]:
    """Number of items and Cohen's kappa over `all` items, those `new` in version 2, or `clear` ones."""
    labels = [
        label
        for label in benchmark.load_labels(2).values()
        if of == "all"
        or (of == "new" and label.since == 2)
        or (of == "clear" and not label.borderline)
    ]
    other = second_reading()
    value = cohen_kappa_score([own(label) for label in labels], [other[x.id] for x in labels])
    return len(labels), float(value)


if __name__ == "__main__":
    for of in ("all", "new", "clear"):
        n, value = kappa(of=of)
        print(f"kappa over {n} {of} items: {value:.2f}")
    for id in disagreements():
        label = benchmark.load_labels(2)[id]
        print(f"{id}: {own(label)}, second reading {second_reading()[id]}")
