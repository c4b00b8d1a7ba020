"""What each shipped variant adds to a study, as real Snakemake plans and runs it."""

from __future__ import annotations

import csv
import json
import re

from tests.workflow.conftest import ROOT, Project

from cot_entropy.formats.records import read_header
from cot_entropy.plan.load import load_plan

CHAIN = {"chains", "prefixes", "completions", "score"}
PROBE = {"prefixes", "completions", "score"}
DERIVED = {"prefixes", "derive", "score"}
SCORING = {"score"}

ADDED = {
    "budget_512": CHAIN,
    "budget_2048": CHAIN,
    "temperature_0.1": CHAIN,
    "seed_1": CHAIN,
    "seed_2": CHAIN,
    "newlines": PROBE,
    "step_marker": PROBE,
    "step_marker_only": PROBE,
    "cap_merge": PROBE,
    "cap_none": PROBE,
    "cap_4": DERIVED,
    "cap_16": DERIVED,  # from cap_none, which is named before it
    "completion_64": DERIVED,
    "completion_300": PROBE,
    "forced_answer": PROBE,
    "m_3": DERIVED,
    "m_10": PROBE,
    "m_20": PROBE,
    "completion_only": SCORING,
    "robust": SCORING,
    "extraction_robust": SCORING,
    "extraction_zhao": SCORING,
    "by_value": SCORING,
    "no_answer_drop": SCORING,
    "no_answer_singleton": SCORING,
    "chain_outcome": SCORING,
    "eps_0": SCORING,
    "eps_0.05": SCORING,
    "eps_0.1": SCORING,
    "eps_0.2": SCORING,
    "eps_0.5": SCORING,
    "zhao": CHAIN,
    "zhao_seed_1": CHAIN,
    "zhao_seed_2": CHAIN,
}


def jobs(text: str) -> dict[str, str]:
    """The rule of each planned file below the first cell."""
    blocks = re.findall(r"^rule (\w+):$(.*?)(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
    return {
        path: rule
        for rule, body in blocks
        for path in re.findall(r"output: results/tiny/tiny/sums/(\S+)", body)
    }


def files_of(block: dict[str, str]) -> list[str]:
    """What one cell needs under a protocol, below its folder."""
    chain, probe = block["chain"], f"{block['chain']}/{block['probe']}"
    return [
        f"{chain}/chains.jsonl.zst",
        f"{probe}/prefixes.jsonl.zst",
        f"{probe}/completions.jsonl.zst",
        f"{probe}/{block['scoring']}/trajectories.parquet",
    ]


def test_each_shipped_variant_adds_exactly_its_stages(project: Project) -> None:
    """All named at once. Scoring variants generate nothing; fewer samples, units or tokens, and
    what a variant before has sampled, start no engine."""
    protocols = project.protocols()["protocols"]
    assert set(protocols) == {"registered", *ADDED}
    text = project.snakemake(
        "--dry-run", "--config", f"variants={json.dumps([*ADDED])}", "--", "variants"
    ).stdout
    planned = jobs(text)
    shared = files_of(protocols["registered"])
    assert [planned[path] for path in shared] == ["chains", "prefixes", "completions", "score"]
    for name, expected in ADDED.items():
        own = [path for path in files_of(protocols[name]) if path not in shared]
        assert {planned[path] for path in own} == expected, name


def test_variants_share_what_they_can_and_the_table_compares_them(finished: Project) -> None:
    """One command: of each cell one file is derived, one sampled in part, none generated twice."""
    names = ["m_3", "cap_merge", "eps_0.5", "seed_1"]
    arguments = ("--config", f"variants={json.dumps(names)}", "--", "variants")
    before = {
        path: path.stat().st_mtime_ns
        for path in finished.results.glob("tiny/*/registered/**/*.jsonl.zst")
    }
    finished.snakemake(*arguments)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    made = {
        str(path.relative_to(finished.results / "tiny/sums"))
        for path in finished.results.glob("tiny/sums/**/completions.jsonl.zst")
    }
    assert made == {
        "registered/registered/completions.jsonl.zst",
        "registered/m_3/completions.jsonl.zst",
        "registered/cap_merge/completions.jsonl.zst",
        "seed_1/registered/completions.jsonl.zst",
    }
    cell = finished.results / "tiny/sums"
    registered = read_header(cell / "registered/registered/completions.jsonl.zst")
    for probe in ("m_3", "cap_merge"):
        header = read_header(cell / "registered" / probe / "completions.jsonl.zst")
        assert header.derived_from == registered.probe
    with (finished.results / "variants.csv").open() as stream:
        table = list(csv.DictReader(stream))
    rows = [row for row in table if row["verdict"] != "not run"]
    assert {row["variant"] for row in rows} == {"registered", *names}
    assert {row["cell"] for row in rows} == {"tiny/sums", "tiny/more"}
    assert {row["kind"] for row in rows} == {"exploratory"}
    assert "Nothing to be done" in finished.snakemake(*arguments).stdout


def test_without_a_named_variant_the_target_says_so(project: Project) -> None:
    done = project.snakemake("--", "variants", check=False)
    assert done.returncode != 0
    assert (
        "variants: none named; those that the plan registers: --config variants='[" in done.stdout
    )
    named = re.search(r"--config (variants='\[[^']*\]');", done.stdout)
    assert named is not None
    plan = load_plan(ROOT / "preregistration/plan.yaml").plan
    (entry,) = (one for one in plan.exploratory if one.estimator == "variants")
    advised = named[1].replace("'", "")
    assert json.loads(advised.partition("=")[2]) == list(entry.params.variants)
    counts = project.planned("variants", "--config", advised)
    assert counts["score"] == 2 * (1 + len(entry.params.variants))
