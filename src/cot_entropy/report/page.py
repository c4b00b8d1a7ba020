"""The stage: one self-contained page from one run's files, and the data of its figures.

The page makes no request: styles, script and data are inside, and its content security policy
allows nothing else. Text from questions, chains and tables is escaped wherever it is shown.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from cot_entropy.files import write_text
from cot_entropy.report import text
from cot_entropy.report.explorer import pack_explorer
from cot_entropy.report.figure import Figure, write_data
from cot_entropy.report.figures.by_violations import by_violations
from cot_entropy.report.inputs import ReportInputs, Standing, read_inputs
from cot_entropy.report.judgements import read_judgements
from cot_entropy.report.sections import HypothesisSection, hypothesis_section, verdict_matrix


def write_report(results: Path, *, plan: Path, out: Path, standing: Standing | None = None) -> None:
    """Write the report of results/<study>/ and the data of its figures below `tables/`.

    The declared differences are read from beside the plan. Raises DataError or PlanError where a
    file of the run cannot be used; the earlier report then stays as it was.
    """
    differences = plan.with_name("differences.yaml")
    inputs = read_inputs(results, plan=plan, differences=differences, standing=standing)
    sections = _sections(inputs)
    page = render(inputs, sections)
    for figure in _figures(sections):
        write_data(figure, out.parent)
    write_text(out, page)


def render(inputs: ReportInputs, sections: tuple[HypothesisSection, ...]) -> str:
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
    context: dict[str, Any] = {
        "study": inputs.study,
        "title": inputs.plan.plan.title,
        "plan_sha256": inputs.plan.sha256,
        "standing": inputs.standing,
        "questions": f"{sum(cell.n for cell in inputs.cells.values()):,}",
        "cells": list(inputs.cells),
        "scripted": inputs.scripted,
        "unregistered": inputs.unregistered,
        "matrix": verdict_matrix(inputs),
        "symbols": text.SYMBOLS,
        "differences": inputs.differences,
        "hypotheses": sections,
        "eps": f"{inputs.plan.plan.eps:g}",
        "judged": sorted({found.outcome for found in judged.values()}),
        "packed": pack_explorer(inputs, judged),
        "comparison": inputs.tables.get("comparison"),
        "contents": _contents(sections),
        "style": Markup(style),  # noqa: S704 - our own file
        "style_hash": _csp_hash(style),
        "script": Markup(script),  # noqa: S704 - our own file
        "script_hash": _csp_hash(script),
    }
    return environment.get_template("page.html.j2").render(context)


def _sections(inputs: ReportInputs) -> tuple[HypothesisSection, ...]:
    shape = by_violations(inputs.cells, level=inputs.plan.plan.level)
    return tuple(
        hypothesis_section(inputs, hypothesis, (shape,) if hypothesis.id == "H3" else ())
        for hypothesis in inputs.plan.plan.hypotheses
    )


def _figures(sections: tuple[HypothesisSection, ...]) -> list[Figure]:
    return [figure for section in sections for figure in (section.forest, *section.figures)]


def _contents(sections: tuple[HypothesisSection, ...]) -> list[tuple[str, str]]:
    return [
        ("verdicts", "Verdicts"),
        ("differences", "Differences"),
        *((section.anchor, section.hypothesis.id) for section in sections),
        ("published", "Published figures"),
        ("explorer", "Explorer"),
    ]


def _asset(environment: Environment, name: str) -> str:
    if environment.loader is None:
        raise RuntimeError("the environment has no loader")
    return environment.loader.get_source(environment, name)[0]


def _csp_hash(content: str) -> str:
    return base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")
