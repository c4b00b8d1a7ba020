"""YAML from strangers: plain data only, and the line that every value stands on.

Aliases, anchors, tags, repeated keys and deep nesting are refused, so that a file means what it
shows and a validation error can name its line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

import rfc8785
import yaml
from pydantic import BaseModel, ValidationError

from cot_entropy.base.errors import UserError

MAX_BYTES: Final = 1_000_000
MAX_DEPTH: Final = 20
# libyaml's parser of the same safe subset, ten times as fast; not every build of PyYAML has it
LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Location = tuple[str | int, ...]
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class LocatedYaml:
    """A YAML document as plain data, and the line (from 1) of every key and item."""

    path: Path
    value: Any
    lines: dict[Location, int] = field(repr=False)

    @property
    def canonical_sha256(self) -> str:
        """sha256 of the value in canonical JSON (RFC 8785): comments and layout change nothing."""
        return hashlib.sha256(rfc8785.dumps(self.value)).hexdigest()

    def line(self, location: Sequence[str | int]) -> int:
        """The line of the deepest part of `location` that stands in the file.

        Parts that are not in the file (a missing key, a union's tag) are passed over.
        """
        here: Location = ()
        for part in location:
            if (*here, part) in self.lines:
                here = (*here, part)
        return self.lines[here]


def read_located_yaml(path: Path, *, error: type[UserError]) -> LocatedYaml:
    """Read one document; raises `error` naming file and line of whatever is not plain data."""
    try:
        raw = path.read_bytes()
    except OSError as cause:
        raise error(f"{path}: cannot be read ({cause.strerror})") from None
    if len(raw) > MAX_BYTES:
        raise error(f"{path}: larger than {MAX_BYTES} bytes; this is no file of this project")
    try:
        text = raw.decode("utf-8")
        _refuse_indirection(text, path, error)
        root = yaml.compose(text, Loader=LOADER)
    except UnicodeDecodeError as cause:
        raise error(f"{path}: not UTF-8 text (byte {cause.start})") from None
    except yaml.YAMLError as cause:
        mark = getattr(cause, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        what = getattr(cause, "problem", None) or str(cause).splitlines()[0]
        raise error(f"{where}: not valid YAML ({what})") from None
    if root is None:
        raise error(f"{path}: is empty")
    lines: dict[Location, int] = {}
    value = _construct(root, (), lines, path, error)
    return LocatedYaml(path, value, lines)


def validate_located(document: LocatedYaml, model: type[Model], *, error: type[UserError]) -> Model:
    """The document as a pydantic model.

    Raises `error` with the line of the first problem, a misspelt key before a missing one.
    """
    try:
        return model.model_validate(document.value)
    except ValidationError as invalid:
        problems = invalid.errors(include_url=False)
        problem = min(problems, key=lambda one: one["type"] == "missing")
        location = problem["loc"]
        if problem["type"].startswith("union_tag"):
            location = (*location, problem["ctx"]["discriminator"].strip("'"))
        key = ".".join(str(part) for part in location) or "the document"
        more = invalid.error_count() - 1
        rest = f" (and {more} more)" if more else ""
        line = document.line(location)
        raise error(f"{document.path}:{line}: `{key}`: {problem['msg']}{rest}") from None


def _refuse_indirection(text: str, path: Path, error: type[UserError]) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=LOADER):
        where = f"{path}:{event.start_mark.line + 1}" if event.start_mark else str(path)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise error(f"{where}: anchors and aliases are not allowed; write the value out")
        if tag := getattr(event, "tag", None):
            raise error(f"{where}: tags are not allowed ({tag}); write plain values")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise error(f"{where}: nested deeper than {MAX_DEPTH} levels")


def _construct(
    node: yaml.Node, here: Location, lines: dict[Location, int], path: Path, error: type[UserError]
) -> Any:
    lines.setdefault(here, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        return [
            _construct(item, (*here, index), lines, path, error)
            for index, item in enumerate(node.value)
        ]
    if not isinstance(node, yaml.MappingNode):
        return _scalar(node, path, error)
    mapping: dict[str, Any] = {}
    for key_node, value_node in node.value:
        where = f"{path}:{key_node.start_mark.line + 1}"
        key = _scalar(key_node, path, error) if isinstance(key_node, yaml.ScalarNode) else None
        if not isinstance(key, str):
            raise error(f"{where}: a key must be text")
        if key in mapping:
            raise error(f"{where}: key `{key}` stands twice")
        lines[(*here, key)] = key_node.start_mark.line + 1
        mapping[key] = _construct(value_node, (*here, key), lines, path, error)
    return mapping


def _scalar(node: yaml.Node, path: Path, error: type[UserError]) -> Any:
    where = f"{path}:{node.start_mark.line + 1}"
    try:
        value = yaml.constructor.SafeConstructor().construct_object(node)
    except (yaml.YAMLError, ValueError) as cause:
        raise error(f"{where}: not a plain value ({cause})") from None
    if value is not None and not isinstance(value, str | int | float):
        raise error(f"{where}: not text, a number or true/false; put it in quotes")
    return value
