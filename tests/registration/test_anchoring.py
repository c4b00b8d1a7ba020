"""Adding anchors to a freeze, and what an audit finds them worth afterwards."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import rfc8785
import yaml
from tests.osf_server import Registration, osf_server
from tests.projects import commit, forget_digests, git, make_project
from tests.registration.test_signed_tag import signed, ssh_key
from tests.runs import CONFIG, write_tiny_study
from tests.timestamping import Authority, authority, served

from cot_entropy.base.errors import ConfigError, PlanError
from cot_entropy.registration.anchors.add import add_osf, add_tag, add_timestamp, target
from cot_entropy.registration.anchors.check import anchored_seed, checked, dated, frozen_at
from cot_entropy.registration.anchors.rfc3161 import request, verified
from cot_entropy.registration.anchors.store import stored
from cot_entropy.registration.before import seed_of
from cot_entropy.registration.freeze import freeze
from cot_entropy.study.config import read_configuration

FREEZE = Path("preregistration/freeze.json")


@pytest.fixture(scope="module")
def tsa(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("tsa") / "named", key="p256")


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("tsa") / "other", key="p256")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tsa: Authority) -> Iterator[Path]:
    """A frozen study whose seed is anchored and whose plan believes `tsa` and one SSH key."""
    root = make_project(tmp_path / "author", monkeypatch)
    git(root, "config", "user.name", "test")
    git(root, "config", "user.email", "test@example.org")
    write_tiny_study(root, seed="anchored")
    plan = root / "preregistration/plan.yaml"
    values = yaml.safe_load(plan.read_text())
    values["anchors"] = {
        "timestamp_roots": [{"name": "test", "sha256": tsa.root_sha256}],
        "tag_signers": [ssh_key(root, "author-key")],
    }
    plan.write_text(yaml.safe_dump(values, sort_keys=False))
    commit(root)
    freeze(CONFIG)
    commit(root)
    yield root
    forget_digests()


def token(tsa: Authority, path: Path, content: bytes | None = None) -> Path:
    path.write_bytes(tsa.answer(request(content or FREEZE.read_bytes())))
    return path


def test_a_good_token_is_stored_and_verified_again(project: Path, tsa: Authority) -> None:
    said = add_timestamp(target(FREEZE, None), token=token(tsa, project / "t.tsr"), ca=tsa.root)
    assert said.startswith("preregistration/anchors/1.rfc3161.tsr: verified, ")
    (found,) = checked(frozen_at(FREEZE))
    assert (found.state, found.kind) == ("verified", "rfc3161")
    assert dated([found]) == found.time


def test_the_freeze_is_not_changed_by_an_anchor(project: Path, tsa: Authority) -> None:
    before = FREEZE.read_bytes()
    add_timestamp(target(FREEZE, None), token=token(tsa, project / "t.tsr"), ca=tsa.root)
    assert FREEZE.read_bytes() == before


def test_each_further_token_counts_as_another_try(project: Path, tsa: Authority) -> None:
    for name in ("a.tsr", "b.tsr"):
        said = add_timestamp(target(FREEZE, None), token=token(tsa, project / name), ca=tsa.root)
    assert said.endswith("it is token 2, each one more try at a seed")
    assert [one.number for one in stored(FREEZE.parent)] == [1, 2]


def test_an_authority_is_asked_and_its_answer_added_in_one_step(
    project: Path, tsa: Authority
) -> None:
    with served(tsa) as url:
        said = add_timestamp(target(FREEZE, None), tsa=url, ca=tsa.root)
    assert "verified" in said
    assert [one.state for one in checked(frozen_at(FREEZE))] == ["verified"]


def test_an_authority_that_does_not_answer_gets_one_line(project: Path, tsa: Authority) -> None:
    with pytest.raises(PlanError, match="no answer"):
        add_timestamp(target(FREEZE, None), tsa="http://127.0.0.1:9", ca=tsa.root)


def test_the_same_token_twice_is_refused(project: Path, tsa: Authority) -> None:
    path = token(tsa, project / "t.tsr")
    add_timestamp(target(FREEZE, None), token=path, ca=tsa.root)
    with pytest.raises(PlanError, match="stored already"):
        add_timestamp(target(FREEZE, None), token=path, ca=tsa.root)


def test_a_token_over_another_hash_stores_nothing(project: Path, tsa: Authority) -> None:
    path = token(tsa, project / "t.tsr", b"another freeze")
    with pytest.raises(PlanError, match="Mismatch"):
        add_timestamp(target(FREEZE, None), token=path, ca=tsa.root)
    assert stored(FREEZE.parent) == []


def test_an_authority_that_the_plan_does_not_name_stores_nothing(
    project: Path, other: Authority
) -> None:
    """Anybody can be an authority: openssl makes one in a second."""
    with pytest.raises(PlanError, match=r"no certificate that the plan names"):
        add_timestamp(target(FREEZE, None), token=token(other, project / "t.tsr"), ca=other.root)
    assert stored(FREEZE.parent) == []


def test_a_root_swapped_afterwards_is_refuted(
    project: Path, tsa: Authority, other: Authority
) -> None:
    add_timestamp(target(FREEZE, None), token=token(tsa, project / "t.tsr"), ca=tsa.root)
    Path("preregistration/anchors/1.root.pem").write_bytes(other.root.read_bytes())
    Path("preregistration/anchors/1.rfc3161.tsr").write_bytes(
        token(other, project / "o.tsr").read_bytes()
    )
    (found,) = checked(frozen_at(FREEZE))
    assert found.state == "refuted"
    assert dated([found]) is None


def test_a_freeze_changed_after_its_token_is_refuted(project: Path, tsa: Authority) -> None:
    add_timestamp(target(FREEZE, None), token=token(tsa, project / "t.tsr"), ca=tsa.root)
    values = json.loads(FREEZE.read_text())
    values["frozen_at"] = "2020-01-01T00:00:00Z"
    FREEZE.write_text(json.dumps(values))
    (found,) = checked(frozen_at(FREEZE))
    assert found.state == "refuted"
    assert "Mismatch between messages" in found.detail


def test_a_tag_proves_key_and_content_and_no_date(project: Path) -> None:
    signed(project)
    assert "verified, signed by SSH key" in add_tag(frozen_at(FREEZE), "registered")
    (found,) = checked(frozen_at(FREEZE))
    assert (found.state, found.time, found.signed) == ("verified", None, ())


def test_a_tag_is_a_claim_where_the_repository_is_not(project: Path, tmp_path: Path) -> None:
    signed(project)
    add_tag(frozen_at(FREEZE), "registered")
    (found,) = checked(frozen_at(FREEZE), repository=tmp_path)
    assert found.state == "claim"
    assert "not verified, a claim" in str(found)
    assert "git verify-tag registered" in str(found)


def test_osf_dates_a_freeze_only_where_it_is_asked_again(project: Path) -> None:
    files = {"freeze.json": FREEZE.read_bytes(), "plan.yaml": b"x"}
    with osf_server(abcde=Registration(files)) as osf:
        assert "registered 2026-11-29T23:50:00Z" in add_osf(frozen_at(FREEZE), "abcde", api=osf.api)
        (offline,) = checked(frozen_at(FREEZE))
        (asked,) = checked(frozen_at(FREEZE), online=osf.api)
    assert (offline.state, offline.time) == ("claim", None)
    assert "compare at https://osf.io/abcde" in offline.detail
    assert asked.state == "verified"
    assert str(dated([asked])) == "2026-11-29 23:50:00.123456+00:00"


def test_a_stored_answer_that_osf_does_not_give_is_refuted(project: Path) -> None:
    """The author writes an earlier date into what OSF answered."""
    with osf_server(abcde=Registration({"freeze.json": FREEZE.read_bytes()})) as osf:
        add_osf(frozen_at(FREEZE), "abcde", api=osf.api)
        path = Path("preregistration/anchors/1.osf.json")
        path.write_text(path.read_text().replace("2026-11-29", "2025-11-29"))
        (found,) = checked(frozen_at(FREEZE), online=osf.api)
    assert (found.state, found.time) == ("refuted", None)
    assert "answers otherwise now" in found.detail


def test_a_registration_without_this_freeze_is_refused(project: Path) -> None:
    with (
        osf_server(abcde=Registration({"freeze.json": b"another"})) as osf,
        pytest.raises(PlanError, match="none of its 1 files has the sha256"),
    ):
        add_osf(frozen_at(FREEZE), "abcde", api=osf.api)
    assert stored(FREEZE.parent) == []


def test_an_unknown_file_among_the_anchors_is_refused(project: Path) -> None:
    Path("preregistration/anchors").mkdir()
    Path("preregistration/anchors/proof.txt").write_text("trust me")
    with pytest.raises(PlanError, match=r"proof\.txt: is no anchor"):
        checked(frozen_at(FREEZE))


def test_an_anchored_seed_is_not_known_before_registering(project: Path) -> None:
    with pytest.raises(ConfigError, match="seed: anchored, and nothing dates"):
        seed_of(read_configuration(CONFIG).study)


def test_the_seed_is_the_hash_of_freeze_and_signature(project: Path, tsa: Authority) -> None:
    """The first 53 bits of SHA-256 over canonical JSON of both."""
    path = token(tsa, project / "t.tsr")
    add_timestamp(target(FREEZE, None), token=path, ca=tsa.root)
    content = FREEZE.read_bytes()
    signature = verified(path.read_bytes(), content, [tsa.certificate]).signature
    parts = [hashlib.sha256(content).hexdigest(), "rfc3161", signature]
    expected = int(hashlib.sha256(rfc8785.dumps(parts)).hexdigest(), 16) >> (256 - 53)
    assert seed_of(read_configuration(CONFIG).study) == expected


def test_a_tag_gives_no_seed(project: Path) -> None:
    """Its author can sign as often as they like."""
    signed(project)
    add_tag(frozen_at(FREEZE), "registered")
    assert anchored_seed("0" * 64, checked(frozen_at(FREEZE))) is None


def test_the_first_token_keeps_the_seed(project: Path, tsa: Authority) -> None:
    add_timestamp(target(FREEZE, None), token=token(tsa, project / "a.tsr"), ca=tsa.root)
    first = seed_of(read_configuration(CONFIG).study)
    add_timestamp(target(FREEZE, None), token=token(tsa, project / "b.tsr"), ca=tsa.root)
    assert seed_of(read_configuration(CONFIG).study) == first


def test_osf_gives_a_seed_of_its_id_and_date(project: Path) -> None:
    content = FREEZE.read_bytes()
    with osf_server(abcde=Registration({"freeze.json": content})) as osf:
        add_osf(frozen_at(FREEZE), "abcde", api=osf.api)
    parts = [hashlib.sha256(content).hexdigest(), "osf", "abcde", "2026-11-29T23:50:00.123456"]
    expected = int(hashlib.sha256(rfc8785.dumps(parts)).hexdigest(), 16) >> (256 - 53)
    assert seed_of(read_configuration(CONFIG).study) == expected


def test_a_ledgers_head_is_anchored_before_anything_is_generated(
    project: Path, tsa: Authority
) -> None:
    results = Path("results/tiny")
    to = target(FREEZE, results)
    path = token(tsa, project / "head.tsr", to.content)
    said = add_timestamp(target(FREEZE, results), token=path, ca=tsa.root)
    assert said.startswith("results/tiny/provenance/anchors/1.rfc3161.tsr: verified")
    assert hashlib.sha256(FREEZE.read_bytes()).hexdigest() in to.content.decode()
