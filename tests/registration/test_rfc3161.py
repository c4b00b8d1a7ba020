"""Timestamps of an authority that openssl makes on this machine."""

import hashlib
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import pytest
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)
from pyasn1.codec.der import decoder, encoder
from pyasn1_modules import rfc3161 as asn1
from pyasn1_modules import rfc5652
from tests.timestamping import EXPIRED, Authority, authority

from cot_entropy.base.errors import PlanError
from cot_entropy.registration.anchors.rfc3161 import (
    ORDERS,
    imprint,
    named_roots,
    request,
    verified,
)

CONTENT = b'{"items_sha256": "..."}'


@pytest.fixture(scope="module")
def tsa(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("tsa") / "good")


@pytest.fixture(scope="module")
def curve(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("tsa") / "curve", key="p256")


def test_a_good_token_gives_time_signer_and_root(tsa: Authority) -> None:
    found = verified(tsa.answer(request(CONTENT)), CONTENT, [tsa.certificate])
    assert abs(found.time - datetime.now(UTC)) < timedelta(minutes=2)
    assert (found.signer, found.root) == ("CN=test signer good", "CN=test root good")


def test_the_imprint_is_the_sha256_of_the_file(tsa: Authority) -> None:
    """So that a stranger asks for the same with openssl alone."""
    assert imprint(tsa.answer(request(CONTENT))) == hashlib.sha256(CONTENT).hexdigest()


def test_openssl_verifies_what_we_verify(tsa: Authority, tmp_path: Path) -> None:
    data, token = tmp_path / "freeze.json", tmp_path / "freeze.tsr"
    data.write_bytes(CONTENT)
    token.write_bytes(tsa.answer(request(CONTENT)))
    done = subprocess.run(
        ["openssl", "ts", "-verify", "-data", data, "-in", token, "-CAfile", tsa.root],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Verification: OK" in done.stdout + done.stderr


def test_a_token_over_another_file_is_refused(tsa: Authority) -> None:
    with pytest.raises(PlanError, match="Mismatch between messages"):
        verified(tsa.answer(request(b"another")), CONTENT, [tsa.certificate])


def test_a_signer_that_had_expired_is_refused(tmp_path: Path) -> None:
    expired = authority(tmp_path / "expired", days=EXPIRED)
    with pytest.raises(PlanError, match="not valid: Error while verifying certificates"):
        verified(expired.answer(request(CONTENT)), CONTENT, [expired.certificate])


def test_a_chain_to_another_root_is_refused(tsa: Authority, curve: Authority) -> None:
    with pytest.raises(PlanError, match="not valid: Error while verifying certificates"):
        verified(curve.answer(request(CONTENT)), CONTENT, [tsa.certificate])


def test_a_token_is_tried_against_every_root(tsa: Authority, curve: Authority) -> None:
    roots = [tsa.certificate, curve.certificate]
    assert verified(curve.answer(request(CONTENT)), CONTENT, roots).root == "CN=test root curve"


@pytest.mark.parametrize("kept", [0, 1, 100, -1])
def test_a_truncated_token_is_refused(tsa: Authority, kept: int) -> None:
    with pytest.raises(PlanError, match="not a whole timestamp response"):
        verified(tsa.answer(request(CONTENT))[:kept], CONTENT, [tsa.certificate])


def test_no_changed_byte_gives_another_time_or_seed(
    curve: Authority, caught: Callable[[str, int], None]
) -> None:
    """Each byte of a token in turn: refused, or it was not signed and nothing hangs on it."""
    token = curve.answer(request(CONTENT))
    honest = verified(token, CONTENT, [curve.certificate])
    refused = set()
    for offset in range(len(token)):
        changed = bytearray(token)
        changed[offset] ^= 1
        try:
            assert verified(bytes(changed), CONTENT, [curve.certificate]) == honest
        except PlanError:
            refused.add(offset)
    for signed in (
        hashlib.sha256(CONTENT).digest(),
        f"{honest.time:%Y%m%d%H%M%SZ}".encode(),
        signature_of(token),
    ):
        start = token.index(signed)
        assert refused >= set(range(start, start + len(signed)))
    caught("token bytes", len(refused))


@pytest.mark.parametrize("key", ["rsa", "p256", "p384"])
def test_the_signature_differs_between_two_tokens(
    key: Literal["rsa", "p256", "p384"], tmp_path: Path
) -> None:
    """Serial number and time are signed: asking again is another try, and another token."""
    made = authority(tmp_path / key, key=key)
    values = {
        verified(made.answer(request(CONTENT)), CONTENT, [made.certificate]).signature
        for _ in range(2)
    }
    assert len(values) == 2


def with_signature(token: bytes, value: bytes) -> bytes:
    """The same response with another signature value."""
    response, _ = decoder.decode(token, asn1Spec=asn1.TimeStampResp())
    signed, _ = decoder.decode(response["timeStampToken"]["content"], asn1Spec=rfc5652.SignedData())
    signed["signerInfos"][0]["signature"] = value
    response["timeStampToken"]["content"] = encoder.encode(signed)
    return bytes(encoder.encode(response))


def signature_of(token: bytes) -> bytes:
    response, _ = decoder.decode(token, asn1Spec=asn1.TimeStampResp())
    signed, _ = decoder.decode(response["timeStampToken"]["content"], asn1Spec=rfc5652.SignedData())
    return bytes(signed["signerInfos"][0]["signature"])


def test_the_mirrored_ecdsa_signature_verifies_and_gives_the_same_value(curve: Authority) -> None:
    """(r, n - s) is a valid signature too: without care one token would give two seeds."""
    token = curve.answer(request(CONTENT))
    r, s = decode_dss_signature(signature_of(token))
    mirrored = with_signature(token, encode_dss_signature(r, ORDERS["secp256r1"] - s))
    assert mirrored != token
    first = verified(token, CONTENT, [curve.certificate])
    assert verified(mirrored, CONTENT, [curve.certificate]) == first


@pytest.mark.parametrize("offset", [0, 20, -1])
def test_a_changed_signature_is_refused(tsa: Authority, offset: int) -> None:
    token = tsa.answer(request(CONTENT))
    value = bytearray(signature_of(token))
    value[offset] ^= 1
    with pytest.raises(PlanError):
        verified(with_signature(token, bytes(value)), CONTENT, [tsa.certificate])


def test_only_roots_that_the_plan_names_are_taken(tsa: Authority, curve: Authority) -> None:
    assert named_roots([tsa.root_sha256], tsa.root) == [tsa.certificate]
    with pytest.raises(PlanError, match="no certificate that the plan names"):
        named_roots([tsa.root_sha256], curve.root)


def test_a_root_that_browsers_trust_needs_no_file() -> None:
    """DigiCert Trusted Root G4, by the fingerprint that DigiCert publishes."""
    published = "552f7bdcf1a7af9e6ce672017f4f12abf77240c78e761ac203d1d9d20ac89988"
    (root,) = named_roots([published], None)
    assert "DigiCert Trusted Root G4" in root.subject.rfc4514_string()


def test_a_file_without_certificates_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "root.pem"
    path.write_text("no certificate")
    with pytest.raises(PlanError, match=r"root\.pem: no certificate that the plan names"):
        named_roots(["a" * 64], path)
