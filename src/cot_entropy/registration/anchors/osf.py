"""A registration on OSF: what its public API says of date and files.

Two answers of API v2 are read, as developer.osf.io documents them: the registration, and the files
of its osfstorage with their sha256. The client reads nothing else and sends no credentials.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal
from urllib.request import Request

from pydantic import Field, ValidationError

from cot_entropy.base.errors import PlanError
from cot_entropy.base.strict import Strict, describe
from cot_entropy.registration.anchors.http import answer, origin

API: Final = "https://api.osf.io/v2"
IDENTIFIER: Final = re.compile(
    r"(?:(?:https://doi\.org/)?10\.17605/OSF\.IO/)?([A-Z0-9]{5,})", re.IGNORECASE
)
MAX_FILES: Final = 1000
MAX_PAGES: Final = 200


class OsfFile(Strict):
    """One file of a registration."""

    path: str
    """As OSF names it, from the storage's root."""
    size: int
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class OsfAnswer(Strict):
    """OSF's answer about one registration."""

    schema_version: Literal[1] = 1
    """Version of this format."""
    id: Annotated[str, Field(pattern=r"^[a-z0-9]{5,}$")]
    """OSF's id, the end of its address and DOI."""
    date_registered: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?$")]
    """UTC, as OSF writes it."""
    title: str
    files: list[OsfFile]

    def holding(self, sha256: str) -> OsfFile | None:
        """The file that has this hash, if one does."""
        return next((one for one in self.files if one.sha256 == sha256), None)


def identifier(text: str) -> str:
    """OSF's id in an id, a DOI or the DOI's address; raises PlanError where it is none of them."""
    match = IDENTIFIER.fullmatch(text.strip())
    if match is None:
        raise PlanError(f"{text[:80]!r}: no OSF id or DOI, such as abcde or 10.17605/OSF.IO/ABCDE")
    return match[1].lower()


def fetch(id_or_doi: str, *, api: str = API) -> OsfAnswer:
    """Ask OSF about a registration; raises PlanError where there is no network or no such one.

    A registration that is withdrawn, waits for approval or is still being archived is refused: it
    is not public, or not whole.
    """
    name = identifier(id_or_doi)
    registration = _get(f"{api}/registrations/{name}/", api)
    try:
        attributes = registration["data"]["attributes"]
        for state in ("withdrawn", "pending_registration_approval", "archiving", "embargoed"):
            if attributes.get(state):
                raise PlanError(f"OSF {name}: is {state.replace('_', ' ')}; it dates nothing")
        return OsfAnswer(
            id=name,
            date_registered=attributes["date_registered"],
            title=attributes["title"],
            files=list(_files(f"{api}/registrations/{name}/files/osfstorage/", api)),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise PlanError(f"OSF {name}: not an answer of API v2 (no {error})") from None
    except ValidationError as error:
        raise PlanError(f"OSF {name}: {describe(error)}") from None


def _files(first: str, api: str) -> Iterator[OsfFile]:
    waiting, pages, found = [first], 0, 0
    while waiting:
        pages += 1
        page = _get(waiting.pop(), api)
        for entry in page["data"]:
            attributes = entry["attributes"]
            if attributes["kind"] == "folder":
                waiting.append(entry["relationships"]["files"]["links"]["related"]["href"])
                continue
            found += 1
            yield OsfFile(
                path=attributes["materialized_path"],
                size=attributes["size"],
                sha256=attributes["extra"]["hashes"]["sha256"],
            )
        if following := page["links"].get("next"):
            waiting.append(following)
        if pages > MAX_PAGES or found > MAX_FILES:
            raise PlanError(
                f"{first}: more than {MAX_FILES} files; this is no registration of ours"
            )


def _get(url: str, api: str) -> Any:
    if origin(url) != origin(api):
        raise PlanError(f"{url}: is not on the server that was asked ({api})")
    body = answer(Request(url, headers={"Accept": "application/json"}))  # noqa: S310
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise PlanError(f"{url}: does not answer in JSON") from None


def parsed(content: bytes) -> OsfAnswer:
    """A stored answer; raises PlanError naming the key that is wrong."""
    try:
        return OsfAnswer.model_validate_json(content)
    except ValidationError as error:
        raise PlanError(describe(error)) from None


def date_of(found: OsfAnswer) -> datetime:
    """The time of registration, by OSF's clock; raises PlanError for a date that is none."""
    try:
        return datetime.fromisoformat(found.date_registered.removesuffix("Z")).replace(tzinfo=UTC)
    except ValueError:
        raise PlanError(f"OSF {found.id}: no date: {found.date_registered}") from None
