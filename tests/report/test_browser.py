"""The report in a real headless Chromium: quiet, fast, usable without a mouse, and harmless."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.report.chromium import AXE, BINARY, Page, chromium
from tests.report.reported_runs import HOSTILE, REGISTERED, TOY, Reported

pytestmark = pytest.mark.skipif(BINARY is None, reason="no Chromium: apt-get install chromium")

READY = "document.querySelector('#explorer[data-ready]') !== null"
TO_EXPLORER = "document.getElementById('explorer').scrollIntoView()"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with chromium(tmp_path_factory.mktemp("chromium")) as opened:
        yield opened


def explored(page: Page, run: Reported, *, width: int = 1280) -> Page:
    page.open(run.results / "report.html", width=width)
    page.value(TO_EXPLORER)
    page.wait(READY)
    return page


def choose(page: Page, control: str, value: str) -> str:
    """Set a filter as a reader would, and return the line that says how many are left."""
    page.value(
        f"(() => {{ const c = document.getElementById('{control}'); c.value = '{value}';"
        " c.dispatchEvent(new Event('input')); })()"
    )
    return str(page.value("document.getElementById('x-count').textContent"))


def test_the_page_logs_nothing_and_asks_only_for_itself(page: Page, scripted: Reported) -> None:
    """No console message, no policy violation, one request: the file."""
    explored(page, scripted)
    assert page.problems == []
    assert page.requests == [(scripted.results / "report.html").as_uri()]


def test_a_request_would_be_noticed(page: Page, scripted: Reported, tmp_path: Path) -> None:
    """The check above can fail: an image from elsewhere is refused and logged."""
    spoilt = tmp_path / "report.html"
    image = '<img alt="" src="https://example.invalid/x.png"></main>'
    spoilt.write_text(scripted.html.replace("</main>", image), encoding="utf-8")
    page.open(spoilt)
    page.wait("true")
    assert page.problems != []


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_is_wider_than_the_window(page: Page, scripted: Reported, width: int) -> None:
    """Wide tables scroll inside their own box, also on a phone."""
    explored(page, scripted, width=width)
    assert page.value("document.documentElement.scrollWidth") <= width


def test_hostile_text_is_shown_and_never_run(page: Page, scripted: Reported) -> None:
    """The first question carries markup in its question and its chain."""
    explored(page, scripted)
    assert HOSTILE in page.value("document.querySelector('#x-detail .question').textContent")
    assert page.value("document.querySelectorAll('img').length") == 0
    assert page.problems == []


def test_filters_add_up(page: Page, scripted: Reported) -> None:
    """Right and wrong are all questions; so are the shapes."""
    explored(page, scripted)
    counts = [int(choose(page, "x-outcome", v).split(" of ")[0]) for v in ("right", "wrong", "")]
    assert counts[0] + counts[1] == counts[2] == sum(TOY.values())
    shapes = ("monotone", "not monotone", "undefined")
    assert sum(int(choose(page, "x-shape", s).split(" of ")[0]) for s in shapes) == counts[2]


def test_a_cell_filter_gives_the_cell(page: Page, scripted: Reported) -> None:
    """The second cell has 12 questions."""
    explored(page, scripted)
    assert choose(page, "x-cell", "1").startswith("12 of 52")


def test_a_question_opens_by_keyboard(page: Page, registered: Reported) -> None:
    """Its button takes the focus and Enter; the focus then stands on the question's heading."""
    explored(page, registered)
    page.value("document.querySelectorAll('#x-rows button')[2].focus()")
    for kind in ("keyDown", "char", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r",
                  windowsVirtualKeyCode=13)  # fmt: skip
    page.wait("document.activeElement.tagName === 'H3'")
    assert page.value("document.activeElement.textContent").startswith("gsm8k-2 ")
    (cell,) = REGISTERED
    assert page.value("decodeURIComponent(location.hash)") == f"#question={cell}/gsm8k-2"


def test_an_address_opens_its_question(page: Page, registered: Reported) -> None:
    """A link to one question can be passed on."""
    page.open(registered.results / "report.html", fragment="#question=qwen2.5-7b%2Fgsm8k%2Fgsm8k-7")
    page.wait(READY)
    assert page.value("document.querySelector('#x-detail h3').textContent").startswith("gsm8k-7 ")


def test_a_violation_is_marked_in_words(page: Page, registered: Reported) -> None:
    """As many marked steps as the question's violation count says; colour is not needed."""
    explored(page, registered)
    choose(page, "x-shape", "not monotone")
    page.value("document.querySelector('#x-rows button').click()")
    page.wait("document.querySelectorAll('#x-detail .rise-tag').length > 0")
    count = page.value("document.querySelector('#x-rows td.count').textContent")
    assert page.value("document.querySelectorAll('#x-detail .rise-tag').length") == int(count)


def test_printing_opens_every_folded_table(page: Page, scripted: Reported) -> None:
    """Paper has no triangle to click."""
    explored(page, scripted)
    page.value("dispatchEvent(new Event('beforeprint'))")
    assert page.value("document.querySelectorAll('details:not([open])').length") == 0


def test_paper_is_white_whatever_the_screen(page: Page, scripted: Reported) -> None:
    """Dark colours are for screens: a reader in the dark scheme prints black on white."""
    feature = {"name": "prefers-color-scheme", "value": "dark"}
    background = "getComputedStyle(document.body).backgroundColor"
    explored(page, scripted)
    page.call("Emulation.setEmulatedMedia", features=[feature])
    dark = page.value(background)
    page.call("Emulation.setEmulatedMedia", media="print", features=[feature])
    printed = page.value(background)
    page.call("Emulation.setEmulatedMedia", media="", features=[])
    assert dark != printed == page.value(background)


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: npm install axe-core, or AXE_CORE_JS")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_no_serious_violation(
    page: Page, scripted: Reported, scheme: str, width: int
) -> None:
    """Names, roles, contrast and order, in both colour schemes and at both widths."""
    feature = {"name": "prefers-color-scheme", "value": scheme}
    page.call("Emulation.setEmulatedMedia", features=[feature])
    explored(page, scripted, width=width)
    assert page.violations() == []
