"""The whole page: what must stand in it, and what must not."""

import csv
import re
import shutil
from pathlib import Path

import jinja2
import pytest
from tests.report.reported_runs import Reported
from tests.report.synthetic_run import PROTOCOL, registration_of

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import read_jsonl, write_jsonl
from cot_entropy.plan.load import load_plan
from cot_entropy.report.inputs import cell_files
from cot_entropy.report.page import write_report
from cot_entropy.report.sections import pivot
from cot_entropy.stats.read_tables import Row


def again(run: Reported, folder: Path) -> Path:
    """A copy of a run, to change."""
    results = folder / "copy"
    shutil.copytree(run.results, results)
    return results


def generations(results: Path, cell: str) -> tuple[Path, Path]:
    """Chains and completions of a cell."""
    return cell_files(results, cell, PROTOCOL).generations


def rewritten(results: Path) -> str:
    plan = results / "preregistration" / "plan.yaml"
    write_report(results, plan=plan, out=results / "report.html")
    return (results / "report.html").read_text(encoding="utf-8")


def test_the_scripted_engine_is_announced(scripted: Reported) -> None:
    """No result of the stand-in can pass for a model's: the banner is an alert and the first text."""
    banner = re.search(
        r'<div class="banner stop" role="alert"[^>]*>(.*?)</div>', scripted.html, re.S
    )
    assert banner is not None
    assert "no model answered" in banner[1]
    assert "toy/wordproblems" in banner[1]
    assert scripted.html.index("banner stop") < scripted.html.index("<h1>")


def test_a_real_engine_has_no_such_banner(registered: Reported) -> None:
    """The banner means something only if it is not always there."""
    assert 'role="alert"' not in registered.html


def test_one_scripted_cell_among_real_ones_is_enough(scripted: Reported, tmp_path: Path) -> None:
    """The banner names the cell, and a scripted chain alone raises it."""
    results = again(scripted, tmp_path)
    for path in (*generations(results, "toy/wordproblems"), generations(results, "toy/algebra")[1]):
        records = [record for _, record in read_jsonl(path)]
        records[0]["engine"]["name"] = "vllm"
        write_jsonl(path, records)
    banner = re.search(r'role="alert"[^>]*>(.*?)</div>', rewritten(results), re.S)
    assert banner is not None
    assert "toy/algebra" in banner[1]
    assert "wordproblems" not in banner[1]


def test_a_cell_outside_the_plan_is_called_a_toy(scripted: Reported, registered: Reported) -> None:
    """The line stands for cells that the plan does not name, and for no others."""
    line = "a demonstration on a toy model, not evidence about the claim"
    assert line in scripted.html.lower()
    assert line not in registered.html.lower()


def test_the_page_asks_for_nothing(scripted: Reported) -> None:
    """No address of any network, and a policy that allows no request."""
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', scripted.html)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'")
    assert "unsafe" not in policy[1]
    assert not re.search(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//""", scripted.html)


def test_every_hypothesis_and_entry_of_the_plan_has_a_section(scripted: Reported) -> None:
    """None is left out, run or not."""
    plan = load_plan(scripted.plan).plan
    for entry in plan.entries:
        assert f'<section id="{entry.id.lower()}"' in scripted.html


def test_every_figure_names_its_plan_entry_and_links_its_data(scripted: Reported) -> None:
    """The link leads to a table with a header line."""
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", scripted.html, re.S)
    assert len(captions) > 10
    for caption in captions:
        assert re.search(r"Plan: [HE]\d", caption)
        link = re.search(r'href="(tables/[a-z0-9_]+\.csv)"', caption)
        assert link is not None
        rows = list(csv.reader((scripted.results / link[1]).open(encoding="utf-8")))
        assert len(rows) > 1
        assert all(len(row) == len(rows[0]) for row in rows)


def test_no_table_holds_an_undefined_number(scripted: Reported) -> None:
    """No NaN, infinity or -0.0 in any file."""
    for path in (scripted.results / "tables").rglob("*.csv"):
        fields = {field for row in csv.reader(path.open(encoding="utf-8")) for field in row}
        assert fields.isdisjoint({"nan", "inf", "-inf", "-0.0", "None"})


def test_exploratory_entries_are_marked(scripted: Reported) -> None:
    """Every heading of E1..E13 carries the mark, and so does each figure below it."""
    start = scripted.html.index('<section id="exploratory"')
    end = scripted.html.index('<section id="sensitivity"')
    part = scripted.html[start:end]
    for heading in re.findall(r"<h3.*?</h3>", part, re.S):
        assert "exploratory</span>" in heading
    for caption in re.findall(r"<figcaption>.*?</figcaption>", part, re.S):
        assert "exploratory</span>" in caption


def test_numbers_of_a_cell_are_marked_where_they_are_exploratory() -> None:
    """A table of a hypothesis can hold cells of both kinds; only the exploratory is marked."""
    numbers = pivot(
        [
            Row(id="H1", cell="m/a", quantity="accuracy_gap_pp", kind="confirmatory", estimate=9.6),
            Row(id="H1", cell="m/b", quantity="accuracy_gap_pp", kind="exploratory", estimate=5.8),
        ]
    )
    page = jinja2.Environment(loader=jinja2.PackageLoader("cot_entropy.report"), autoescape=True)
    html = page.get_template("parts.html.j2").module.pivot(numbers, "H1: every other number")
    heads = re.findall(r"<th scope=.col.>(.*?)</th>", html, re.S)
    marked = {head.split()[0]: "exploratory" in head for head in heads}
    assert marked == {"Quantity": False, "m/a": False, "m/b": True}


@pytest.mark.parametrize("absent", ["sensitivity.csv", "calibration/calibration.csv"])
def test_an_absent_input_is_said_in_one_line(scripted: Reported, absent: str) -> None:
    """A section that has nothing to show says which file is missing."""
    assert f"there is no <code>{absent}</code>" in scripted.html


def test_a_judgement_is_shown_with_its_question(scripted: Reported, tmp_path: Path) -> None:
    """The filter appears, and the sentence that consistency is not faithfulness."""
    results = again(scripted, tmp_path)
    record = {"source": "toy/algebra", "id": "algebra-0", "outcome": "inconsistent"}
    write_jsonl(results / "consistency/some/toy/algebra/judgements.jsonl.zst", [record])
    assert '<option value="inconsistent">' in rewritten(results)


JUDGED = {
    "toy/algebra/rates.csv": """source,quantity,of,count,n,rate,ci_low,ci_high,method,reason,judge,on_benchmark,note
toy/algebra,inconsistent,decided,3,12,0.25,0.0889,0.5323,"raw, Wilson",,m,"found 1 of 10, claimed 4 of 9 others",a note
toy/algebra,inconsistent,decided,,12,,,,"corrected, Rogan-Gladen",not better than chance,m,"found 1 of 10, claimed 4 of 9 others",a note
""",
    "validation/scores.csv": """outcome,quantity,count,n,value,ci_low,ci_high,judge_errors,reason,note
inconsistent,recall,1,10,0.1,0.0179,0.4042,2,,a note
""",
    "validation/confusion.csv": "labelled,consistent,judge_error\nconsistent,5,2\n",
    "estimates.csv": """id,cell,quantity,kind,estimate,verdict,reason
E11,toy/algebra,accuracy_gap_pp_correct,exploratory,7.25,,
""",
}


def judged_page(scripted: Reported, tmp_path: Path, *, without: str = "") -> str:
    results = again(scripted, tmp_path)
    for name, text in JUDGED.items():
        if not (without and name.startswith(without)):
            path = results / "consistency/some" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return rewritten(results)


def test_a_rate_stands_beside_what_its_judge_did_on_the_benchmark(
    scripted: Reported, tmp_path: Path
) -> None:
    """In the same row; a rate that cannot be corrected says why; the note stands above the tables and under every figure."""
    html = judged_page(scripted, tmp_path)
    table = html[html.index("Rates by some, toy/algebra") :]
    row = table[table.index("<td>0.25</td>") :].partition("</tr>")[0]
    assert "0.09 to 0.53" in row
    assert "found 1 of 10, claimed 4 of 9 others" in row
    assert "not better than chance" in html
    assert "a note" not in html
    assert html.count("Consistency is not faithfulness") == 3  # the section and its two figures


def test_the_judges_confusion_and_errors_are_shown(scripted: Reported, tmp_path: Path) -> None:
    """The matrix as it stands in its file, and every score with its judge errors."""
    html = judged_page(scripted, tmp_path)
    matrix = html[html.index("labelled outcome by the outcome that some gave") :]
    assert "<td>5</td><td>2</td>" in matrix.partition("</table>")[0]
    assert "0.02 to 0.40" in html


def test_the_join_stands_in_the_plans_entry(scripted: Reported, tmp_path: Path) -> None:
    """E11 has its number, and what waited for it is gone for that cell."""
    html = judged_page(scripted, tmp_path)
    assert "accuracy_gap_pp_correct" in html
    assert "7.25" in html


def test_rates_of_an_unvalidated_judge_are_marked(scripted: Reported, tmp_path: Path) -> None:
    """A rate without the judge's error is no finding."""
    html = judged_page(scripted, tmp_path, without="validation")
    assert "Not validated on the benchmark: its rates say nothing." in html


def test_the_same_run_gives_the_same_bytes(scripted: Reported, tmp_path: Path) -> None:
    """Nothing of clock, path or hash order reaches the page (the study's name is its folder's)."""
    results = tmp_path / scripted.results.name
    shutil.copytree(scripted.results, results)
    assert rewritten(results) == scripted.html


def test_an_unusable_file_leaves_the_earlier_report(scripted: Reported, tmp_path: Path) -> None:
    """The error names the file; the page is not touched."""
    results = again(scripted, tmp_path)
    files = cell_files(results, "toy/algebra", PROTOCOL)
    files.trajectories.write_bytes(b"PAR1 no")
    with pytest.raises(DataError, match=r"trajectories\.parquet"):
        rewritten(results)
    assert (results / "report.html").read_text(encoding="utf-8") == scripted.html


def test_chains_of_another_run_are_refused(scripted: Reported, tmp_path: Path) -> None:
    """A chain without its trajectory would be shown with another's numbers."""
    results = again(scripted, tmp_path)
    ours = cell_files(results, "toy/algebra", PROTOCOL)
    theirs = cell_files(results, "toy/wordproblems", PROTOCOL)
    shutil.copy(theirs.chains, ours.chains)
    with pytest.raises(DataError, match="different runs"):
        rewritten(results)


def test_a_folder_without_trajectories_says_so(tmp_path: Path) -> None:
    """Nothing to report is an error, not an empty page."""
    plan = registration_of(tmp_path)
    (tmp_path / "verdicts.csv").write_text("id,cell,kind\n", encoding="utf-8")
    with pytest.raises(DataError, match="score a cell first"):
        write_report(tmp_path, plan=plan, out=tmp_path / "report.html")


def test_data_of_earlier_figures_are_removed(scripted: Reported, tmp_path: Path) -> None:
    """The folder holds the tables of this page and no others."""
    results = again(scripted, tmp_path)
    (results / "tables" / "forest_h9.csv").write_text("x\n1\n", encoding="utf-8")
    rewritten(results)
    kept = {path.name for path in (results / "tables").iterdir()}
    assert kept == {path.name for path in (scripted.results / "tables").iterdir()}


def test_a_grader_table_becomes_a_figure(scripted: Reported, tmp_path: Path) -> None:
    """The registered grader is in bold, and the figure is exploratory."""
    results = again(scripted, tmp_path)
    cell_files(results, "toy/algebra", PROTOCOL).sensitivity.write_text(
        "cell,extraction,equivalence,registered,accuracy_gap_pp\n"
        "toy/algebra,registered,normalised,True,12.5\n"
        "toy/algebra,robust,by_value,False,\n",
        encoding="utf-8",
    )
    html = rewritten(results)
    panel = re.search(r'<figure id="fig-sensitivity">.*?</figure>', html, re.S)
    assert panel is not None
    assert re.search(r'class="tick strong">registered, norm', panel[0])
    assert "not defined" in panel[0]
    assert "exploratory</span>" in panel[0]


def test_a_comparison_without_its_columns_is_refused(scripted: Reported, tmp_path: Path) -> None:
    """A table of another version is named, not shown half."""
    results = again(scripted, tmp_path)
    (results / "comparison.csv").write_text("source,published\nZ26,9.6\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"comparison\.csv: column `matched` is missing"):
        rewritten(results)


def test_published_figures_stand_beside_ours(registered: Reported) -> None:
    """Z26 prints +11.5 points for this cell, R26 +9.6 (protocol, section 4)."""
    data = (registered.results / "tables" / "forest_h1.csv").read_text(encoding="utf-8")
    published = {tuple(line.split(",")[-2:]) for line in data.splitlines() if ",published," in line}
    assert {("11.5", "Z26"), ("9.6", "R26")} <= published
