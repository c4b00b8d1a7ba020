"""`cot-entropy register OUT`: what to upload to OSF, and whether an uploaded copy is that.

One flat folder, since OSF takes files by drag and drop: plan, freeze, the rendered text, tables,
locks and config, the code of the frozen commit, and a README that says what to press.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from cot_entropy.base.errors import DataError, PlanError
from cot_entropy.base.files import sha256_file, write_text
from cot_entropy.base.located_yaml import read_located_yaml
from cot_entropy.registration.checkout import git
from cot_entropy.registration.freeze import FILE, Freeze, load_freeze, registration_items
from cot_entropy.registration.items import CALIBRATION, LOCKS, TABLES, plan_values
from cot_entropy.registration.register import FILE as TEXT
from cot_entropy.registration.register import render
from cot_entropy.registration.value_differences import value_differences
from cot_entropy.study.config import read_configuration

PLAN: Final = "plan.yaml"
CODE: Final = "code.zip"
README: Final = "README.md"


def write_bundle(config: Path, out: Path) -> list[Path]:
    """Write what to upload into a new folder, from the project's root; returns its files.

    Raises PlanError where there is no freeze, or the working tree is not as frozen, and DataError
    where the folder is there already.
    """
    configuration = read_configuration(config)
    plan = Path(configuration.study.plan)
    freeze = load_freeze(plan.parent / FILE)
    items, _ = registration_items(configuration, plan)
    changed = [
        name
        for name in items.keys() | freeze.items.keys()
        if items.get(name) != freeze.items.get(name)
    ]
    if changed:
        names = ", ".join(sorted(changed)[:3])
        raise PlanError(
            f"{plan.parent / FILE}: the working tree is not as frozen ({names}); "
            f"check out what was frozen (git checkout {freeze.commit[:12]}), or freeze again"
        )
    if out.exists():
        raise DataError(f"{out}: is there already; name a new folder")
    out.mkdir(parents=True)
    beside = plan.parent
    sources = {PLAN: plan, FILE: beside / FILE}
    sources |= {flat(name): beside / name for name in (*TABLES, *CALIBRATION)}
    sources |= {flat(name): Path(name) for name in LOCKS}
    sources |= {"study.yaml": config, "protocols.yaml": Path(configuration.study.protocols)}
    for name, path in sources.items():
        if path.is_file():
            shutil.copyfile(path, out / name)
    write_text(out / TEXT, render(config))
    git(Path(), "archive", "--format=zip", f"--output={(out / CODE).resolve()}", freeze.commit)
    write_text(out / README, _readme(freeze, out))
    return sorted(out.iterdir())


def copy_problems(config: Path, copy: Path) -> Iterator[str]:
    """Name all of an uploaded copy, a folder, that `write_bundle` does not write now.

    Raises DataError where the folder holds no freeze, or several.
    """
    found = sorted(copy.rglob(FILE))
    if len(found) != 1:
        raise DataError(f"{copy}: holds {len(found)} files {FILE}; a copy holds one")
    folder = found[0].parent
    with tempfile.TemporaryDirectory(prefix="cot-entropy-register-") as scratch:
        again = Path(scratch) / "bundle"
        for path in write_bundle(config, again):
            other = folder / path.name
            if not other.is_file():
                yield f"{path.name}: is missing"
            else:
                yield from _differences(other, path)
        names = {path.name for path in again.iterdir()}
        yield from (
            f"{path.name}: is nothing that is registered"
            for path in sorted(folder.iterdir())
            if path.name not in names
        )


def flat(name: str) -> str:
    """The name in the bundle of a file of the project."""
    return name.replace("/", "-")


def _differences(copy: Path, own: Path) -> Iterator[str]:
    if copy.read_bytes() == own.read_bytes():
        return
    if own.name == PLAN:
        before, now = (
            plan_values(read_located_yaml(path, error=PlanError).value) for path in (copy, own)
        )
    elif own.name == FILE:
        before, now = (load_freeze(path).values for path in (copy, own))
    else:
        if own.name != CODE or _members(copy) != _members(own):
            yield f"{own.name}: differs (sha256 {sha256_file(copy)} -> {sha256_file(own)})"
        return
    lines = [f"{own.name}: {name}: {detail}" for name, detail in value_differences(before, now)]
    yield from lines or [f"{own.name}: differs in what is no value (layout, time, commit)"]


def _members(path: Path) -> dict[str, int] | None:
    """Names and checksums in a code archive: another zlib packs the same files otherwise."""
    try:
        with zipfile.ZipFile(path) as packed:
            return {one.filename: one.CRC for one in packed.infolist()}
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        return None


def _readme(freeze: Freeze, out: Path) -> str:
    environment = Environment(  # noqa: S701 (Markdown, of our own values)
        loader=PackageLoader("cot_entropy.registration"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
    )
    files = [(path.name, sha256_file(path)) for path in sorted(out.iterdir())]
    return environment.get_template("bundle.md.j2").render(freeze=freeze, files=files)
