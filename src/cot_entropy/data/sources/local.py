"""A JSON lines file of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import read_jsonl, sha256_file
from cot_entropy.base.strict import LocalPath
from cot_entropy.data.load import Dataset, Names, check_sha256, first, questions_of
from cot_entropy.data.spec import Records, Sha256


class LocalDataset(Records):
    """A JSON lines file (zstd-compressed if named `.zst`), one question a line."""

    source: Literal["local"]
    path: LocalPath
    """The file, relative to the working folder."""
    sha256: Sha256
    """Hash of the file's bytes, as `sha256sum` prints it; a wrong one is answered by the right."""

    @property
    def origin(self) -> str:
        """No path: it says nothing on another machine."""
        return "local"

    @property
    def file(self) -> str:
        """What is read again when it changes."""
        return self.path


def load(spec: LocalDataset, *, root: Path) -> Dataset:
    """The questions of the file, whose hash is that of its bytes; raises DataError."""
    path = root / spec.path
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "no such file"
        raise DataError(f"{path}: {what}; `path` of a local dataset names a JSON lines file")
    sha256 = sha256_file(path)
    check_sha256(found=sha256, expected=spec.sha256, where=str(path))
    rows = ((f"{path}:{number}", row) for number, row in read_jsonl(path))
    questions = tuple(questions_of(rows, Names.of(spec)))
    return Dataset(first(questions, spec.questions, str(path)), sha256)
