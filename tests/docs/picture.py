"""The picture of the report in the README: `python -m tests.docs.picture results/demo/report.html`.

Headless Chromium opens a finished report in the light scheme, and what a reader sees first is
written to docs/images/report.webp.
"""

from __future__ import annotations

import argparse
import base64
import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from tests.report.chromium import BINARY, chromium

ROOT = Path(__file__).parents[2]
OUT = ROOT / "docs/images/report.webp"
WIDTH = 780
LAST_ROW = "document.querySelectorAll('#verdicts tbody tr')[2].getBoundingClientRect().bottom"
LIGHT = [{"name": "prefers-color-scheme", "value": "light"}]


def picture(report: Path) -> Image.Image:
    """The top of a report, down to the third hypothesis."""
    with tempfile.TemporaryDirectory() as profile, chromium(Path(profile)) as page:
        page.call("Emulation.setEmulatedMedia", features=LIGHT)
        page.open(report.resolve(), width=WIDTH)
        height = page.value(LAST_ROW)
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1}
        shot = page.call(
            "Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True
        )
    return Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path, help="a finished report.html")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    if BINARY is None:
        sys.exit("no Chromium here: apt-get install chromium")
    picture(options.report).save(options.out, quality=80, method=6)
    return 0


if __name__ == "__main__":
    sys.exit(main())
