"""What a run writes down about itself, so that it can be checked without it.

    provenance/run.json                  configuration, registered items, software
    provenance/registration/             plan, freeze, deviations, tables and locks as they were
    provenance/<model>__<dataset>.json   a cell's headers, file hashes, start and end
    provenance/ledger.jsonl              every start, end, kill and discard (`formats.ledger`)
    provenance/manifest.json             sha256 and size of every file of the results, ledger's head

No name of a person or a machine and no path outside the results stands in any of them.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final, Literal, TypeVar

from pydantic import Field, ValidationError

from cot_entropy.base.digest import stage_digest
from cot_entropy.base.errors import DataError, PlanError
from cot_entropy.base.files import copy_file, sha256_file, write_text
from cot_entropy.base.located_yaml import read_located_yaml
from cot_entropy.base.strict import Strict, describe, validate_json
from cot_entropy.formats.attempts import Attempt, Host, host, read_attempts
from cot_entropy.formats.ledger_writing import close
from cot_entropy.formats.records import Header, read_header
from cot_entropy.plan.load import load_plan
from cot_entropy.registration.anchors.store import FOLDER as ANCHORS
from cot_entropy.registration.items import (
    CALIBRATION,
    LOCKS,
    TABLES,
    Items,
    code_items,
    config_items,
    file_items,
    plan_items,
)
from cot_entropy.study.config import Configuration

FOLDER: Final = "provenance"
RUN: Final = "run.json"
REGISTRATION: Final = "registration"
MANIFEST: Final = "manifest.json"
SCAN_WORK: Final = frozenset({"cache", "scans", "store"})
CRATE: Final = "ro-crate-metadata.json"
"""What an archive adds; it describes the files and is none of them."""
PLAN, FREEZE, DEVIATIONS = "plan.yaml", "freeze.json", "deviations.yaml"
BASELINE: Final = "self_consistency.jsonl.zst"
"""Further generations of a cell; no row of verdicts.csv or estimates.csv rests on them."""
GENERATIONS: Final = ("chains.jsonl.zst", "prefixes.jsonl.zst", "completions.jsonl.zst", BASELINE)
TRAJECTORIES: Final = "trajectories.parquet"
PACKAGES: Final = (
    "numpy",
    "scipy",
    "pandas",
    "pyarrow",
    "scikit-learn",
    "statsmodels",
    "math-verify",
    "pydantic",
    "snakemake",
)
MAX_BYTES: Final = 64 * 1024 * 1024

S = TypeVar("S", bound=Strict)


class RunRecord(Strict):
    """One run: what it was told, and which registered items it found."""

    schema_version: Literal[1] = 1
    """Version of this format."""
    configuration: Configuration
    """The study and the protocol blocks."""
    items: dict[str, str]
    """Registered items as the run found them."""
    prefixes_code: dict[str, str] = Field(default_factory=dict)
    """Digest of the code that cuts chains by each probe block of the study."""
    packages: dict[str, str]
    """Releases of the libraries that score and analyse."""
    host: Host
    """What kind of machine."""


class CellRecord(Strict):
    """One cell: the headers and hashes of its generations and of what is scored from them."""

    schema_version: Literal[1] = 1
    """Version of this format."""
    cell: str
    """`model/dataset`."""
    headers: dict[str, Header]
    """By path below the results folder."""
    files: dict[str, str]
    """sha256 of generations and trajectories, by path below the results folder."""
    attempts: dict[str, list[Attempt]]
    """Starts and ends of each generation file, in order."""


class FileRecord(Strict):
    """One file of the results."""

    sha256: str
    """Of its bytes."""
    bytes: int
    """Its size."""


class Manifest(Strict):
    """Every file of the results."""

    schema_version: Literal[1] = 1
    """Version of this format."""
    files: dict[str, FileRecord]
    """By path below the results folder."""
    ledger_head: str | None
    """The hash of the ledger's last line; null where the run kept no ledger."""


class RunJob(Strict):
    """What the record of a run depends on: the configuration, and the code of every stage."""

    configuration: Configuration
    code: dict[str, str]
    prefixes_code: dict[str, str]


def run_job(configuration: Configuration) -> RunJob:
    """The job that records a run of the installed code, from the project's root."""
    study, blocks = configuration.study, configuration.protocols
    probes = {blocks.protocols[name].probe for name in (study.protocol, *study.variants)}
    return RunJob(
        configuration=configuration,
        code=code_items(configuration, load_plan(Path(study.plan)).plan),
        prefixes_code={
            name: stage_digest("prefixes", blocks.probe[name].rules()) for name in sorted(probes)
        },
    )


def record_run(job: RunJob, *, out: Path) -> None:
    """Write run.json, and copies of the registration beside it, from the project's root.

    Where there is no freeze.json none is copied, and the run is unverified.
    """
    plan_path = Path(job.configuration.study.plan)
    _copy_registration(plan_path, out.parent / REGISTRATION)
    record = RunRecord(
        configuration=job.configuration,
        items=run_items(job.configuration, plan_path, Path()) | job.code,
        prefixes_code=job.prefixes_code,
        packages={name: release for name in PACKAGES if (release := _version(name))},
        host=host(),
    )
    write_text(out, record.model_dump_json(indent=1) + "\n")


def run_items(configuration: Configuration, plan_path: Path, root: Path) -> Items:
    """The registered items of a run that stand in files: plan, config, tables and locks."""
    values = read_located_yaml(plan_path, error=PlanError).value
    plan = load_plan(plan_path).plan
    return {
        **plan_items(values),
        **config_items(configuration, plan),
        **file_items(plan_path, root),
    }


def record_cell(cell: str, *, results: Path, out: Path) -> None:
    """Write a cell's provenance from its files; raises DataError where one cannot be read."""
    folder = results / cell
    names = (*GENERATIONS, TRAJECTORIES)
    files = sorted(path for path in folder.rglob("*") if path.name in names and recorded(path))
    generations = [path for path in files if path.name in GENERATIONS]
    record = CellRecord(
        cell=cell,
        headers={_relative(path, results): read_header(path) for path in generations},
        files={_relative(path, results): sha256_file(path) for path in files},
        attempts={_relative(path, results): read_attempts(path) for path in generations},
    )
    write_text(out, record.model_dump_json(indent=1) + "\n")


def seal(results: Path, *, out: Path | None = None) -> None:
    """Close the ledger and write the manifest over every file, the last thing a run does."""
    target = out or results / FOLDER / MANIFEST
    head = close(results)
    files = {
        _relative(path, results): FileRecord(sha256=sha256_file(path), bytes=path.stat().st_size)
        for path in result_files(results)
    }
    write_text(target, Manifest(files=files, ledger_head=head).model_dump_json(indent=1) + "\n")


def result_files(results: Path) -> list[Path]:
    """The files that a manifest covers, sorted: all but logs and what names this machine."""
    manifest = results / FOLDER / MANIFEST
    return sorted(
        path
        for path in results.rglob("*")
        if recorded(path) and path != manifest and not _of_a_scan(path.relative_to(results))
    )


def _of_a_scan(path: Path) -> bool:
    """Whether a file is what a scan works with: replies, and Scout's files with their folders."""
    return path.parts[0] == "consistency" and not SCAN_WORK.isdisjoint(path.parts)


def recorded(path: Path) -> bool:
    """Whether a file is a result: no log, no partial or hidden file, no path of this machine."""
    return (
        path.is_file()
        and not path.is_symlink()
        and not path.name.startswith(".")
        and path.suffix not in {".log", ".partial"}
        and not path.name.endswith((".model.json", ".judge.json"))
        and path.name != CRATE
    )


def read_record(path: Path, kind: type[S]) -> S:
    """Read a JSON record; raises DataError naming file and key."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(f"{path}: larger than {MAX_BYTES} bytes; this is no record of a run")
        return _parse(kind, path.read_bytes(), str(path))
    except FileNotFoundError:
        why = "the run did not finish (the same command goes on), or this is no study's folder"
        raise DataError(f"{path}: no such file; {why}") from None


def cell_path(results: Path, cell: str) -> Path:
    """Where the provenance of one cell stands."""
    return results / FOLDER / f"{cell.replace('/', '__')}.json"


def _copy_registration(plan_path: Path, target: Path) -> None:
    source = plan_path.parent
    shutil.rmtree(target, ignore_errors=True)
    copies: Sequence[tuple[Path, str]] = [
        (plan_path, PLAN),
        *((source / name, name) for name in (*TABLES, *CALIBRATION, FREEZE, DEVIATIONS)),
        *((path, f"{ANCHORS}/{path.name}") for path in sorted((source / ANCHORS).glob("*"))),
        *((Path(lock), lock) for lock in LOCKS),
    ]
    for path, name in copies:
        if path.is_file():
            copy_file(path, target / name)


def _parse(kind: type[S], raw: bytes, where: str) -> S:
    try:
        return validate_json(kind, raw)
    except ValidationError as error:
        raise DataError(f"{where}: {describe(error)}") from None


def _relative(path: Path, results: Path) -> str:
    return path.relative_to(results).as_posix()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
