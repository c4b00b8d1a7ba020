"""Every anchor beside a freeze, verified again; and the seed of a study that is anchored.

Without a network: timestamps down to a root that the plan names, tags in the repository at hand.
What OSF answered is asked again only where `online` says so; until then it is the author's claim.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import rfc8785
from cryptography import x509
from pydantic import ValidationError

from cot_entropy.base.errors import PlanError
from cot_entropy.base.strict import describe
from cot_entropy.plan.model import Anchors
from cot_entropy.registration.anchors import osf, rfc3161, tag
from cot_entropy.registration.anchors.store import Checked, Stored, stored
from cot_entropy.registration.freeze import load_freeze


@dataclass(frozen=True, kw_only=True)
class Frozen:
    """The anchored thing: a freeze as it lies in its folder, and whose word its plan believes."""

    folder: Path
    """Where freeze.json and anchors/ stand."""
    content: bytes
    """The bytes of freeze.json."""
    believed: Anchors
    path: str
    """Of freeze.json in its repository."""

    @property
    def sha256(self) -> str:
        """The hash that is kept elsewhere."""
        return hashlib.sha256(self.content).hexdigest()


def believed(values: dict[str, Any]) -> Anchors:
    """Whose word a frozen plan believes; raises PlanError where that cannot be read."""
    try:
        return Anchors.model_validate(values.get("plan/anchors", {}))
    except ValidationError as error:
        raise PlanError(f"plan/anchors: {describe(error)}") from None


def frozen_at(path: Path, *, inside: str | None = None) -> Frozen:
    """The freeze at a path; `inside` is its path in its repository, where that is another.

    Raises PlanError where it is none.
    """
    return Frozen(
        folder=path.parent,
        content=path.read_bytes() if path.is_file() else b"",
        believed=believed(load_freeze(path).values),
        path=inside or path.as_posix(),
    )


def study_seed(freeze: Path) -> int | None:
    """The seed that the anchors beside a freeze give; None where it fixes a number, or nothing."""
    if not freeze.is_file() or load_freeze(freeze).values.get("config/seed") != "anchored":
        return None
    own = frozen_at(freeze)
    return anchored_seed(own.sha256, checked(own))


def checked(
    frozen: Frozen, *, repository: Path = Path(), online: str | None = None
) -> list[Checked]:
    """Verify every stored anchor of a freeze, here and now, in the order of their numbers.

    `repository` is where tags are looked for; `online` is the address of OSF's API to ask again.
    """
    return [_checked(one, frozen, repository, online) for one in stored(frozen.folder)]


def dated(found: Sequence[Checked]) -> datetime | None:
    """The earliest time by which an authority shows that the freeze was there."""
    return min(
        (one.time for one in found if one.state == "verified" and one.time is not None),
        default=None,
    )


def anchored_seed(freeze_sha256: str, found: Sequence[Checked]) -> int | None:
    """The study's seed, in [0, 2**53), or None where no authority has signed anything yet.

    SHA-256 over the canonical JSON of the freeze's hash and what the first authority decided: a
    timestamp's signature, or a registration's id and date. Nothing that the author can change
    without another signature enters.
    """
    first = next((one for one in found if one.signed and one.state != "refuted"), None)
    if first is None:
        return None
    digest = hashlib.sha256(rfc8785.dumps([freeze_sha256, first.kind, *first.signed])).digest()
    return int.from_bytes(digest[:8], "big") >> 11


def _checked(one: Stored, frozen: Frozen, repository: Path, online: str | None) -> Checked:
    name = f"{one.path.parent.name}/{one.path.name}"
    try:
        if one.kind == "rfc3161":
            return _timestamp(name, one, frozen)
        if one.kind == "tag":
            return _tag(name, one, frozen, repository)
        return _osf(name, one, frozen, online)
    except PlanError as error:
        return Checked(name=name, kind=one.kind, state="refuted", detail=str(error))


def _timestamp(name: str, one: Stored, frozen: Frozen) -> Checked:
    named = [root.sha256 for root in frozen.believed.timestamp_roots]
    roots: list[x509.Certificate] = rfc3161.named_roots(named, one.root)
    found = rfc3161.verified(one.read(), frozen.content, roots)
    return Checked(
        name=name,
        kind="rfc3161",
        state="verified",
        detail=f"{found.time:%Y-%m-%dT%H:%M:%SZ}, signed by {found.signer}, root {found.root}",
        time=found.time,
        signed=(found.signature,),
    )


def _tag(name: str, one: Stored, frozen: Frozen, repository: Path) -> Checked:
    recorded = tag.parsed(one.read())
    try:
        signer = tag.verified(
            repository, recorded, frozen.believed.tag_signers, frozen.content, frozen.path
        )
    except tag.MissingTagError:
        detail = (
            f"in a clone with the tag, `git verify-tag {recorded.name}`; it must be object "
            f"{recorded.object} on commit {recorded.commit}, whose {frozen.path} must have the "
            f"sha256 {frozen.sha256}"
        )
        return Checked(name=name, kind="tag", state="claim", detail=detail)
    detail = f"tag {recorded.name}, signed by {signer}; its date is the signer's claim"
    return Checked(name=name, kind="tag", state="verified", detail=detail)


def _osf(name: str, one: Stored, frozen: Frozen, online: str | None) -> Checked:
    answer = osf.parsed(one.read())
    when = osf.date_of(answer)
    signed = (answer.id, answer.date_registered)
    if answer.holding(frozen.sha256) is None:
        raise PlanError(f"OSF {answer.id}: none of its files has the freeze's sha256")
    where = f"osf.io/{answer.id}, registered {when:%Y-%m-%dT%H:%M:%SZ}"
    if online is None:
        detail = (
            f"compare at https://{where}; its files must hold a freeze.json with the sha256 "
            f"{frozen.sha256}"
        )
        return Checked(name=name, kind="osf", state="claim", detail=detail, signed=signed)
    if osf.fetch(answer.id, api=online) != answer:
        raise PlanError(f"OSF {answer.id}: answers otherwise now than what is stored")
    return Checked(
        name=name,
        kind="osf",
        state="verified",
        detail=f"{where}, as OSF answered at {datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        time=when,
        signed=signed,
    )
