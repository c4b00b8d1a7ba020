"""The documentation site: built without a warning, read without a network."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.report.chromium import BINARY, chromium

ROOT = Path(__file__).parents[2]
PAGES = ("index.html", "tutorial/index.html", "reference/formats/index.html")

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, from the command of `make docs`; a broken link or anchor is an error there."""
    folder = tmp_path_factory.mktemp("site")
    mkdocs = str(Path(sys.executable).parent / "mkdocs")
    done = subprocess.run(
        [mkdocs, "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_built(site: Path) -> None:
    written = {page.relative_to(ROOT / "docs") for page in (ROOT / "docs").rglob("*.md")}
    built = {page.relative_to(site).parent for page in site.rglob("index.html")}
    assert {page.with_suffix("") for page in written if page.stem != "index"} <= built


@pytest.mark.skipif(BINARY is None, reason="no Chromium: apt-get install chromium")
@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_for_nothing_outside(site: Path, tmp_path: Path, name: str) -> None:
    with chromium(tmp_path) as page:
        page.open(site / name)
        page.wait("document.fonts.status === 'loaded'")
        requests = list(page.requests)
    assert requests
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
