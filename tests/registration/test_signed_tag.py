"""Signed git tags, in repositories of this machine: keys of ssh-keygen and of gpg."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.projects import commit, git

from cot_entropy.base.errors import PlanError
from cot_entropy.registration.anchors.tag import MissingTagError, SignedTag, read_tag, verified

PATH = "preregistration/freeze.json"
FREEZE = b'{"items_sha256": "1"}\n'


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / "preregistration").mkdir(parents=True)
    (root / PATH).write_bytes(FREEZE)
    git(root, "init", "--quiet")
    for setting in (("user.name", "test"), ("user.email", "test@example.org")):
        git(root, "config", *setting)
    commit(root)
    return root


def ssh_key(root: Path, name: str) -> str:
    """A new key, which signs tags from now on; returns its public half."""
    path = root.parent / name
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(path)], check=True
    )
    git(root, "config", "gpg.format", "ssh")
    git(root, "config", "user.signingkey", str(path))
    return path.with_suffix(".pub").read_text()


def signed(root: Path, name: str = "registered", *options: str) -> SignedTag:
    git(root, "tag", "--sign", "--message", "the freeze", *options, name)
    return read_tag(root, name)


def test_an_ssh_signature_of_a_named_key_is_verified(repository: Path) -> None:
    key = ssh_key(repository, "author")
    tag = signed(repository)
    assert verified(repository, tag, [key], FREEZE, PATH).startswith("SSH key SHA256:")


def test_one_of_several_named_keys_is_enough(repository: Path) -> None:
    other, key = ssh_key(repository, "other"), ssh_key(repository, "author")
    assert verified(repository, signed(repository), [other, key], FREEZE, PATH)


def test_a_key_that_the_plan_does_not_name_is_foreign(repository: Path) -> None:
    named = ssh_key(repository, "author")
    ssh_key(repository, "somebody")
    with pytest.raises(PlanError, match="no valid signature of a key that the plan names"):
        verified(repository, signed(repository), [named], FREEZE, PATH)


def test_a_plan_that_names_nobody_believes_nobody(repository: Path) -> None:
    ssh_key(repository, "author")
    with pytest.raises(PlanError, match="the plan names nobody"):
        verified(repository, signed(repository), [], FREEZE, PATH)


def test_a_plain_tag_is_refused(repository: Path) -> None:
    git(repository, "tag", "registered")
    with pytest.raises(PlanError, match="registered: is not signed"):
        read_tag(repository, "registered")


def test_an_annotated_tag_without_a_signature_is_refused(repository: Path) -> None:
    key = ssh_key(repository, "author")
    git(repository, "tag", "--annotate", "--message", "the freeze", "registered")
    with pytest.raises(PlanError, match="registered: is not signed"):
        verified(repository, read_tag(repository, "registered"), [key], FREEZE, PATH)


def test_a_moved_tag_is_found(repository: Path) -> None:
    key = ssh_key(repository, "author")
    before = signed(repository)
    (repository / "later.txt").write_text("later\n")
    commit(repository)
    signed(repository, "registered", "--force")
    with pytest.raises(PlanError, match="was moved"):
        verified(repository, before, [key], FREEZE, PATH)


def test_a_tag_on_a_commit_with_another_freeze_is_found(repository: Path) -> None:
    key = ssh_key(repository, "author")
    tag = signed(repository)
    with pytest.raises(PlanError, match=r"does not hold this preregistration/freeze\.json"):
        verified(repository, tag, [key], FREEZE + b" ", PATH)


def test_a_tag_on_a_commit_without_a_freeze_is_found(repository: Path) -> None:
    key = ssh_key(repository, "author")
    tag = signed(repository)
    with pytest.raises(PlanError, match="does not hold this other"):
        verified(repository, tag, [key], FREEZE, "other/freeze.json")


def test_a_clone_without_the_tag_knows_nothing_of_it(repository: Path, tmp_path: Path) -> None:
    """That is no difference: whoever has the tag can verify it."""
    key = ssh_key(repository, "author")
    tag = signed(repository)
    git(tmp_path, "clone", "--quiet", "--no-tags", str(repository), "clone")
    with pytest.raises(MissingTagError):
        verified(tmp_path / "clone", tag, [key], FREEZE, PATH)


def test_a_folder_without_git_knows_nothing_of_it(tmp_path: Path) -> None:
    with pytest.raises(MissingTagError):
        read_tag(tmp_path, "registered")


@pytest.fixture
def gpg(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A new GPG key, which signs tags from now on; its fingerprint."""
    home = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())
    monkeypatch.setenv("GNUPGHOME", str(home))
    batch = ["gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", ""]
    subprocess.run([*batch, "--quick-gen-key", "test", "ed25519", "sign"], check=True, capture_output=True)  # fmt: skip
    listed = subprocess.check_output(["gpg", "--list-keys", "--with-colons"], text=True)
    fingerprint = next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr"))
    git(repository, "config", "user.signingkey", fingerprint)
    yield fingerprint
    subprocess.run(["gpgconf", "--kill", "all"], check=False)
    subprocess.run(["rm", "-r", str(home)], check=False)


def test_a_gpg_signature_of_a_named_key_is_verified(repository: Path, gpg: str) -> None:
    assert verified(repository, signed(repository), [gpg], FREEZE, PATH) == f"GPG key {gpg}"


def test_a_gpg_key_that_the_plan_does_not_name_is_foreign(repository: Path, gpg: str) -> None:
    other = gpg[:-4] + ("0000" if gpg[-4:] != "0000" else "1111")
    with pytest.raises(PlanError, match="no valid signature of a key that the plan names"):
        verified(repository, signed(repository), [other], FREEZE, PATH)
