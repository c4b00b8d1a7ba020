"""The report at full size: 8 cells, 7,276 synthetic questions, chains of real GSM8K sentences.

    python benchmarks/report.py [--questions-per-cell N] [--keep FOLDER]

Prints, and fails where a claim does not hold: figures and page in at most 60 s of processor time,
a page of at most 12 MB; in a headless Chromium the first view under 2 s, a filter's answer under
200 ms, no message in the console, no request but the page itself, and no serious or critical
violation for axe-core (in AXE_CORE_JS, or node_modules after `npm install axe-core`), at the width
of a phone and of a desktop. The sentences come from ../shared/data where that is present; without
it the chains are words from a list, which pack smaller. `--keep` leaves the run and the report in
a folder, to look at.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from tests.report.chromium import AXE, BINARY, Page, chromium  # noqa: E402
from tests.report.synthetic_run import PLAN, write_run  # noqa: E402
from tests.report.synthetic_tables import write_tables  # noqa: E402

from cot_entropy.plan.load import load_plan  # noqa: E402
from cot_entropy.report.contents import assemble  # noqa: E402
from cot_entropy.report.inputs import read_inputs  # noqa: E402
from cot_entropy.report.page import write_report  # noqa: E402

SENTENCES = ROOT.parent / "shared" / "data" / "gsm8k_test.jsonl"
WIDTHS = (390, 1280)
LIMITS = {
    "processor_s": 60.0,
    "megabytes": 12.0,
    "first_view_ms": 2000.0,
    "filter_ms": 200.0,
    "console_messages": 0.0,
    "requests": 0.0,
    "serious_violations": 0.0,
}
FILTERED = """(() => {
  const times = [];
  for (const value of ["right", "wrong", "", "right", ""]) {
    const control = document.getElementById("x-outcome");
    const start = performance.now();
    control.value = value;
    control.dispatchEvent(new Event("input"));
    document.getElementById("x-rows").getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return Math.max(...times);
})()"""


def sentences() -> list[str]:
    """Lines of GSM8K solutions; none where the data are absent."""
    if not SENTENCES.is_file():
        return []
    records = map(json.loads, SENTENCES.read_text(encoding="utf-8").splitlines())
    return [line for record in records for line in record["answer"].splitlines()[:-1] if line]


def measure(results: Path, *, cap: int | None) -> dict[str, float]:
    """Write a run and its report; return what the limits are about."""
    cells = load_plan(PLAN).plan.cells
    sizes = {cell: 1319 if cell.endswith("gsm8k") else 500 for cell in cells}
    sizes = {cell: min(n, cap or n) for cell, n in sizes.items()}
    write_run(results, sizes, engine="vllm", jobs=2, sentences=sentences())
    write_tables(results, [*sizes])
    plan, out = results / "preregistration" / "plan.yaml", results / "report.html"
    start = time.process_time()
    write_report(results, plan=plan, out=out)
    found = {"processor_s": time.process_time() - start}
    inputs = read_inputs(results, plan=plan, differences=plan.with_name("differences.yaml"))
    start = time.process_time()
    figures = assemble(inputs).figures
    found["figures_s"] = time.process_time() - start
    found["figures"] = float(len(figures))
    found["megabytes"] = out.stat().st_size / 1e6
    if BINARY is None:
        print("no Chromium: page not opened (apt-get install chromium)")
        return found
    with tempfile.TemporaryDirectory() as profile, chromium(Path(profile)) as page:
        seen = [opened(page, out, width=width) for width in WIDTHS]
    return found | {name: max(one.get(name, 0.0) for one in seen) for name in seen[0]}


def opened(page: Page, out: Path, *, width: int) -> dict[str, float]:
    """Open the report in a window of this width and use its explorer."""
    page.open(out, width=width)
    found = {
        "first_view_ms": float(
            page.value("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
        )
    }
    page.value("document.getElementById('explorer').scrollIntoView()")
    start = time.perf_counter()
    page.wait("document.querySelector('#explorer[data-ready]') !== null")
    found["explorer_ready_ms"] = 1000 * (time.perf_counter() - start)
    found["filter_ms"] = float(page.value(FILTERED))
    if AXE.is_file():
        found["serious_violations"] = float(len(page.violations()))
    else:
        print("no axe-core: accessibility not checked (npm install axe-core, or AXE_CORE_JS)")
    found["console_messages"] = float(len(page.problems))
    found["requests"] = float(len([url for url in page.requests if url != out.as_uri()]))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions-per-cell", type=int, help="at most this many")
    parser.add_argument("--keep", type=Path, help="leave run and report in this folder")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = (chosen.keep or Path(folder)) / "synthetic"
        results.mkdir(parents=True)
        found = measure(results, cap=chosen.questions_per_cell)
    failed = [name for name, limit in LIMITS.items() if found.get(name, 0.0) > limit]
    for name, value in found.items():
        limit = f" (at most {LIMITS[name]:g})" if name in LIMITS else ""
        print(f"{name:20} {value:10.2f}{limit}{'  TOO MUCH' if name in failed else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
