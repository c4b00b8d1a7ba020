"""Which stored samples answer a variant's requests: a request is prompt, seed and temperature.

Prefix k of a question is the same request under two probe blocks where its tokens, the cue and the
temperature are. Sample j has the prefix's seed + j, and a smaller budget stops the same sample
earlier, so the samples for m = 3 are the first three of m = 5, and those of 64 tokens are cut from
those of 150.
"""

from __future__ import annotations

from typing import Literal

from cot_entropy.protocol.probe import ProbeBlock

Reuse = Literal["all", "part", "none"]
"""`all`: no token has to be generated; `part`: wherever prefixes coincide; `none`: nothing can."""


def derivable(probe: ProbeBlock, source: ProbeBlock) -> Reuse:
    """What of a block's completions the stored completions of another hold, on the same chains."""
    if (probe.temperature, probe.cue) != (source.temperature, source.cue):
        return "none"
    enough = probe.m <= source.m and probe.budget <= source.budget
    return "all" if enough and _prefixes_within(probe, source) else "part"


def _prefixes_within(probe: ProbeBlock, source: ProbeBlock) -> bool:
    """Whether every prefix k of the block is, for any chain, prefix k of the source."""
    if probe.segmentation != source.segmentation:
        return False
    if (probe.cap, probe.cap_policy) == (source.cap, source.cap_policy):
        return True
    if probe.cap is None or probe.cap_policy != "truncate":
        return False
    return source.cap is None or (source.cap_policy == "truncate" and probe.cap <= source.cap)
