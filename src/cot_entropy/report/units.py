"""One chain taken apart for showing: its units, and where its entropy rises."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from cot_entropy.formats.records import ChainRecord, PrefixRecord


def rises(entropies: Sequence[float | None], eps: float) -> list[int]:
    """The prefixes k at which H is more than eps nats above the last defined H before it."""
    found, last = [], None
    for k, entropy in enumerate(entropies):
        if entropy is None:
            continue
        if last is not None and entropy > last + eps:
            found.append(k)
        last = entropy
    return found


def probed_units(chain: ChainRecord, prefixes: PrefixRecord) -> list[str]:
    """The text of units 1..N as they were probed."""
    body = chain.chain.text if chain.chain else ""
    return [body[start:end] for start, end in pairwise(prefixes.text_ends)]


def unprobed_text(chain: ChainRecord, prefixes: PrefixRecord) -> str:
    """The chain's text past the last probed unit."""
    body = chain.chain.text if chain.chain else ""
    return body[prefixes.text_ends[-1] :] if prefixes.text_ends else body
