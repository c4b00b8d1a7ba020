"""A finished run, as its results folder describes it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cot_entropy.audit.bounds import check_names, check_sizes
from cot_entropy.audit.unpack import unpack
from cot_entropy.base.errors import DataError, UserError
from cot_entropy.registration.departures import Registered, read_registration
from cot_entropy.registration.provenance import (
    FOLDER,
    MANIFEST,
    REGISTRATION,
    RUN,
    CellRecord,
    Manifest,
    RunRecord,
    cell_path,
    read_record,
)


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a results folder says about itself."""

    results: Path
    registration: Registered
    record: RunRecord
    cells: tuple[CellRecord, ...]
    manifest: Manifest

    @property
    def frozen_at(self) -> str | None:
        """When its freeze says that it was made; None without one."""
        return self.registration.freeze.frozen_at if self.registration.freeze else None

    @property
    def registration_folder(self) -> Path:
        """The copies of the registered files."""
        return self.results / FOLDER / REGISTRATION


def read_run(results: Path) -> Run:
    """Read what a run wrote about itself; raises UserError where that cannot be audited.

    Nothing is read beyond these records where one of them names a path outside, or where a file
    holds more than the run's own questions and settings can give.
    """
    for path in results.rglob("*"):
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise DataError(f"{path}: is no file or folder but a pipe, socket or device; remove it")
    folder = results / FOLDER
    record = read_record(folder / RUN, RunRecord)
    manifest = read_record(folder / MANIFEST, Manifest)
    study = record.configuration.study
    cells = tuple(
        _cell(path, cell) for cell in study.cells if (path := cell_path(results, cell)).is_file()
    )
    check_names(results, cells, manifest)
    check_sizes(results, cells, study)
    return Run(
        results=results,
        registration=read_registration(folder / REGISTRATION),
        record=record,
        cells=cells,
        manifest=manifest,
    )


def _cell(path: Path, cell: str) -> CellRecord:
    record = read_record(path, CellRecord)
    if record.cell != cell:
        raise DataError(f"{path}: is the provenance of another cell than `{cell}`")
    return record


@contextmanager
def opened(results: Path) -> Iterator[Path]:
    """The folder of a run; an archive is unpacked into a scratch folder for as long as it is used.

    Raises DataError where the archive is refused. An error about an unpacked file names it below
    the archive: nobody knows the scratch folder.
    """
    if not results.is_file():
        yield results
        return
    with tempfile.TemporaryDirectory(prefix="cot-entropy-archive-") as scratch:
        folder = Path(scratch) / results.stem
        try:
            unpack(results, folder)
            yield folder
        except UserError as error:
            raise type(error)(str(error).replace(str(folder), str(results))) from None
