"""OSF's answers, from a server on this machine that answers as its API v2 does."""

import hashlib

import pytest
from tests.osf_server import PAGE, Registration, osf_server

from cot_entropy.base.errors import PlanError
from cot_entropy.registration.anchors.osf import date_of, fetch, identifier

FREEZE = b'{"items_sha256": "1"}\n'


@pytest.mark.parametrize(
    "text",
    ["abcde", "ABCDE", "10.17605/OSF.IO/ABCDE", "https://doi.org/10.17605/osf.io/abcde", " abcde "],
)
def test_an_id_a_doi_and_its_address_name_one_registration(text: str) -> None:
    assert identifier(text) == "abcde"


@pytest.mark.parametrize(
    "text", ["", "abc", "10.1234/OTHER.1", "../users/me", "abcde/files", "a b"]
)
def test_what_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(PlanError, match="no OSF id or DOI"):
        identifier(text)


def test_date_and_files_are_those_that_osf_gives() -> None:
    with osf_server(abcde=Registration({"freeze.json": FREEZE, "plan.yaml": b"x"})) as osf:
        found = fetch("10.17605/OSF.IO/ABCDE", api=osf.api)
    assert date_of(found).isoformat() == "2026-11-29T23:50:00.123456+00:00"
    held = found.holding(hashlib.sha256(FREEZE).hexdigest())
    assert held is not None
    assert (held.path, held.size) == ("/Archive of OSF Storage/freeze.json", len(FREEZE))


def test_every_page_of_the_files_is_read() -> None:
    files = {f"{number}.txt": bytes([number]) for number in range(2 * PAGE + 3)}
    with osf_server(abcde=Registration(files)) as osf:
        assert len(fetch("abcde", api=osf.api).files) == 23


@pytest.mark.parametrize(
    "state", ["withdrawn", "archiving", "pending_registration_approval", "embargoed"]
)
def test_a_registration_that_is_not_public_and_whole_dates_nothing(state: str) -> None:
    made = Registration({"freeze.json": FREEZE}, state={state: True})
    with osf_server(abcde=made) as osf, pytest.raises(PlanError, match=state.replace("_", " ")):
        fetch("abcde", api=osf.api)


def test_one_that_is_not_there_is_named() -> None:
    with osf_server() as osf, pytest.raises(PlanError, match=r"registrations/abcde/: answers 404"):
        fetch("abcde", api=osf.api)


def test_a_machine_without_a_network_gets_one_line() -> None:
    with pytest.raises(PlanError, match="no answer"):
        fetch("abcde", api="http://127.0.0.1:9/v2")


@pytest.mark.parametrize("api", ["http://osf.example/v2", "file:///etc/v2", "ftp://127.0.0.1/v2"])
def test_only_https_and_this_machine_are_asked(api: str) -> None:
    with pytest.raises(PlanError, match="give an https address"):
        fetch("abcde", api=api)


def test_a_link_to_another_server_is_not_followed() -> None:
    """An answer must not make the client ask elsewhere."""
    with osf_server(abcde=Registration({"freeze.json": FREEZE})) as osf:
        api, osf.api = osf.api, "http://127.0.0.1:9/v2"
        with pytest.raises(PlanError, match="is not on the server that was asked"):
            fetch("abcde", api=api)
