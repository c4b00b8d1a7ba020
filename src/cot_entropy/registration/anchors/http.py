"""One small answer from a server: https, or http on this machine itself."""

from __future__ import annotations

from http.client import HTTPException
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from cot_entropy.base.errors import PlanError

MAX_BYTES: Final = 4 * 1024 * 1024
TIMEOUT_S: Final = 30
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})


class _SameServer(HTTPRedirectHandler):
    """Follows a redirect within the same server only."""

    def redirect_request(self, req: Request, *rest: Any) -> Request | None:
        if origin(rest[-1]) != origin(req.full_url):
            raise URLError(f"redirects to another server, {rest[-1]}")
        return super().redirect_request(req, *rest)


def answer(request: Request, *, allow_http: bool = False) -> bytes:
    """The body of a server's answer; raises PlanError naming the address and what went wrong.

    A timestamp is signed and may come over http (`allow_http`).
    """
    url = request.full_url
    parts = urlsplit(url)
    if parts.scheme != "https" and not (
        parts.scheme == "http" and (allow_http or parts.hostname in LOOPBACK)
    ):
        raise PlanError(f"{url}: give an https address")
    try:
        with build_opener(_SameServer).open(request, timeout=TIMEOUT_S) as stream:
            body: bytes = stream.read(MAX_BYTES + 1)
    except HTTPError as error:
        raise PlanError(f"{url}: answers {error.code} ({error.reason})") from None
    except (URLError, HTTPException, OSError) as error:
        raise PlanError(f"{url}: no answer ({getattr(error, 'reason', error)})") from None
    if len(body) > MAX_BYTES:
        raise PlanError(f"{url}: answers more than {MAX_BYTES} bytes")
    return body


def origin(url: str) -> tuple[str, str]:
    """Scheme and host with port of an address."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc
