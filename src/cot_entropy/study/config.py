"""The study as strict models: which models, which questions, which protocols, on what device.

    study.yaml          Study       models, datasets, engine, plan, the protocol and its variants
    protocols.yaml      Protocols   named chain, probe and scoring blocks, and their combinations

Both are checked whole before any job starts; what is wrong is named by file and key.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, TypeVar

import yaml
from pydantic import BaseModel, Field, ValidationError, model_validator

from cot_entropy.base.errors import ConfigError
from cot_entropy.base.strict import Strict, describe
from cot_entropy.data.job import DatasetSpec
from cot_entropy.model.spec import ModelSpec
from cot_entropy.protocol.chain import ChainBlock
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.protocol.probe import ProbeBlock
from cot_entropy.protocol.scoring import ScoringBlock
from cot_entropy.study.judges import ComputedJudge, JudgeSpec

RESERVED: Final = frozenset(
    {"inputs", "provenance", "consistency", "calibration", "tables", "figures"}
)
NAME: Final = r"^[a-z0-9][a-z0-9._-]{0,63}$"

Name = Annotated[str, Field(pattern=NAME)]
CellName = Annotated[str, Field(pattern=rf"{NAME[:-1]}/{NAME[1:]}")]


class Protocol(Strict):
    """One block of each kind, by name."""

    chain: Name
    """A chain block's name."""
    probe: Name
    """A probe block's name."""
    scoring: Name
    """A scoring block's name."""


class Protocols(Strict):
    """The named blocks and the protocols made of them."""

    chain: dict[Name, ChainBlock]
    """How reference chains are generated."""
    probe: dict[Name, ProbeBlock]
    """Where chains are cut and what is sampled there."""
    scoring: dict[Name, ScoringBlock]
    """How completions become answers, entropies and an outcome."""
    protocols: dict[Name, Protocol]
    """One block of each kind under one name."""

    @model_validator(mode="after")
    def _blocks_exist(self) -> Self:
        for name, protocol in self.protocols.items():
            for kind in ("chain", "probe", "scoring"):
                block, known = getattr(protocol, kind), sorted(getattr(self, kind))
                if block not in known:
                    raise ValueError(
                        f"protocols.{name}.{kind}: no {kind} block `{block}`; "
                        f"known: {', '.join(known)}"
                    )
        return self


class Baselines(Strict):
    """What the entropy signals are compared with; each is a file of its own."""

    self_consistency: Annotated[int, Field(ge=2, le=1000)] | None = None
    """Whole chains sampled per question, whose majority answers; null for none."""


class Study(Strict):
    """One study: the cells are every model on every dataset."""

    study: Name
    """Names the folder below results/."""
    seed: Annotated[int, Field(ge=0, lt=2**53)] | Literal["anchored"]
    """Every request's seed derives from it; `anchored`: from what an authority signed."""
    plan: str
    """Path of the plan, from the project's root."""
    protocols: str = "config/protocols.yaml"
    """Path of the file with the protocol blocks."""
    protocol: Name = "registered"
    """The protocol that H1..H5 are judged under."""
    variants: list[Name] = Field(default_factory=list)
    """Further protocols; all of their results are exploratory."""
    baselines: Baselines = Baselines()
    """Further generations to compare with; reference chains stay as they are."""
    shards: Annotated[int, Field(ge=1, le=1000)] = 1
    """Parts that a cell is split into, one engine each; seeds and order stay as they are."""
    only: list[CellName] = Field(default_factory=list)
    """Cells to run; the others' files and rows stay as they are. Empty: all."""
    engine: EngineSettings
    """How the engine runs, for every cell."""
    models: Annotated[dict[Name, ModelSpec], Field(min_length=1)]
    """The models by the name that cells and folders carry."""
    datasets: Annotated[dict[Name, DatasetSpec], Field(min_length=1)]
    """The datasets by the name that cells and folders carry."""

    judges: dict[Name, JudgeSpec] = Field(default={"computed": ComputedJudge(source="computed")})
    """The judges of `snakemake consistency`, by the name of their folder."""

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        for name in self.models:
            if name in RESERVED:
                raise ValueError(f"models.{name}: the name is taken by a results folder; rename it")
        for cell in self.only:
            if cell not in self.cells:
                raise ValueError(f"only: no cell `{cell}`; known: {', '.join(self.cells)}")
        return self

    @property
    def cells(self) -> list[str]:
        """All cells, `model/dataset`, in the order of the config."""
        return [f"{model}/{dataset}" for model in self.models for dataset in self.datasets]

    @property
    def selected(self) -> list[str]:
        """The cells of `only`, or all, in the order of the config."""
        return [cell for cell in self.cells if not self.only or cell in self.only]


class Configuration(Strict):
    """A study with the protocol blocks it names."""

    study: Study
    protocols: Protocols

    @model_validator(mode="after")
    def _protocols_exist(self) -> Self:
        known = self.protocols.protocols
        for key, name in [
            ("protocol", self.study.protocol),
            *(("variants", name) for name in self.study.variants),
        ]:
            if name not in known:
                raise ValueError(f"{key}: no protocol `{name}`; known: {', '.join(known)}")
        return self


M = TypeVar("M", bound=BaseModel)


def read_configuration(path: Path, overrides: Mapping[str, Any] | None = None) -> Configuration:
    """Read a study's YAML file and the protocol blocks it names; raises ConfigError."""
    values = {**read_settings(path), **(overrides or {})}
    return configuration(values, source=str(path))


def configuration(values: Mapping[str, Any], *, source: str) -> Configuration:
    """Check a study given as a mapping; `source` names it in errors. Raises ConfigError."""
    study = _validate(Study, values, source)
    if not Path(study.plan).is_file():
        raise ConfigError(f"{source}: plan: {study.plan}: no such file")
    path = Path(study.protocols)
    raw = read_settings(path)
    blocks = {kind: _resolve(kind, raw.get(kind), path) for kind in ("chain", "probe", "scoring")}
    protocols = _validate(Protocols, {**raw, **blocks}, str(path))
    return _validate(Configuration, {"study": study, "protocols": protocols}, source)


def _resolve(kind: str, blocks: Any, path: Path) -> dict[str, Any]:
    """Fill each block from the one it is based on, which stands before it."""
    if not isinstance(blocks, dict):
        raise ConfigError(f"{path}: `{kind}` must map block names to blocks")
    resolved: dict[str, Any] = {}
    for name, block in blocks.items():
        if not isinstance(block, dict):
            raise ConfigError(f"{path}: {kind}.{name}: a block is a mapping of settings")
        own = dict(block)
        base = own.pop("based_on", None)
        if base is not None and base not in resolved:
            raise ConfigError(
                f"{path}: {kind}.{name}: based_on `{base}`, which does not stand before it"
            )
        resolved[name] = {**(resolved[base] if base is not None else {}), **own}
    return resolved


class _UniqueKeys(yaml.SafeLoader):
    """Plain data in which no mapping has a key twice; YAML's own loader takes the last one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        found: set[str] = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in found:
                raise yaml.constructor.ConstructorError(
                    problem=f"key `{key.value}` stands twice", problem_mark=key.start_mark
                )
            found.add(key.value)
        return super().construct_mapping(node, deep)


def read_settings(path: Path) -> dict[str, Any]:
    """A mapping from YAML; raises ConfigError, with the line of what is none or stands twice."""
    try:
        values = _UniqueKeys(path.read_text(encoding="utf-8")).get_single_data()
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file; run from the project's root") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read ({error})") from None
    except RecursionError:
        raise ConfigError(f"{path}: nested too deeply; this is no study") from None
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f":{where.line + 1}" if where else ""
        problem = getattr(error, "problem", None) or "not YAML"
        raise ConfigError(f"{path}{line}: {problem}") from None
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: expected a mapping of settings")
    return values


def _validate(kind: type[M], values: Mapping[str, Any], source: str) -> M:
    try:
        return kind.model_validate(dict(values))
    except ValidationError as error:
        raise ConfigError(f"{source}: {describe(error, values)}") from None
