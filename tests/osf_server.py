"""A server on this machine that answers as OSF's public API v2 documents (developer.osf.io)."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PAGE = 10
"""OSF gives ten entries a page."""


@dataclass
class Registration:
    """What authors registered: nobody but OSF sets the date."""

    files: Mapping[str, bytes]
    date_registered: str = "2026-11-29T23:50:00.123456"
    title: str = "A study"
    state: dict[str, Any] = field(default_factory=dict)
    """`withdrawn`, `archiving` and the like."""


@dataclass
class Osf:
    """The registrations by id, and the address that they are asked at."""

    registrations: dict[str, Registration]
    api: str = ""
    asked: list[str] = field(default_factory=list)

    def answer(self, path: str) -> Any:
        """The JSON for a path below /v2, None where there is nothing."""
        _, _, name, *rest = path.split("?", maxsplit=1)[0].strip("/").split("/")
        registration = self.registrations.get(name)
        if registration is None:
            return None
        if not rest:
            attributes = {
                "title": registration.title,
                "date_registered": registration.date_registered,
                "registration": True,
                "withdrawn": False,
                "archiving": False,
                "embargoed": False,
                "pending_registration_approval": False,
                **registration.state,
            }
            return {"data": {"id": name, "type": "registrations", "attributes": attributes}}
        below = f"{self.api}/registrations/{name}/files/osfstorage/"
        if rest == ["files", "osfstorage"]:
            return {"data": [_folder(below + "archive/")], "links": {"next": None}}
        page = int(path.partition("?page=")[2] or "1")
        entries = [_file(name, content) for name, content in registration.files.items()]
        more = f"{below}archive/?page={page + 1}" if len(entries) > page * PAGE else None
        return {"data": entries[(page - 1) * PAGE : page * PAGE], "links": {"next": more}}


def _folder(href: str) -> dict[str, Any]:
    return {
        "type": "files",
        "attributes": {"kind": "folder", "name": "Archive of OSF Storage", "size": None},
        "relationships": {"files": {"links": {"related": {"href": href}}}},
    }


def _file(name: str, content: bytes) -> dict[str, Any]:
    hashes = {
        "md5": hashlib.md5(content).hexdigest(),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    return {
        "type": "files",
        "attributes": {
            "kind": "file",
            "name": name,
            "materialized_path": f"/Archive of OSF Storage/{name}",
            "size": len(content),
            "extra": {"hashes": hashes, "downloads": 0},
        },
    }


@contextmanager
def osf_server(**registrations: Registration) -> Iterator[Osf]:
    """OSF on the loopback interface for as long as the block lasts."""
    osf = Osf(dict(registrations))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            osf.asked.append(self.path)
            found = osf.answer(self.path)
            body = json.dumps(found or {"errors": [{"detail": "Not found."}]}).encode()
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "application/vnd.api+json")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    osf.api = f"http://127.0.0.1:{server.server_port}/v2"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield osf
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
