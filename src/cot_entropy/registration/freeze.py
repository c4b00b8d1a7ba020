"""`cot-entropy freeze`: fix the registration in preregistration/freeze.json, once.

The file holds every item of the registration (see `items`), the plain values of plan and config
behind them, the commit that it was taken from, and what it replaced and why:

    {"schema_version": 1, "frozen_at": "2026-11-29T23:50:00Z", "commit": "66c5...",
     "items_sha256": "9f2c...", "items": {"plan/alpha": "...", "stage/score": "..."},
     "values": {"plan/alpha": 0.05, "config/seed": 20260919}, "replaced": []}

It never changes after it is written. The sha256 of its bytes is the hash to keep elsewhere; it
covers every freeze that this one replaced, so that none of them can be changed or dropped after
it. What shows that it is kept there stands in `anchors/` beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from cot_entropy.base.errors import PlanError
from cot_entropy.base.files import sha256_file, write_text
from cot_entropy.base.located_yaml import read_located_yaml
from cot_entropy.base.strict import Strict, describe, validate_json
from cot_entropy.model.spec import pinned_revision
from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Plan
from cot_entropy.registration.checkout import CheckoutError, clean_commit, ignored
from cot_entropy.registration.items import (
    Items,
    Values,
    canonical_sha256,
    code_items,
    config_items,
    config_values,
    environment_items,
    file_items,
    items_sha256,
    plan_datasets,
    plan_items,
    plan_models,
    plan_values,
    question_items,
)
from cot_entropy.study.config import Configuration, read_configuration

FILE = "freeze.json"
MAX_BYTES = 1_000_000
EXPLORATORY = "not frozen, so this run is exploratory"

Time = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]
Commit = Annotated[str, Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Replaced(Strict):
    """A freeze that this one replaced."""

    sha256: Sha256
    """The sha256 of its bytes."""
    frozen_at: Time
    """When it was made."""
    commit: Commit
    """The commit that it was taken from."""
    reason: Annotated[str, Field(min_length=1)]
    """Why it was replaced."""


class Freeze(Strict):
    """The registration as it was fixed."""

    schema_version: Literal[1] = 1
    """Version of this format."""
    frozen_at: Time
    """UTC."""
    commit: Commit
    """The commit that was frozen."""
    items_sha256: Sha256
    """Of `items`, whatever their order."""
    items: dict[str, str]
    """Registered items by name."""
    values: dict[str, Any]
    """The plain values behind the items that are hashes of values: `plan/` and `config/`."""
    replaced: list[Replaced] = Field(default_factory=list)
    """Earlier freezes."""

    @property
    def frozen_on(self) -> date:
        """The day of the freeze, UTC."""
        return date.fromisoformat(self.frozen_at[:10])

    @model_validator(mode="after")
    def _hash_fits(self) -> Self:
        if items_sha256(self.items) != self.items_sha256:
            raise ValueError("items_sha256: is not the hash of `items`; the file was edited")
        for item, value in self.values.items():
            if self.items.get(item) != canonical_sha256(value):
                raise ValueError(f"values: `{item}` is not what its item hashes; it was edited")
        missing = [
            item
            for item in self.items
            if item.startswith(("plan/", "config/")) and item not in self.values
        ]
        if missing:
            raise ValueError(f"values: `{missing[0]}` is missing; the file was edited")
        return self


def freeze(config: Path, *, reason: str | None = None, now: datetime | None = None) -> Freeze:
    """Write freeze.json beside the plan that `config` names, from the project's root.

    Raises PlanError where the tree has uncommitted changes, where plan and config contradict each
    other, and where a freeze is there already and no reason is given.
    """
    configuration = read_configuration(config)
    plan_path = Path(configuration.study.plan)
    path = plan_path.parent / FILE
    for left in path.parent.glob(f".{FILE}.*"):  # of a freeze that was killed while it wrote
        left.unlink()
    earlier = load_freeze(path) if path.exists() else None
    if earlier and not (reason and reason.strip()):
        raise PlanError(
            f"{path}: frozen already at {earlier.frozen_at}; a change after that belongs into "
            "deviations.yaml; to replace the freeze all the same, give --reason"
        )
    commit = clean_commit(Path())
    items, values = registration_items(configuration, plan_path)
    replaced = list(earlier.replaced) if earlier else []
    if earlier and reason:
        replaced.append(
            Replaced(
                sha256=sha256_file(path),
                frozen_at=earlier.frozen_at,
                commit=earlier.commit,
                reason=reason.strip(),
            )
        )
    result = Freeze(
        frozen_at=f"{(now or datetime.now(UTC)).astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        commit=commit,
        items_sha256=items_sha256(items),
        items=items,
        values=values,
        replaced=replaced,
    )
    _write(path, result)
    return result


def freeze_path(config: Path) -> Path:
    """The path of a study's freeze: beside its plan."""
    return Path(read_configuration(config).study.plan).parent / FILE


def demonstrate(config: Path, *, now: datetime | None = None) -> str:
    """Freeze a demonstration as it is run, and say in one line what its rows will be.

    Its freeze is made anew whenever the registration has changed, so that a changed line of code
    breaks no demo; git must ignore the file. Where the tree has uncommitted changes, or is no
    repository, there is no commit to name: an earlier freeze is removed, and the run is
    exploratory. Raises PlanError where git does not ignore the freeze, and as `freeze` does.
    """
    configuration = read_configuration(config)
    plan_path = Path(configuration.study.plan)
    path = plan_path.parent / FILE
    try:
        mine = ignored(path)
    except CheckoutError as error:
        return f"{EXPLORATORY}: {error}"
    if not mine:
        raise PlanError(f"{path}: git does not ignore it, so this is no demonstration")
    try:
        clean_commit(Path())
    except CheckoutError as error:
        path.unlink(missing_ok=True)
        return f"{EXPLORATORY}: {error}"
    items, _ = registration_items(configuration, plan_path)
    if path.exists() and load_freeze(path).items_sha256 == items_sha256(items):
        return f"frozen already, and nothing has changed: sha256 {sha256_file(path)}"
    path.unlink(missing_ok=True)
    freeze(config, now=now)
    results = Path("results") / configuration.study.study
    older = any(results.rglob("*.zst"))
    hint = f"; {results} was generated before that: remove it to run anew" if older else ""
    return f"frozen: sha256 {sha256_file(path)}{hint}"


def load_freeze(path: Path) -> Freeze:
    """Read freeze.json; raises PlanError naming file and key."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise PlanError(f"{path}: larger than {MAX_BYTES} bytes; this is no freeze")
        return validate_json(Freeze, path.read_bytes())
    except FileNotFoundError:
        raise PlanError(f"{path}: no such file; write it with: cot-entropy freeze") from None
    except ValidationError as error:
        raise PlanError(f"{path}: {describe(error)}") from None


def registration_items(configuration: Configuration, plan_path: Path) -> tuple[Items, Values]:
    """Every item of the registration, and the plain values of those of plan and config.

    Raises PlanError where plan and config contradict each other.
    """
    plan = load_plan(plan_path).plan
    for problem in contradictions(configuration, plan):
        raise PlanError(f"{plan_path}: {problem}")
    written = read_located_yaml(plan_path, error=PlanError).value
    root = Path()
    items = {
        **plan_items(written),
        **config_items(configuration, plan),
        **question_items(configuration, plan),
        **environment_items(configuration, root),
        **file_items(plan_path, root),
        **code_items(configuration, plan),
    }
    return items, {**plan_values(written), **config_values(configuration, plan)}


def contradictions(configuration: Configuration, plan: Plan) -> Iterator[str]:
    """What in plan and config cannot both be registered."""
    study, blocks = configuration.study, configuration.protocols
    names = blocks.protocols[study.protocol]
    for kind in ("chain", "probe", "scoring"):
        registered, used = getattr(plan.protocol, kind), getattr(names, kind)
        if registered != used:
            yield f"protocol.{kind} is `{registered}`, and the study's protocol has `{used}`"
    for kind, named, known in (
        ("model", plan_models(plan), study.models.keys()),
        ("dataset", plan_datasets(plan), study.datasets.keys()),
    ):
        for name in sorted(named - known):
            yield f"no {kind} `{name}` in the study; name the config that registers it"
    for name in sorted(plan_datasets(plan) & study.datasets.keys()):
        if study.datasets[name].sha256 is None:
            yield f"dataset `{name}` has no sha256 in the config; a freeze pins every dataset"
    for name in sorted(plan_models(plan) & study.models.keys()):
        if pinned_revision(study.models[name]) is None:
            yield (
                f"model `{name}` has no sha256 in the config; a freeze pins every model (the "
                f"`revision` in inputs/{name}.model.json of any run is it)"
            )
    if plan.m != blocks.probe[names.probe].m:
        yield f"m is {plan.m}, and the probe block samples {blocks.probe[names.probe].m}"
    if plan.eps != blocks.scoring[names.scoring].eps:
        yield f"eps is {plan.eps}, and the scoring block has {blocks.scoring[names.scoring].eps}"


def _write(path: Path, result: Freeze) -> None:
    write_text(path, result.model_dump_json(indent=2) + "\n")
