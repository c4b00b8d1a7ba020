"""Adding an anchor: it is verified first, and nothing is stored that does not hold.

What is anchored is the freeze, or the last line of a study's ledger.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.serialization import Encoding

from cot_entropy.base.errors import PlanError
from cot_entropy.formats.ledger import LEDGER
from cot_entropy.formats.ledger_writing import begin
from cot_entropy.plan.model import Anchors
from cot_entropy.registration.anchors import osf, rfc3161, tag
from cot_entropy.registration.anchors.check import Frozen, frozen_at
from cot_entropy.registration.anchors.store import keep, read_small, stored


@dataclass(frozen=True, kw_only=True)
class Target:
    """Some bytes to anchor, and the folder that keeps what others give for them."""

    folder: Path
    content: bytes
    believed: Anchors


def target(freeze: Path, results: Path | None) -> Target:
    """The freeze, or the present head of the ledger of `results`, which is begun if there is none.

    The plan of the freeze says which roots are believed for both.
    """
    own = frozen_at(freeze)
    if results is None:
        return Target(folder=own.folder, content=own.content, believed=own.believed)
    line = begin(results, own.sha256)
    folder = (results / LEDGER).parent
    return Target(folder=folder, content=line, believed=own.believed)


def add_timestamp(
    to: Target, *, token: Path | None = None, tsa: str | None = None, ca: Path | None = None
) -> str:
    """Verify and store a timestamp from a file, or from an authority's address; says what it is.

    Raises PlanError where it does not verify, and where it is stored already.
    """
    if (token is None) == (tsa is None):
        raise PlanError("give either --token FILE, a response, or --tsa URL, an authority to ask")
    roots = rfc3161.named_roots([one.sha256 for one in to.believed.timestamp_roots], ca)
    response = read_small(token) if token else rfc3161.post(str(tsa), to.content)
    found = rfc3161.verified(response, to.content, roots)
    earlier = [one for one in stored(to.folder) if one.kind == "rfc3161"]
    if any(one.read() == response for one in earlier):
        raise PlanError(f"{token or tsa}: this very token is stored already")
    pem = b"".join(root.public_bytes(Encoding.PEM) for root in roots)
    path = keep(to.folder, [("rfc3161.tsr", response), ("root.pem", pem)])
    nth = f"; it is token {len(earlier) + 1}, each one more try at a seed" if earlier else ""
    return f"{path}: verified, {found.time:%Y-%m-%dT%H:%M:%SZ}, signed by {found.signer}{nth}"


def add_tag(own: Frozen, name: str) -> str:
    """Verify and record a signed tag whose commit holds the freeze; says who signed it."""
    found = tag.read_tag(Path(), name)
    signer = tag.verified(Path(), found, own.believed.tag_signers, own.content, own.path)
    content = found.model_dump_json(indent=1).encode() + b"\n"
    path = keep(own.folder, [("tag.json", content)])
    return f"{path}: verified, signed by {signer}; a tag's date is its signer's claim"


def add_osf(own: Frozen, id_or_doi: str, *, api: str = osf.API) -> str:
    """Ask OSF about a registration and store its answer; says when it was registered.

    Raises PlanError where none of its files is this very freeze.
    """
    answer = osf.fetch(id_or_doi, api=api)
    held = answer.holding(own.sha256)
    if held is None:
        raise PlanError(
            f"OSF {answer.id}: none of its {len(answer.files)} files has the sha256 {own.sha256} "
            f"of {own.path}; upload that file and register again"
        )
    content = answer.model_dump_json(indent=1).encode() + b"\n"
    path = keep(own.folder, [("osf.json", content)])
    return f"{path}: OSF answers: registered {osf.date_of(answer):%Y-%m-%dT%H:%M:%SZ}, {held.path}"
