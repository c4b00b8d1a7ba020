"""Prefixes: where each chain of a cell is cut, by the probe block's segmentation rule and cap."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path

from cot_entropy.base.files import sha256_file
from cot_entropy.formats.records import (
    ChainRecord,
    PrefixRecord,
    read_header,
    read_records,
    write_records,
)
from cot_entropy.generate.spans import Span
from cot_entropy.protocol.probe import CAPS, SEGMENTATIONS, PrefixesJob, ProbeBlock


def cut_prefixes(job: PrefixesJob, *, chains: Path, out: Path) -> None:
    """Write `out` (PrefixRecord lines) from a chains file; needs neither model nor device.

    A question without a chain has prefix 0 only. Raises DataError.
    """
    source = read_header(chains)
    header = source.model_copy(
        update={
            "stage": "prefixes",
            "probe": job.probe,
            "code_digest": job.code_digest,
            "inputs": {"chains": sha256_file(chains)},
        }
    )
    write_records(
        out,
        header,
        (
            cut(
                record.question_id,
                record.chain.text if record.chain else "",
                record.token_ends,
                job.probe,
            )
            for record in read_records(chains, ChainRecord)
        ),
    )


def cut(question_id: str, text: str, token_ends: Sequence[int], probe: ProbeBlock) -> PrefixRecord:
    """The prefixes of one chain.

    `token_ends` gives for each token of the text the characters up to and with it, the
    end-of-text token left out. A prefix ends with the token in which its last unit ends, so it may
    hold the blank lines that this token goes on to, but never the end-of-text token.
    """
    spans: list[Span] = SEGMENTATIONS.load(probe.segmentation).units(text)
    units = [end for _, end in spans]
    probed = units
    if probe.cap is not None and probe.cap_policy is not None:
        probed = CAPS.load(probe.cap_policy).probed(units, probe.cap)
    ends = [0, *(bisect_left(token_ends, end) + 1 for end in probed)]
    return PrefixRecord(
        question_id=question_id,
        n_units_chain=len(units),
        ends=ends,
        text_ends=[0, *(token_ends[end - 1] for end in ends[1:])],
    )
