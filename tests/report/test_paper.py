"""The paper's tables: R26's order, the run's numbers, and LaTeX that compiles where it is pasted."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.report.reported_runs import Reported

from cot_entropy.report.inputs import ReportInputs, read_inputs
from cot_entropy.report.paper.latex import escape, latex_table
from cot_entropy.report.paper.tables import PaperTable, paper_tables, write_paper
from cot_entropy.stats.read_tables import Row

GSM8K = "qwen2.5-7b/gsm8k"
ORDER = [
    "1_main_effect",
    "2_dissociation",
    "3_protocol_dependence",
    "4_scalar_against_shape",
    "5_length",
    "6_filter",
    "7_cost",
]


def row(identifier: str, quantity: str, estimate: float | None = None, **rest: Any) -> Row:
    values = {"cell": GSM8K, "kind": "exploratory", **rest}
    return Row(id=identifier, quantity=quantity, estimate=estimate, **values)


VERDICTS = (
    row(
        "H1",
        "",
        9.6,
        ci_low=4.1,
        ci_high=15.2,
        p_value=0.0004,
        n=1319,
        verdict="supported",
        kind="confirmatory",
    ),
    row("H2", "", -0.018, ci_low=-0.063, ci_high=0.027, verdict="supported"),
    row("H3", "", -0.198, ci_low=-0.25, ci_high=-0.145, verdict="supported"),
    row("H5", "", 0.61, ci_low=0.52, ci_high=0.7, p_value=0.02, n=898, verdict="inconclusive"),
)
ESTIMATES = (
    row("H1", "accuracy_monotone", 0.932),
    row("H1", "accuracy_non_monotone", 0.817),
    row("H1", "flag_rate", 0.681),
    row("H1", "odds_ratio_sample", 3.071),
    row("H3", "accuracy_at_0_violations", 0.932),
    row("H3", "accuracy_at_3_or_more_violations", 0.25),
    row("H5", "accuracy_gained_pp_at_coverage_0.9", 1.25),
    row("E1", "auroc[shape_flag]", 0.62),
    row("E1", "auroc[final_entropy]", 0.7),
    row("E1", "auroc_difference[final_entropy - shape_flag]", 0.08, ci_low=0.05, ci_high=0.11),
    row("E2", "aurc_achievable_difference[final_entropy - shape_flag]", -0.011),
    row("E2", "aurc_zero_extended_difference[final_entropy - shape_flag]", -0.012),
    row("E2", "aurc_shared_difference[final_entropy - shape_flag]", -0.013),
    row("E6", "odds_ratio[shape_flag]", 3.07, ci_low=2.1, ci_high=4.4),
    row("E6", "adjusted_odds_ratio[shape_flag]", 2.5, ci_low=1.7, ci_high=3.6),
    row("E6", "accuracy_gap_pp[truncated]", 4.0),
    row("E9", "tokens_per_question", 1512.4),
    row("E9", "tokens_per_question[self-consistency, 40 chains]", 12034.0),
    *(
        row(
            "E13",
            "accuracy_gap_pp[cap_4]",
            9.0,
            cell=cell,
            variant="cap_4",
            difference=moved,
            difference_low=moved - 1,
            difference_high=moved + 1,
            between_seed_sd=2.0,
        )
        for cell, moved in ((GSM8K, -0.5), ("qwen2.5-7b/math500", 3.0), ("m/d", 1.5))
    ),
)


@pytest.fixture(scope="module")
def inputs(registered: Reported) -> ReportInputs:
    """A run of one registered cell, its numbers replaced by those above."""
    found = read_inputs(
        registered.results,
        plan=registered.plan,
        differences=registered.plan.with_name("differences.yaml"),
    )
    cells = dict.fromkeys([GSM8K], next(iter(found.cells.values())))
    return replace(found, verdicts=VERDICTS, estimates=ESTIMATES, cells=cells)


@pytest.fixture(scope="module")
def tables(inputs: ReportInputs) -> dict[str, PaperTable]:
    return {table.name: table for table in paper_tables(inputs)}


def line(table: PaperTable) -> dict[str, str]:
    """The first line by column; of two columns of one name, the later."""
    return dict(zip(table.columns, table.rows[0], strict=True))


def test_the_tables_stand_in_the_papers_order(inputs: ReportInputs) -> None:
    assert [table.name for table in paper_tables(inputs)] == ORDER


def test_the_main_effect_has_its_numbers(tables: dict[str, PaperTable]) -> None:
    assert line(tables["1_main_effect"]) == {
        "Cell": GSM8K,
        "n": "1,319",
        "Monotone": "68.1",
        "Accuracy, monotone": "93.2",
        "Accuracy, other": "81.7",
        "Gap": "9.6",
        "95 % interval": "[4.1, 15.2]",
        "Odds ratio": "3.07",
        "p": "< 0.001",
        "Verdict": "supported",
        "Kind": "confirmatory",
    }


def test_the_dissociation_sets_violations_beside_coherence(tables: dict[str, PaperTable]) -> None:
    (found,) = tables["2_dissociation"].rows
    assert found == (
        GSM8K,
        *("−0.198", "[−0.250, −0.145]", "supported"),
        *("−0.018", "[−0.063, 0.027]", "supported", "exploratory"),
        *("93.2", "–", "–", "25.0"),
    )


def test_scalar_against_shape_has_three_ranges(tables: dict[str, PaperTable]) -> None:
    found = line(tables["4_scalar_against_shape"])
    assert (found["Difference"], found["95 % interval"]) == ("0.080", "[0.050, 0.110]")
    ranges = [found[name] for name in ("Achievable", "From 0", "Shared")]
    assert ranges == ["−0.011", "−0.012", "−0.013"]


def test_a_variant_is_summed_up_over_its_cells(tables: dict[str, PaperTable]) -> None:
    """Differences -0.5, 1.5 and 3.0 with intervals one point either way: two leave out 0."""
    (found,) = tables["3_protocol_dependence"].rows
    assert found == (
        *("unit cap", "cap 4", "accuracy gap", "3"),
        *("−0.5", "+1.5", "+3.0", "2", "2.0"),
    )


def test_without_variants_there_is_no_third_table(inputs: ReportInputs) -> None:
    without = replace(inputs, estimates=tuple(one for one in ESTIMATES if not one.variant))
    assert [table.name for table in paper_tables(without)] == [*ORDER[:2], *ORDER[3:]]


def test_what_is_exploratory_says_so_in_its_caption(tables: dict[str, PaperTable]) -> None:
    for name in ("3_protocol_dependence", "4_scalar_against_shape", "5_length", "7_cost"):
        assert "Exploratory. " in tables[name].caption


def test_a_stand_ins_numbers_are_no_result_in_any_caption(scripted: Reported) -> None:
    found = read_inputs(
        scripted.results,
        plan=scripted.plan,
        differences=scripted.plan.with_name("differences.yaml"),
    )
    captions = [table.caption for table in paper_tables(found)]
    assert captions
    assert all(one.startswith("SCRIPTED ENGINE: no model answered") for one in captions)


def test_csv_holds_the_table(tables: dict[str, PaperTable], tmp_path: Path) -> None:
    write_paper(list(tables.values()), tmp_path)
    with (tmp_path / tables["7_cost"].csv_path).open(encoding="utf-8") as stream:
        assert list(csv.reader(stream)) == [
            list(tables["7_cost"].columns),
            list(tables["7_cost"].rows[0]),
        ]


def test_files_of_earlier_tables_are_removed(tables: dict[str, PaperTable], tmp_path: Path) -> None:
    write_paper(list(tables.values()), tmp_path)
    write_paper([tables["7_cost"]], tmp_path)
    left = sorted(path.name for path in (tmp_path / "tables/paper").iterdir())
    assert left == ["7_cost.csv", "7_cost.tex", "section.tex"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("50 % of_it", r"50 \% of\_it"),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("a & b # $1 ~ ^", r"a \& b \# \$1 \textasciitilde{} \textasciicircum{}"),
        ("−0.5 – é\n", "$-$0.5 -- ??"),
    ],
)
def test_text_is_printed_never_run(words: str, expected: str) -> None:
    assert escape(words) == expected


def test_numbers_are_set_to_the_right() -> None:
    made = latex_table(
        columns=("Cell", "n", "p"), rows=[("m/d", "1,319", "< 0.001")], caption="c", label="a_b"
    )
    assert r"\begin{tabular}{@{}lrr@{}}" in made
    assert r"\label{tab:a-b}" in made


def pasted(section: str) -> str:
    """A paper's source with the section in it, as an author would paste it."""
    return "\n".join(
        [
            r"\documentclass{article}",
            r"\usepackage{booktabs}",
            r"\begin{document}",
            r"\section{Results}",
            "As Table~\\ref{tab:1-main-effect} shows.",
            section,
            r"\end{document}",
        ]
    )


def found_by_tex(name: str) -> bool:
    return subprocess.run(["kpsewhich", name], capture_output=True, check=False).returncode == 0


def compiled(folder: Path, section: str) -> str:
    """Compile the paper; its log. Fails where the compiler does."""
    compiler = shutil.which("tectonic") or shutil.which("pdflatex")
    if compiler is None:
        pytest.skip("no LaTeX here; install texlive-latex-recommended, or tectonic")
    if compiler.endswith("pdflatex") and not found_by_tex("booktabs.sty"):
        pytest.skip("no booktabs here; install texlive-latex-recommended")
    (folder / "paper.tex").write_text(pasted(section), encoding="utf-8")
    options = ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
    done = subprocess.run(
        [compiler, *(options if compiler.endswith("pdflatex") else ["--keep-logs"]), "paper.tex"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (folder / "paper.pdf").read_bytes().startswith(b"%PDF")
    return (folder / "paper.log").read_text(encoding="utf-8", errors="replace")


def test_the_pasted_section_compiles_and_fits_the_page(
    tables: dict[str, PaperTable], tmp_path: Path
) -> None:
    write_paper(list(tables.values()), tmp_path)
    log = compiled(tmp_path, (tmp_path / "tables/paper/section.tex").read_text(encoding="utf-8"))
    assert re.findall(r"Overfull \\hbox \(([0-9.]+)pt", log) == []
    assert "Undefined control sequence" not in log


def test_hostile_names_compile_too(tmp_path: Path) -> None:
    hostile = r"\input{/etc/passwd} %&#$_{}~^<>|" + "\N{SNOWMAN}"
    section = latex_table(columns=("a",), rows=[(hostile,)], caption=hostile, label="1_main_effect")
    compiled(tmp_path, section)


def test_an_interval_stands_below_its_number() -> None:
    """`[` after a line's end would be read as an option of it."""
    made = latex_table(
        columns=("Cell", "Gap", "95 % interval"),
        rows=[("m/d", "9.6", "[4.1, 15.2]")],
        caption="c",
        label="a",
    )
    assert r"m/d & \shortstack[r]{9.6\\{}[4.1, 15.2]} \\" in made


def test_long_names_are_set_in_short_lines() -> None:
    made = latex_table(
        columns=("Cell",), rows=[("r1-distill-qwen-7b/math500",)], caption="c", label="a"
    )
    assert r"\shortstack[l]{r1-distill-qwen-7b/\\{}math500}" in made
