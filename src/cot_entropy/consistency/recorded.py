"""A judge's recorded run on the benchmark: a file to contribute, checked before it counts.

The format is that of `judgements.jsonl.zst`, plain or compressed: one judgement a line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from cot_entropy.base.errors import DataError
from cot_entropy.consistency import benchmark
from cot_entropy.consistency.benchmark import SplitName, Version
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.scan import read_judgements


def read_recorded(path: Path) -> tuple[list[Judgement], Version]:
    """A recorded run and the version of the benchmark that it is of, in the benchmark's order.

    Every item of one split at least is judged once, by one judge with one seed under one taxonomy,
    as a whole, and its transcript is the shipped one. Raises DataError naming what is not so.
    """
    found = read_judgements(path)
    if not found:
        raise DataError(f"{path}: no judgements; record a run with `consistency validate`")
    version = _version(path, found)
    for name, values in (
        ("judge", {one.judge for one in found}),
        ("seed", {str(one.seed) for one in found}),
        ("taxonomy_sha256", {one.taxonomy_sha256 for one in found}),
    ):
        if len(values) > 1:
            raise DataError(
                f"{path}: more than one `{name}` ({', '.join(sorted(values)[:3])}); "
                "a recorded run is of one judge, asked in one way"
            )
    for id, count in Counter(one.id for one in found).items():
        if count > 1:
            raise DataError(f"{path}: item `{id}` stands {count} times; each must stand once")
    by_id = {one.id: one for one in found}
    labels = benchmark.load_labels(version)
    missing = {
        split: [id for id, label in labels.items() if label.split == split and id not in by_id]
        for split in get_args(SplitName)
    }
    if all(missing.values()):
        raise DataError(
            f"{path}: neither split is whole (item `{missing['test'][0]}` is missing); "
            "record all items of a split, those that failed too"
        )
    order = [one.id for one in benchmark.load_transcripts(version)]
    return [by_id[id] for id in order if id in by_id], version


def _version(path: Path, found: Sequence[Judgement]) -> Version:
    problem = ""
    versions: tuple[Version, ...] = get_args(Version)
    for version in sorted(versions, reverse=True):
        shipped = {one.id: one.sha256() for one in benchmark.load_transcripts(version)}
        strange = next((one for one in found if one.id not in shipped), None)
        changed = next((one for one in found if one.transcript_sha256 != shipped.get(one.id)), None)
        if changed is None:
            return version
        problem = problem or (
            f"`{strange.id}` is no item of it"
            if strange
            else f"the transcript of `{changed.id}` is another one"
        )
    raise DataError(f"{path}: of no version of the benchmark ({problem} in the newest)")
