"""`cot-entropy freeze`: fix the registration in preregistration/freeze.json, once.

The file holds every item of the registration (see `registration`), the commit that it was taken
from, what it replaced and why, and where its hash is kept outside this repository, if anywhere:

    {"schema_version": 1, "frozen_at": "2026-11-29T23:50:00Z", "commit": "66c5...",
     "sha256": "41d8...", "items_sha256": "9f2c...",
     "items": {"plan/alpha": "...", "stage/score": "..."}, "anchor": null, "replaced": []}

`sha256` is the hash to deposit: it covers items, time, commit and every freeze that this one
replaced, so that none of them can be changed or dropped after it.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from cot_entropy.base import digest
from cot_entropy.base.errors import PlanError
from cot_entropy.base.files import write_text
from cot_entropy.base.located_yaml import read_located_yaml
from cot_entropy.base.strict import Strict, describe, validate_json
from cot_entropy.model.spec import pinned_revision
from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Plan
from cot_entropy.registration.items import (
    Items,
    canonical_sha256,
    code_items,
    config_items,
    environment_items,
    file_items,
    items_sha256,
    plan_datasets,
    plan_items,
    plan_models,
    question_items,
)
from cot_entropy.study.config import Configuration, read_configuration

FILE = "freeze.json"
MAX_BYTES = 1_000_000

Time = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]
Commit = Annotated[str, Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
DOI = r"10\.\d{4,9}/\S+"
"""As the DOI Handbook (2.2) writes a name: a prefix with its registrant, a slash, a suffix."""
AnchorKind = Literal["osf_doi", "signed_tag", "rfc3161"]


class Anchor(Strict):
    """Where the freeze's `sha256` is kept by someone else."""

    kind: AnchorKind
    """What keeps it."""
    value: Annotated[str, Field(min_length=1, max_length=500)]
    """A DOI, a tag's name, a timestamp's file."""

    @model_validator(mode="after")
    def _doi_is_one(self) -> Self:
        if self.kind == "osf_doi" and not re.fullmatch(DOI, self.value):
            raise ValueError(f"`{self.value}` is no DOI, such as 10.17605/OSF.IO/ABCDE")
        return self


class Replaced(Strict):
    """A freeze that this one replaced."""

    sha256: Sha256
    """Its hash."""
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
    sha256: Sha256
    """The hash to deposit elsewhere: over all of this but the anchor."""
    items_sha256: Sha256
    """The hash over the items alone: two freezes of one registration share it."""
    items: dict[str, str]
    """Registered items by name."""
    anchor: Anchor | None = None
    """Where the hash is kept by someone else."""
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
        if freeze_sha256(self.model_dump(mode="json")) != self.sha256:
            raise ValueError("sha256: is not the hash of this freeze; the file was edited")
        return self


def freeze_sha256(values: Mapping[str, Any]) -> str:
    """The hash to deposit of a freeze given as JSON: over all of it but hash and anchor."""
    return canonical_sha256({k: v for k, v in values.items() if k not in {"sha256", "anchor"}})


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
    items = registration_items(configuration, plan_path)
    replaced = list(earlier.replaced) if earlier else []
    if earlier and reason:
        replaced.append(
            Replaced(
                sha256=earlier.sha256,
                frozen_at=earlier.frozen_at,
                commit=earlier.commit,
                reason=reason.strip(),
            )
        )
    values = {
        "schema_version": 1,
        "frozen_at": f"{(now or datetime.now(UTC)).astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "commit": commit,
        "items_sha256": items_sha256(items),
        "items": items,
        "replaced": [one.model_dump(mode="json") for one in replaced],
    }
    result = Freeze.model_validate_json(json.dumps({**values, "sha256": freeze_sha256(values)}))
    _write(path, result)
    return result


def anchor(path: Path, *, kind: AnchorKind, value: str) -> Freeze:
    """Record in freeze.json where its hash is kept outside the repository; changes no item."""
    frozen = load_freeze(path)
    if frozen.anchor is not None:
        raise PlanError(f"{path}: anchored already ({frozen.anchor.kind} {frozen.anchor.value})")
    try:
        result = frozen.model_copy(update={"anchor": Anchor(kind=kind, value=value)})
    except ValidationError as error:
        raise PlanError(f"{kind}: {describe(error)}") from None
    _write(path, result)
    return result


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


def registration_items(configuration: Configuration, plan_path: Path) -> Items:
    """Every item of the registration; raises PlanError where plan and config contradict."""
    plan = load_plan(plan_path).plan
    for problem in contradictions(configuration, plan):
        raise PlanError(f"{plan_path}: {problem}")
    values = read_located_yaml(plan_path, error=PlanError).value
    root = Path()
    return {
        **plan_items(values),
        **config_items(configuration, plan),
        **question_items(configuration, plan),
        **environment_items(configuration, root),
        **file_items(plan_path, root),
        **code_items(),
    }


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


def clean_commit(root: Path) -> str:
    """The commit that is checked out in `root`; raises PlanError where the tree differs from it.

    The stages' digests are those of the package that runs, which must be the one in the tree.
    """
    source = (root / "src" / digest.PACKAGE).resolve()
    if source != digest.ROOT.resolve():
        raise PlanError(
            f"{source}: not the package that runs this command; install it from here (make setup)"
        )
    changed = _git(root, "status", "--porcelain", "--untracked-files=all").splitlines()
    if changed:
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        names = ", ".join(line[3:] for line in changed[:3])
        raise PlanError(f"uncommitted changes: {names}{more}; commit them, then freeze")
    return _git(root, "rev-parse", "HEAD").strip()


def _git(root: Path, *arguments: str) -> str:
    program = shutil.which("git")
    if program is None:
        raise PlanError("git is not installed; a freeze names the commit that it was taken from")
    done = subprocess.run(  # noqa: S603
        [program, "-C", str(root), *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        message = (done.stderr.strip().splitlines() or ["git failed"])[-1]
        raise PlanError(f"{root.resolve().name}: {message}; a freeze is taken in a git repository")
    return done.stdout


def _write(path: Path, result: Freeze) -> None:
    write_text(path, result.model_dump_json(indent=2) + "\n")
