"""A timestamp authority of this machine's openssl: a root, a signer, and its answers."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Final, Literal

from cryptography import x509

from cot_entropy.registration.anchors.rfc3161 import fingerprint

KEYS: Final = {
    "rsa": ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
    "p256": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
    "p384": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
}
EXPIRED: Final = ("20200101000000Z", "20210101000000Z")
VALID: Final = ("20200101000000Z", "20991231000000Z")
CONFIG: Final = """
[ca]
default_ca = own
[own]
new_certs_dir = {folder}
database = {folder}/index.txt
serial = {folder}/serial
default_md = sha256
policy = any
[any]
commonName = supplied
[root]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[signer]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
[req]
distinguished_name = none
[none]
[tsa]
default_tsa = stamps
[stamps]
serial = {folder}/tsaserial
crypto_device = builtin
signer_cert = {folder}/signer.pem
certs = {folder}/root.pem
signer_key = {folder}/signer.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ess_cert_id_chain = no
"""


@dataclass(frozen=True)
class Authority:
    """A timestamp authority in a folder."""

    folder: Path

    @property
    def root(self) -> Path:
        return self.folder / "root.pem"

    @property
    def root_sha256(self) -> str:
        return fingerprint(self.certificate)

    @property
    def certificate(self) -> x509.Certificate:
        return x509.load_pem_x509_certificate(self.root.read_bytes())

    def answer(self, request: bytes) -> bytes:
        """The response to a request, as `openssl ts -reply` gives it."""
        query, response = self.folder / "request.tsq", self.folder / "response.tsr"
        query.write_bytes(request)
        openssl(
            "ts",
            "-reply",
            "-config",
            self.folder / "openssl.cnf",
            "-queryfile",
            query,
            "-out",
            response,
        )
        return response.read_bytes()


def authority(
    folder: Path, key: Literal["rsa", "p256", "p384"] = "rsa", days: tuple[str, str] = VALID
) -> Authority:
    """Make a root and a signer whose certificate is valid between two days."""
    folder.mkdir(parents=True)
    config = folder / "openssl.cnf"
    config.write_text(CONFIG.format(folder=folder))
    (folder / "index.txt").touch()
    for name in ("serial", "tsaserial"):
        (folder / name).write_text("01\n")
    for name in ("root", "signer"):
        openssl("genpkey", *KEYS[key], "-out", folder / f"{name}.key")
        openssl("req", "-new", "-config", config, "-key", folder / f"{name}.key",
                "-subj", f"/CN=test {name} {folder.name}", "-out", folder / f"{name}.csr")  # fmt: skip
    for name, (start, end), extra in (
        ("root", VALID, ["-selfsign", "-keyfile", folder / "root.key"]),
        ("signer", days, ["-cert", folder / "root.pem", "-keyfile", folder / "root.key"]),
    ):
        openssl("ca", "-batch", "-notext", "-config", config, "-extensions", name, "-startdate", start,
                "-enddate", end, "-in", folder / f"{name}.csr", "-out", folder / f"{name}.pem", *extra)  # fmt: skip
    return Authority(folder)


@contextmanager
def served(authority: Authority) -> Iterator[str]:
    """The authority over HTTP on this machine, as RFC 3161 section 3.4 has it; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.headers["Content-Type"] == "application/timestamp-query"
            query = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.end_headers()
            self.wfile.write(authority.answer(query))

        def log_message(self, *_: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def openssl(*arguments: str | Path) -> bytes:
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout
