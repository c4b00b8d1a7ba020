"""The folder `anchors/` beside a freeze: what others gave for it, numbered in order.

    anchors/1.rfc3161.tsr    a timestamp response, as the authority sent it
    anchors/1.root.pem       the root certificate that its chain ends in
    anchors/2.tag.json       a signed git tag: name, object, commit
    anchors/3.osf.json       what OSF answered about a registration

Nothing is written over: each further anchor is one more file, and an audit lists them all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal

from cot_entropy.base.errors import PlanError
from cot_entropy.base.files import atomic

FOLDER: Final = "anchors"
NAME: Final = re.compile(r"([1-9][0-9]{0,3})\.(rfc3161\.tsr|tag\.json|osf\.json)")
ROOT: Final = "root.pem"
MAX_BYTES: Final = 1_000_000

Kind = Literal["rfc3161", "tag", "osf"]
State = Literal["verified", "claim", "refuted"]


@dataclass(frozen=True, kw_only=True)
class Stored:
    """One anchor as it lies in its folder."""

    path: Path
    number: int
    kind: Kind

    @property
    def root(self) -> Path:
        """The root certificate that was stored with a timestamp."""
        return self.path.with_name(f"{self.number}.{ROOT}")

    def read(self) -> bytes:
        """Its bytes; raises PlanError where there are too many."""
        return read_small(self.path)


@dataclass(frozen=True, kw_only=True)
class Checked:
    """One anchor, verified."""

    name: str
    """Its file, below the folder that holds the freeze."""
    kind: Kind
    state: State
    """verified here and now; a claim that nothing here can verify; or refuted."""
    detail: str
    time: datetime | None = None
    """When the freeze was there at the latest, by an authority's word; a tag has none."""
    signed: tuple[str, ...] = ()
    """What the authority alone decided: the seed of an anchored study is made of it."""

    def __str__(self) -> str:
        word = "not verified, a claim" if self.state == "claim" else self.state
        return f"{self.name}: {word}: {self.detail}"


def stored(folder: Path) -> list[Stored]:
    """The anchors beside a freeze, by number; raises PlanError for a file that is none."""
    found: list[Stored] = []
    for path in sorted((folder / FOLDER).glob("*")):
        match = NAME.fullmatch(path.name)
        if match and path.is_file() and not path.is_symlink():
            kinds: dict[str, Kind] = {
                "rfc3161.tsr": "rfc3161",
                "tag.json": "tag",
                "osf.json": "osf",
            }
            found.append(Stored(path=path, number=int(match[1]), kind=kinds[match[2]]))
        elif not re.fullmatch(rf"[1-9][0-9]{{0,3}}\.{re.escape(ROOT)}", path.name):
            raise PlanError(f"{path}: is no anchor; remove it")
    found.sort(key=lambda one: one.number)
    for earlier, later in pairwise(found):
        if earlier.number == later.number:
            raise PlanError(f"{later.path}: has the number of {earlier.path.name}; remove one")
    return found


def keep(folder: Path, files: Sequence[tuple[str, bytes]]) -> Path:
    """Store an anchor's files (suffix and bytes) under the next number; returns the first path."""
    number = max((one.number for one in stored(folder)), default=0) + 1
    paths = [folder / FOLDER / f"{number}.{suffix}" for suffix, _ in files]
    for path, (_, content) in zip(paths, files, strict=True):
        with atomic(path) as stream:
            stream.write(content)
    return paths[0]


def read_small(path: Path) -> bytes:
    """A file's bytes; raises PlanError where it is not there or larger than any anchor."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise PlanError(f"{path}: larger than {MAX_BYTES} bytes; this is no anchor")
        return path.read_bytes()
    except OSError as error:
        raise PlanError(f"{path}: cannot be read ({error.strerror})") from None
