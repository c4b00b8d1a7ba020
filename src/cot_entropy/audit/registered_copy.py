"""The registration, from a copy that the auditor got elsewhere: from OSF, most likely.

A plan.yaml, a freeze.json, a folder that holds them, or the zip that OSF gives for a registration.
"""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from cot_entropy.audit.unpack import Limits, unpack
from cot_entropy.base.errors import DataError, PlanError, UserError
from cot_entropy.base.located_yaml import read_located_yaml
from cot_entropy.base.strict import describe
from cot_entropy.plan.load import LoadedPlan, load_plan, plan_problems
from cot_entropy.plan.model import Plan
from cot_entropy.registration.freeze import Freeze, load_freeze
from cot_entropy.registration.items import Values, canonical_sha256, plan_of, plan_values
from cot_entropy.registration.provenance import FREEZE, PLAN

BUNDLE: Final = Limits(
    members=5000, member_bytes=256 * 1024**2, total_bytes=1024**3, directory_bytes=4 * 1024**2
)
"""Bounds of a registration's zip: it has a code archive in it."""


@dataclass(frozen=True, kw_only=True)
class RegisteredCopy:
    """A registration as somebody else keeps it."""

    name: str
    plan: LoadedPlan
    values: Values
    """The plain values of plan and, with a freeze, config."""
    freeze: Freeze | None
    """None where only a plan was registered: config and code are then anybody's."""


def read_copy(path: Path) -> RegisteredCopy | None:
    """Read a copy; None for a text or PDF, which only a person can compare.

    Raises PlanError or DataError for a plan or freeze that is none, and for a copy that holds
    several, or whose plan is not that of its freeze.
    """
    with _opened(path) as place:
        if place is None:
            return None
        plan_file, freeze_file = place
        freeze = load_freeze(freeze_file) if freeze_file else None
        loaded = load_plan(plan_file) if plan_file else None
        written = (
            plan_values(read_located_yaml(plan_file, error=PlanError).value) if plan_file else None
        )
    if freeze is None:
        if loaded is None or written is None:
            raise DataError(f"{path}: holds neither a {PLAN} nor a {FREEZE}")
        return RegisteredCopy(name=path.name, plan=loaded, values=written, freeze=None)
    own = {item: value for item, value in freeze.values.items() if item.startswith("plan/")}
    if written is not None and canonical_sha256(written) != canonical_sha256(own):
        raise PlanError(f"{path}: its {PLAN} is not the plan that its {FREEZE} holds")
    loaded = loaded or _plan(freeze, path)
    return RegisteredCopy(name=path.name, plan=loaded, values=freeze.values, freeze=freeze)


def _plan(freeze: Freeze, path: Path) -> LoadedPlan:
    try:
        values = plan_of(freeze.values)
        plan = Plan.model_validate(values)
    except (KeyError, TypeError) as error:
        raise PlanError(f"{path}: its values are no plan ({error} is missing)") from None
    except ValidationError as error:
        raise PlanError(f"{path}: {describe(error)}; registered with other code?") from None
    for _, message in plan_problems(plan):
        raise PlanError(f"{path}: {message}")
    return LoadedPlan(plan, canonical_sha256(values))


Place = tuple[Path | None, Path | None]


@contextmanager
def copy_folder(path: Path) -> Iterator[Path]:
    """A copy's folder, or its zip, unpacked meanwhile; raises DataError where it is neither."""
    if path.is_dir():
        yield path
        return
    if not path.is_file() or not zipfile.is_zipfile(path):
        raise DataError(f"{path}: {'is no zip file' if path.exists() else 'no such file'}")
    with tempfile.TemporaryDirectory(prefix="cot-entropy-registered-") as scratch:
        folder = Path(scratch) / "copy"
        try:
            unpack(path, folder, limits=BUNDLE)
            yield folder
        except UserError as error:
            raise type(error)(str(error).replace(str(folder), str(path))) from None


@contextmanager
def _opened(path: Path) -> Iterator[Place | None]:
    """Paths of plan and freeze; None where the file is neither, nor a zip file."""
    if path.is_file() and not zipfile.is_zipfile(path):
        yield _kind(path)
        return
    with copy_folder(path) as folder:
        yield _found(folder, path)


def _kind(path: Path) -> Place | None:
    head = path.read_bytes()[:1_000_000]
    try:
        if isinstance(json.loads(head), dict):
            return None, path
    except (ValueError, RecursionError):
        pass
    try:
        value = read_located_yaml(path, error=PlanError).value
    except PlanError:
        if path.suffix in {".yaml", ".yml"}:
            raise
        return None
    return (path, None) if isinstance(value, dict) and "hypotheses" in value else None


def _found(folder: Path, named: Path) -> Place | None:
    plan, freeze = (_only(folder, name, named) for name in (PLAN, FREEZE))
    if plan or freeze:
        return plan, freeze
    if any(path.is_file() for path in folder.rglob("*")):
        return None
    raise DataError(f"{named}: holds no file")


def _only(folder: Path, name: str, named: Path) -> Path | None:
    if (folder / name).is_file():
        return folder / name
    found = sorted(path for path in folder.rglob(name) if path.is_file())
    if len(found) > 1:
        places = ", ".join(path.relative_to(folder).as_posix() for path in found[:3])
        raise DataError(f"{named}: holds {len(found)} files {name} ({places}); name one of them")
    return found[0] if found else None
