"""Prefixes: where each chain of a cell is cut, by the probe block's segmentation rule and cap."""

from __future__ import annotations

from pathlib import Path

from cot_entropy.base.files import sha256_file
from cot_entropy.formats.records import ChainRecord, read_header, read_records, write_records
from cot_entropy.generate.segmentation import cut
from cot_entropy.protocol.probe import PrefixesJob


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
