"""Rules by name: one module per rule, in one folder per kind.

The folder's listing is the set of names, so that adding a rule is adding its file. A rule is loaded
by its name when it is used and no module imports it: the digest of a stage's code (`digest`) holds
the rules that the stage's settings name, and no other.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

PACKAGE: Final = "cot_entropy"
ROOT: Final = Path(__file__).parents[1]


@dataclass(frozen=True)
class Kind:
    """A kind of rule by its folder, as `generate.segmentation`; marks a `str` that names one."""

    folder: str
    renamed: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Earlier names of its rules, each with the name that stands in its place."""

    @property
    def names(self) -> list[str]:
        """The rules that are there, sorted."""
        modules = ROOT.joinpath(*self.folder.split(".")).glob("*.py")
        return sorted(path.stem for path in modules if path.stem != "__init__")

    def module(self, name: str) -> str:
        """The dotted name of a rule's module."""
        return f"{PACKAGE}.{self.folder}.{name}"

    def load(self, name: str) -> ModuleType:
        """The module of a rule."""
        return importlib.import_module(self.module(name))

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Accept the names that are there, as a `Literal` of them would."""
        names = core_schema.literal_schema(self.names)
        return core_schema.no_info_before_validator_function(self._current, names)

    def _current(self, name: Any) -> Any:
        if isinstance(name, str) and name in self.renamed:
            raise ValueError(f"`{name}` is called `{self.renamed[name]}` now")
        return name


@dataclass(frozen=True)
class OneOf:
    """Marks a model that is one per rule, told apart by the field that names the rule.

    The class stands in the rule's module under the rule's name in capitals, within `called`.
    """

    kind: Kind
    field: str
    called: str = "{}"

    def __get_pydantic_core_schema__(self, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        choices = {name: handler.generate_schema(self._model(name)) for name in self.kind.names}
        return core_schema.tagged_union_schema(choices, discriminator=self.field)

    def _model(self, name: str) -> type[Any]:
        found: type[Any] = getattr(
            self.kind.load(name), self.called.format(name.title().replace("_", ""))
        )
        return found
