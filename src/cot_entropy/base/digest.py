"""A digest of the code that a stage can reach, so that a run knows when its code has changed.

The imports of the stage's module are followed inside this package without importing anything.
Comments, docstrings, formatting, tests and docs change no digest; a changed expression changes
the digest of exactly the stages that can reach it. No import leads to a rule (`rules`): a stage is
given the modules of those that its settings name. Data that ships beside reachable code (problem
templates, the taxonomy, page templates) counts as code.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from cot_entropy.base import rules as named
from cot_entropy.base.files import sha256_file

PACKAGE: Final = named.PACKAGE
ROOT: Final = named.ROOT

DATA: Final = frozenset({".css", ".j2", ".js", ".json", ".jsonl", ".safetensors", ".toml", ".yaml"})

STAGES: Final[Mapping[str, str]] = {
    "model": "cot_entropy.model.stage",
    "questions": "cot_entropy.data.stage",
    "chains": "cot_entropy.generate.chains",
    "prefixes": "cot_entropy.generate.prefixes",
    "completions": "cot_entropy.generate.completions",
    "score": "cot_entropy.signal.score",
    "sensitivity": "cot_entropy.signal.sensitivity",
    "self_consistency": "cot_entropy.generate.self_consistency",
    "baseline": "cot_entropy.stats.baseline",
    "analyse": "cot_entropy.stats.analyse",
    "variants": "cot_entropy.stats.variants",
    "calibrate": "cot_entropy.stats.calibration.run",
    "consistency": "cot_entropy.consistency.cli",
    "report": "cot_entropy.report.page",
}
"""The module that each stage's command calls."""


def stage_digest(stage: str, rules: Iterable[str] = ()) -> str:
    """The sha256 over every module of this package that the stage and its rules can reach.

    `rules` are the modules of the rules that the stage's settings name.
    """
    return _digest(stage, frozenset(rules))


@functools.cache
def _digest(stage: str, rules: frozenset[str]) -> str:
    reachable = dict(_reachable(STAGES[stage]))
    for rule in rules:
        reachable |= _reachable(rule)
    digest = hashlib.sha256()
    for name, fingerprint in sorted({**reachable, **_package_data(reachable)}.items()):
        digest.update(f"{name} {fingerprint}\n".encode())
    return digest.hexdigest()


def reachable_modules(stage: str) -> list[str]:
    """The dotted names of the modules behind a stage's digest, sorted."""
    return sorted(_reachable(STAGES[stage]))


@functools.cache
def _reachable(start: str) -> dict[str, str]:
    found: dict[str, str] = {}
    waiting = [start]
    while waiting:
        name = waiting.pop()
        path = _source(name)
        if path is None or name in found:
            continue
        fingerprint, imports = _parsed(path.read_text(encoding="utf-8"))
        waiting += imports
        waiting += _parents(name)
        found[name] = fingerprint
    return found


@functools.cache
def _parsed(text: str) -> tuple[str, tuple[str, ...]]:
    """The fingerprint of a module's source, and what it imports."""
    tree = ast.parse(text)
    imports = tuple(_imports(tree))
    return _fingerprint(tree), imports


def _package_data(modules: Mapping[str, str]) -> dict[str, str]:
    """The data files in the folders of reachable packages, the top one aside, with their hashes."""
    sources = [_source(name) for name in modules]
    folders = {path.parent for path in sources if path is not None} - {ROOT}
    return {
        path.relative_to(ROOT).as_posix(): sha256_file(path)
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix in DATA
    }


def _source(name: str) -> Path | None:
    parts = name.split(".")
    if parts[0] != PACKAGE:
        return None
    base = ROOT.joinpath(*parts[1:])
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


def _parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _fingerprint(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [child for child in node.body if not _is_docstring(child)]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
