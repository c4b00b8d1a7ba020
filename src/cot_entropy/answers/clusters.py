"""The equivalence classes of the answers of one prefix.

Classes are the connected components of the pairwise relation, so that it is transitive. One thing
comes before: a note that is missing (`40` beside `40_9`) is filled in by the other answers only
where they agree. Where they contradict each other (`40_9` and `40_7`), answers of that component
are joined only if their notes are equal too, or `40` would make two wrong bases one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from cot_entropy.answers.equivalence import compare
from cot_entropy.answers.kinds import AnswerKind, Equivalence
from cot_entropy.answers.normalise import normal_form
from cot_entropy.answers.reading import read


@dataclass(frozen=True)
class Clusters:
    """The classes of m answers.

    `labels`: one per answer; -1 for none, else 0, 1, 2.. in first-seen order.
    `representatives`: one per class, its shortest answer, of equally short ones the first in
    code point order; whatever the order of the answers.
    `pairs_as_strings`: pairs of distinct answers that were compared as normalised strings,
    because they are over the registered limits or cannot be read.
    """

    labels: tuple[int, ...]
    representatives: tuple[str, ...]
    pairs_as_strings: int = 0


def cluster(
    answers: Sequence[str | None], *, equivalence: Equivalence, kind: AnswerKind
) -> Clusters:
    """The classes of `answers`, None meaning no answer; independent of their order."""
    distinct = sorted({answer for answer in answers if answer is not None})
    as_strings = 0
    if equivalence == "normalised" or len(distinct) == 1:
        class_of = {answer: normal_form(answer, kind=kind) for answer in distinct}
    else:
        class_of, as_strings = _components(distinct, kind)
    numbers: dict[str, int] = {}
    labels = tuple(
        -1 if answer is None else numbers.setdefault(class_of[answer], len(numbers))
        for answer in answers
    )
    members: dict[int, list[str]] = defaultdict(list)
    for answer in distinct:
        members[numbers[class_of[answer]]].append(answer)
    representatives = tuple(
        min(members[label], key=lambda text: (len(text), text)) for label in range(len(numbers))
    )
    return Clusters(labels, representatives, as_strings)


def _components(distinct: Sequence[str], kind: AnswerKind) -> tuple[dict[str, str], int]:
    verdicts = {(a, b): compare(a, b, kind=kind) for a, b in combinations(distinct, 2)}
    joined = _connected(distinct, (pair for pair, verdict in verdicts.items() if verdict.same))
    contradicted = {
        joined[a]
        for (a, b), verdict in verdicts.items()
        if verdict.differ_in_notes and joined[a] == joined[b]
    }
    if contradicted:
        joined = _connected(
            distinct,
            (
                pair
                for pair, verdict in verdicts.items()
                if verdict.same and (joined[pair[0]] not in contradicted or _same_notes(*pair))
            ),
        )
    return joined, sum(verdict.as_strings for verdict in verdicts.values())


def _same_notes(first: str, second: str) -> bool:
    return read(first).notes == read(second).notes


def _connected(items: Sequence[str], edges: Iterable[tuple[str, str]]) -> dict[str, str]:
    parent = {item: item for item in items}

    def root(item: str) -> str:
        while parent[item] != item:
            item = parent[item]
        return item

    for a, b in edges:
        parent[max(root(a), root(b))] = min(root(a), root(b))
    return {item: root(item) for item in items}
