"""`cot-entropy archive RESULTS out.zip`: a finished run as one RO-Crate.

The archive holds the sealed files of the results (plan, freeze, deviations, generations, tables,
report, provenance) and `ro-crate-metadata.json`, which describes each of them. Logs, and what
names a path of this machine, stay behind. Source: RO-Crate 1.1, by the package `rocrate`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from cot_entropy import __version__
from cot_entropy.audit.run import Run, read_run
from cot_entropy.audit.stored_files import manifest_findings
from cot_entropy.base.errors import DataError
from cot_entropy.base.files import atomic
from cot_entropy.registration.provenance import FOLDER, MANIFEST

FORMATS: Final = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".parquet": "application/vnd.apache.parquet",
    ".pem": "application/x-pem-file",
    ".svg": "image/svg+xml",
    ".tsr": "application/timestamp-reply",
    ".txt": "text/plain",
    ".yaml": "application/yaml",
    ".zst": "application/zstd",
}
LICENCE: Final = (
    "Code, tables and report: Apache-2.0. Generations and questions: the licences of the model "
    "and the dataset that each header names."
)


def archive(results: Path, out: Path) -> None:
    """Write a finished run as a zip file; raises DataError where it is not the run as sealed."""
    run = read_run(results)
    if out.is_dir():
        raise DataError(f"{out}: is a folder; name the zip file to write")
    if out.exists():
        raise DataError(f"{out}: is there already; remove it first, or name another file")
    if out.resolve().is_relative_to(results.resolve()):
        raise DataError(f"{out}: lies inside the results that it would hold; name another place")
    for finding in manifest_findings(results, run.manifest):
        raise DataError(
            f"{results / finding.subject}: {finding.detail}; the run's snakemake command without a "
            "target reports and seals it again, `audit` says what differs"
        )
    crate = _crate(run)
    with atomic(out) as stream:
        for chunk in crate.stream_zip():
            stream.write(chunk)


def _crate(run: Run) -> ROCrate:
    study = run.record.configuration.study
    crate = ROCrate()
    crate.name = f"cot-entropy results: {study.study}"
    crate.description = (
        f"{len(run.cells)} cells of a preregistered replication of chain-of-thought entropy "
        f"signals: {run.registration.plan.plan.title}. Check it with: cot-entropy audit."
    )
    crate.license = LICENCE
    software = crate.add(
        ContextEntity(
            crate,
            "#cot-entropy",
            properties={
                "@type": "SoftwareApplication",
                "name": "cot-entropy",
                "softwareVersion": __version__,
            },
        )
    )
    files = []
    for name, record in sorted(run.manifest.files.items()):
        properties = {"sha256": record.sha256, "contentSize": str(record.bytes)}
        files.append(_add(crate, run.results / name, name, properties))
    manifest = f"{FOLDER}/{MANIFEST}"
    files.append(_add(crate, run.results / manifest, manifest, {}))
    crate.add_action(software, identifier="#run", result=files, properties=_times(run))
    return crate


def _add(crate: ROCrate, path: Path, name: str, properties: dict[str, str]) -> object:
    known = FORMATS.get(path.suffix)
    encoding = {"encodingFormat": known} if known else {}
    return crate.add_file(path, name, properties={"name": name, **encoding, **properties})


def _times(run: Run) -> dict[str, str]:
    attempts = [one for cell in run.cells for noted in cell.attempts.values() for one in noted]
    if not attempts:
        return {}
    ends = [one.ended for one in attempts if one.ended]
    times = {"startTime": min(one.started for one in attempts)}
    return times | ({"endTime": max(ends)} if ends else {})
