"""Which generations the protocols of one study share, read off their blocks alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from cot_entropy.protocol.chain import ChainBlock
from cot_entropy.protocol.probe import ProbeBlock
from cot_entropy.protocol.reuse import derivable
from cot_entropy.study.config import Protocol


def stored_probe(
    protocols: Sequence[Protocol], blocks: Mapping[str, ProbeBlock], *, chain: str, probe: str
) -> str | None:
    """The probe block whose completions hold samples of this one, on the same chains.

    `protocols` are the study's own and then its variants. Each draws on those before it, so that
    no variant can reach the files of the study's own protocol; a block that holds everything goes
    before one that holds a part.
    """
    on_chain = [one.probe for one in protocols if one.chain == chain]
    if probe not in on_chain:
        return None
    earlier = on_chain[: on_chain.index(probe)]
    found = {name: derivable(blocks[probe], blocks[name]) for name in earlier}
    usable = [name for name in earlier if found[name] != "none"]
    return min(usable, key=lambda name: found[name] != "all", default=None)


def derived_pattern(protocols: Sequence[Protocol], blocks: Mapping[str, ProbeBlock]) -> str:
    """A regular expression of the probe blocks, each after its chain, that need no engine.

    It matches within a path `<chain>/<probe>`; `(?!)`, which matches nothing, where none is.
    """
    patterns = [
        f"(?<=/{re.escape(chain)}/){re.escape(probe)}"
        for chain, probe in dict.fromkeys((one.chain, one.probe) for one in protocols)
        if (source := stored_probe(protocols, blocks, chain=chain, probe=probe))
        and derivable(blocks[probe], blocks[source]) == "all"
    ]
    return "|".join(patterns) or "(?!)"


def reseeded(variant: Protocol, own: Protocol, chains: Mapping[str, ChainBlock]) -> bool:
    """Whether a variant differs from a protocol in the seed of its chains alone."""
    before, after = chains[own.chain], chains[variant.chain]
    return (
        (variant.probe, variant.scoring) == (own.probe, own.scoring)
        and after != before
        and after.model_copy(update={"seed": before.seed}) == before
    )
