"""RFC 3161 timestamps: a request over a file, and a response verified down to a root.

The imprint is the sha256 of the file's bytes, so that `openssl ts -query -data freeze.json -sha256`
asks for the same. Source: RFC 3161, by the package `rfc3161-client`; RFC 5652 for the signature.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from ssl import PEM_cert_to_DER_cert
from typing import Final
from urllib.request import Request

import certifi
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding
from pyasn1.codec.der import decoder, encoder
from pyasn1.error import PyAsn1Error
from pyasn1_modules import rfc3161 as asn1
from pyasn1_modules import rfc5652
from rfc3161_client import (
    HashAlgorithm,
    TimestampRequestBuilder,
    TimeStampResponse,
    VerificationError,
    VerifierBuilder,
    decode_timestamp_response,
)

from cot_entropy.base.errors import PlanError
from cot_entropy.registration.anchors.http import answer
from cot_entropy.registration.anchors.store import read_small

PEM: Final = re.compile(rb"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----")
UNREADABLE: Final = (ValueError, TypeError, LookupError, x509.InvalidVersion, PyAsn1Error)
"""All that the libraries raise on a response or certificate with a changed byte."""
QUERY: Final = "application/timestamp-query"
ORDERS: Final = {
    "secp256r1": int(f"{'F' * 8}{'0' * 8}{'F' * 16}BCE6FAADA7179E84F3B9CAC2FC632551", 16),
    "secp384r1": int(f"{'F' * 48}C7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973", 16),
}
"""Orders of the curves that timestamp authorities sign with (SEC 2, sections 2.4.2 and 2.5.1)."""


@dataclass(frozen=True, kw_only=True)
class Timestamp:
    """A verified timestamp."""

    time: datetime
    """UTC, as signed."""
    signer: str
    root: str
    """Subjects of the signer's certificate and of the root."""
    signature: str
    """The signature's value in hex, in the one form that cannot be altered without the key."""


def request(content: bytes) -> bytes:
    """A timestamp request over some bytes, in DER, to send to any authority."""
    builder = TimestampRequestBuilder().data(content).hash_algorithm(HashAlgorithm.SHA256)
    return builder.build().as_bytes()


def post(url: str, content: bytes) -> bytes:
    """An authority's response to a request over some bytes; raises PlanError where none comes."""
    asked = Request(url, data=request(content), headers={"Content-Type": QUERY})  # noqa: S310
    return answer(asked, allow_http=True)


def named_roots(named: Sequence[str], ca: Path | None) -> list[x509.Certificate]:
    """The certificates of `ca`, or of those that browsers trust, whose sha256 the plan names.

    Raises PlanError where there is none.
    """
    source = ca or Path(certifi.where())
    known = [PEM_cert_to_DER_cert(one.decode()) for one in PEM.findall(read_small(source))]
    found = [
        x509.load_der_x509_certificate(one)
        for one in known
        if hashlib.sha256(one).hexdigest() in named
    ]
    if not found:
        where = f"{ca}: " if ca else ""
        raise PlanError(
            f"{where}no certificate that the plan names under anchors.timestamp_roots; "
            "the root of the authority's chain must stand there before the freeze"
            + ("" if ca else ", or give its file with --ca")
        )
    return found


def fingerprint(certificate: x509.Certificate) -> str:
    """The sha256 of a certificate in DER, 64 hex digits."""
    return hashlib.sha256(certificate.public_bytes(Encoding.DER)).hexdigest()


def verified(token: bytes, content: bytes, roots: Sequence[x509.Certificate]) -> Timestamp:
    """The timestamp that `token` is over `content`; raises PlanError saying why it is none.

    The chain must end in one of `roots` and have been valid when the token was signed.
    """
    try:
        response = _decoded(token)
        signer = _signer(response)
        root = _root(response, content, roots)
        info = response.tst_info
        return Timestamp(
            time=info.gen_time.astimezone(UTC),
            signer=signer.subject.rfc4514_string(),
            root=root.subject.rfc4514_string(),
            signature=_signature(response.time_stamp_token(), signer),
        )
    except VerificationError as error:
        raise PlanError(f"the timestamp is not valid: {error}") from None
    except UNREADABLE:
        raise PlanError("not a whole timestamp response (RFC 3161, DER)") from None


def imprint(token: bytes) -> str:
    """The hash that a response is over, in hex, unverified; raises PlanError where it is none."""
    try:
        return _decoded(token).tst_info.message_imprint.message.hex()
    except UNREADABLE:
        raise PlanError("not a whole timestamp response (RFC 3161, DER)") from None


def _decoded(token: bytes) -> TimeStampResponse:
    """The response; openssl's authorities do not sort its certificates, as DER has it."""
    try:
        return decode_timestamp_response(token)
    except ValueError:
        response, rest = decoder.decode(token, asn1Spec=asn1.TimeStampResp())
        if rest:
            raise
        signed, _ = decoder.decode(
            response["timeStampToken"]["content"], asn1Spec=rfc5652.SignedData()
        )
        response["timeStampToken"]["content"] = encoder.encode(signed)
        return decode_timestamp_response(encoder.encode(response))


def _root(
    response: TimeStampResponse, content: bytes, roots: Sequence[x509.Certificate]
) -> x509.Certificate:
    """The root that the response's chain ends in; raises VerificationError where it is none."""
    failures: list[VerificationError] = []
    for root in roots:
        try:
            VerifierBuilder(roots=[root]).build().verify_message(response, content)
        except VerificationError as error:
            failures.append(error)
        else:
            return root
    raise failures[0] if failures else VerificationError("no root to verify it against")


def _signer(response: TimeStampResponse) -> x509.Certificate:
    signers = list(response.signed_data.signer_infos)
    if len(signers) != 1:
        raise VerificationError(f"{len(signers)} signers, where one is expected")
    for der in response.signed_data.certificates:
        certificate = x509.load_der_x509_certificate(der)
        named = (certificate.issuer, certificate.serial_number)
        if named == (signers[0].issuer, signers[0].serial_number):
            return certificate
    raise VerificationError("it does not hold its signer's certificate; ask for it (certReq)")


def _signature(token: bytes, signer: x509.Certificate) -> str:
    """The signature as its signer alone could have made it.

    Of an ECDSA signature (r, s) anybody can make (r, n - s), which verifies too: the lower of both
    is taken. RSA has one value per signature.
    """
    content, _ = decoder.decode(token, asn1Spec=rfc5652.ContentInfo())
    signed, _ = decoder.decode(content["content"], asn1Spec=rfc5652.SignedData())
    value = bytes(signed["signerInfos"][0]["signature"])
    key = signer.public_key()
    if isinstance(key, RSAPublicKey):
        return value.hex()
    if isinstance(key, EllipticCurvePublicKey) and key.curve.name in ORDERS:
        r, s = decode_dss_signature(value)
        return f"{r:x},{min(s, ORDERS[key.curve.name] - s):x}"
    raise VerificationError("signed with a key that is neither RSA nor ECDSA on P-256 or P-384")
