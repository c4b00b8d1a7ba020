"""A signed git tag on the commit that holds the freeze: proves key and content, and no date.

The plan names who may sign, by OpenSSH public key or GPG fingerprint. Source: git-verify-tag(1);
gpg's status lines are those of doc/DETAILS in GnuPG.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, ValidationError

from cot_entropy.base.errors import PlanError
from cot_entropy.base.strict import Strict, describe
from cot_entropy.registration.checkout import git

Object = Annotated[str, Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
SSH_KEY: Final = re.compile(r"((?:sk-)?(?:ssh|ecdsa)-[\w@.-]+) ([A-Za-z0-9+/=]+)(?: .*)?")
GPG: Final = re.compile(r"[0-9A-Fa-f]{40}(?:[0-9A-Fa-f]{24})?")
VALID: Final = re.compile(r"^\[GNUPG:\] VALIDSIG ([0-9A-F]+) .*?([0-9A-F]{40,64})$", re.MULTILINE)
GOOD_SSH: Final = re.compile(
    r'^Good "git" signature for \S+ with \S+ key (SHA256:\S+)', re.MULTILINE
)


class MissingTagError(PlanError):
    """The repository at hand has no tag of that name: nothing is known about it."""


class SignedTag(Strict):
    """A tag as it was when it was recorded."""

    schema_version: Literal[1] = 1
    """Version of this format."""
    name: Annotated[str, Field(pattern=r"^[\w][\w./-]{0,199}$")]
    """The tag's name."""
    object: Object
    """The tag object: another one under the same name is a moved tag."""
    commit: Object
    """The commit that it is on."""


def parsed(content: bytes) -> SignedTag:
    """A recorded tag; raises PlanError naming the key that is wrong."""
    try:
        return SignedTag.model_validate_json(content)
    except ValidationError as error:
        raise PlanError(describe(error)) from None


def read_tag(root: Path, name: str) -> SignedTag:
    """The tag of this name in a repository; raises PlanError where it is not signed.

    Raises MissingTagError where the repository has none, or the folder is no repository.
    """
    try:
        kind = git(root, "cat-file", "-t", f"refs/tags/{name}").stdout.strip()
    except PlanError:
        raise MissingTagError(f"{name}: no such tag in this repository") from None
    if kind != "tag":
        raise PlanError(f"{name}: is not signed, a name only; make it with: git tag -s")
    return SignedTag(
        name=name,
        object=git(root, "rev-parse", f"refs/tags/{name}").stdout.strip(),
        commit=git(root, "rev-parse", f"refs/tags/{name}^{{commit}}").stdout.strip(),
    )


def verified(root: Path, tag: SignedTag, signers: list[str], freeze: bytes, path: str) -> str:
    """The signer of a tag, one of those that the plan names.

    Its commit must hold `freeze` at `path`. Raises PlanError where it is unsigned, was moved, is
    signed by somebody else, or holds another freeze.
    """
    now = read_tag(root, tag.name)
    if now != tag:
        raise PlanError(
            f"{tag.name}: was moved: {tag.object[:12]} was recorded, and it is now "
            f"{now.object[:12]} on commit {now.commit[:12]}"
        )
    signer = _signer(root, tag.name, signers)
    held = git(root, "rev-parse", "--verify", f"{tag.commit}:{path}", allowed=(0, 128))
    if held.returncode or held.stdout.strip() != _blob(freeze, tag.commit):
        raise PlanError(f"{tag.name}: its commit {tag.commit[:12]} does not hold this {path}")
    return signer


def _blob(content: bytes, like: str) -> str:
    """The name that git gives a file's content, in a repository that names objects like that."""
    made = hashlib.sha1 if len(like) == 40 else hashlib.sha256
    return made(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _signer(root: Path, name: str, signers: list[str]) -> str:
    keys = [match for one in signers if (match := SSH_KEY.fullmatch(one.strip()))]
    prints = {
        one.replace(" ", "").upper() for one in signers if GPG.fullmatch(one.replace(" ", ""))
    }
    with tempfile.NamedTemporaryFile("w", suffix=".allowed", encoding="utf-8") as allowed:
        allowed.writelines(f'* namespaces="git" {match[1]} {match[2]}\n' for match in keys)
        allowed.flush()
        setting = f"gpg.ssh.allowedSignersFile={allowed.name}"
        done = git(root, "-c", setting, "verify-tag", "--raw", name, allowed=(0, 1, 128))
    said = done.stderr
    if done.returncode == 0:
        if ssh := GOOD_SSH.search(said):
            return f"SSH key {ssh[1]}"
        for used in VALID.finditer(said):
            if prints.intersection(used.groups()):
                return f"GPG key {used[2]}"
    if "no signature found" in said:
        raise PlanError(f"{name}: is not signed; make it with: git tag -s")
    if not signers:
        raise PlanError(f"{name}: the plan names nobody under anchors.tag_signers who may sign it")
    raise PlanError(f"{name}: no valid signature of a key that the plan names")
