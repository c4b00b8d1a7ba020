"""The stage: one self-contained page from one run's files, and the data of its figures.

The page makes no request: styles, script and data are inside, and its content security policy
allows nothing else. Text from questions, chains and tables is escaped wherever it is shown.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from cot_entropy.base.files import write_text
from cot_entropy.report import text
from cot_entropy.report.contents import Contents, assemble
from cot_entropy.report.costs import costs
from cot_entropy.report.explorer import pack_explorer
from cot_entropy.report.figure import write_data
from cot_entropy.report.inputs import ReportInputs, read_inputs
from cot_entropy.report.judgements import read_judgements
from cot_entropy.report.paper.tables import write_paper


def write_report(results: Path, *, plan: Path, out: Path) -> None:
    """Write the report of results/<study>/ and the data of its figures below `tables/`.

    The declared differences are read from beside the plan, freeze and deviations from the run's
    provenance; without that the report says `unverified`. Raises DataError or PlanError where a
    file of the run cannot be used; the earlier report then stays as it was.
    """
    differences = plan.with_name("differences.yaml")
    inputs = read_inputs(results, plan=plan, differences=differences)
    contents = assemble(inputs)
    page = render(inputs, contents)
    write_data(contents.figures, out.parent)
    write_paper(contents.paper, out.parent)
    write_text(out, page)


def render(inputs: ReportInputs, contents: Contents) -> str:
    """The whole page as HTML."""
    environment = Environment(
        loader=PackageLoader("cot_entropy.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, script = _asset(environment, "style.css"), _asset(environment, "explorer.js")
    judged = read_judgements(inputs.results)
    return environment.get_template("page.html.j2").render(
        inputs=inputs,
        contents=contents,
        plan=inputs.plan.plan,
        registration=inputs.registration,
        symbols=text.SYMBOLS,
        meanings=text.MEANINGS,
        costs=costs(inputs),
        questions=text.count(sum(cell.n for cell in inputs.cells.values())),
        eps=f"{inputs.plan.plan.eps:g}",
        judged=sorted({found.outcome for found in judged.values()}),
        packed=pack_explorer(inputs, judged),
        style=Markup(style),  # noqa: S704 - our own file
        style_hash=_csp_hash(style),
        script=Markup(script),  # noqa: S704 - our own file
        script_hash=_csp_hash(script),
    )


def _asset(environment: Environment, name: str) -> str:
    if environment.loader is None:
        raise RuntimeError("the environment has no loader")
    return environment.loader.get_source(environment, name)[0]


def _csp_hash(content: str) -> str:
    return base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")
