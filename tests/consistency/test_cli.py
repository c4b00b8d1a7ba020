from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cot_entropy.base.errors import ConfigError, DataError, ModelError
from cot_entropy.consistency import scanner
from cot_entropy.consistency.cli import app
from cot_entropy.consistency.scan import read_judgements
from cot_entropy.consistency.taxonomy import not_faithfulness

from .endpoint import endpoint
from .scripted import verdict

ROWS = [
    {"id": "a", "question": "How much?", "reasoning": "3 + 5 = 8.", "answer": "The answer is 8."},
    {"id": "b", "question": "How much?", "reasoning": "3 + 5 = 8.", "answer": "The answer is 9."},
    {"id": "c", "question": "How much?", "reasoning": "3 + 5 = 8.", "answer": None},
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def run(*arguments: object) -> str:
    done = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_scan_with_the_computed_judge(source: Path, tmp_path: Path) -> None:
    """No model: a consistent one, a reversal, one without an answer; the rate with its sentence."""
    printed = run("scan", source, "--out", tmp_path / "out", "--judge", "computed")
    found = read_judgements(tmp_path / "out" / "judgements.jsonl.zst")
    assert [(j.id, j.outcome) for j in found] == [
        ("a", "consistent"),
        ("b", "inconsistent"),
        ("c", "not_applicable"),
    ]
    rows = list(csv.DictReader((tmp_path / "out" / "rates.csv").read_text().splitlines()))
    assert (
        next(
            r["rate"]
            for r in rows
            if r["quantity"] == "inconsistent"
            and r["of"] == "decided"
            and r["method"].startswith("raw")
        )
        == "0.5"
    )
    assert not_faithfulness() in printed


def test_scan_with_a_served_judge(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The estimate is printed first, with the cost; the rule's transcript is not asked."""
    with endpoint(lambda body: verdict()) as served:
        monkeypatch.setenv("LOCAL_BASE_URL", served.url)
        monkeypatch.setenv("LOCAL_API_KEY", "k")
        printed = run(
            "scan",
            source,
            "--out",
            tmp_path / "out",
            "--judge",
            "openai-api/local/judge",
            "--price-in",
            1,
            "--price-out",
            1,
        )
    assert "3 transcripts: 1 decided by rule, 0 judged before, 2 to ask" in printed
    assert "at most about 0.0" in printed
    assert len(served.requests) == 2


def test_a_dry_run_asks_nobody_and_writes_nothing(source: Path, tmp_path: Path) -> None:
    """Only the estimate."""
    printed = run("scan", source, "--out", tmp_path / "out", "--judge", "openai/gpt-5", "--dry-run")
    assert "2 to ask" in printed
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("extra", [(), ("--judge", "computed", "--local-model", "m")])
def test_exactly_one_judge_is_named(source: Path, tmp_path: Path, extra: tuple[str, ...]) -> None:
    """Neither none nor two."""
    with pytest.raises(ConfigError, match="name one judge"):
        run("scan", source, "--out", tmp_path / "out", *extra)


def test_kappa_with_another_judge_is_in_the_table(tmp_path: Path) -> None:
    """A judge against itself: kappa 1 over the items it decided."""
    pytest.importorskip("matplotlib")
    run("validate", "--out", tmp_path / "a", "--judge", "computed")
    first = tmp_path / "a" / "judgements.jsonl.zst"
    run("validate", "--out", tmp_path / "b", "--judge", "computed", "--second", first)
    rows = list(csv.DictReader((tmp_path / "b" / "scores.csv").read_text().splitlines()))
    row = next(r for r in rows if r["quantity"] == "kappa with computed")
    assert (float(row["value"]), row["count"]) == (1.0, row["n"])


def test_a_missing_key_is_one_line(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user error, not a traceback."""
    monkeypatch.delenv("NOKEY_API_KEY", raising=False)
    with pytest.raises(ModelError, match="judge openai-api/nokey/judge"):
        run("scan", source, "--out", tmp_path / "out", "--judge", "openai-api/nokey/judge")


def test_validate_writes_table_and_figure(tmp_path: Path) -> None:
    """The baseline on the test split: scores, confusion matrix, picture, sentence."""
    pytest.importorskip("matplotlib")
    out = tmp_path / "v"
    printed = run("validate", "--out", out, "--judge", "computed")
    assert {path.name for path in out.iterdir()} == {
        "judgements.jsonl.zst",
        "scores.csv",
        "confusion.csv",
        "confusion.svg",
    }
    rows = list(csv.DictReader((out / "scores.csv").read_text().splitlines()))
    assert {row["note"] for row in rows} == {not_faithfulness()}
    assert "Consistency is not faithfulness" in (out / "confusion.svg").read_text()
    assert not_faithfulness() in printed


def test_the_figure_is_the_same_every_time(tmp_path: Path) -> None:
    """Same table, same bytes."""
    pytest.importorskip("matplotlib")
    for name in ("a", "b"):
        run("validate", "--out", tmp_path / name, "--judge", "computed")
    assert (tmp_path / "a" / "confusion.svg").read_bytes() == (
        tmp_path / "b" / "confusion.svg"
    ).read_bytes()


def test_a_correction_by_another_judge_is_refused(source: Path, tmp_path: Path) -> None:
    """Sensitivity and specificity belong to one judge."""
    pytest.importorskip("matplotlib")
    run("validate", "--out", tmp_path / "v", "--judge", "computed")
    stored = read_judgements(tmp_path / "v" / "judgements.jsonl.zst")
    other = tmp_path / "other.jsonl"
    other.write_text(
        "".join(j.model_copy(update={"judge": "m"}).model_dump_json() + "\n" for j in stored)
    )
    with pytest.raises(DataError, match="another judge or taxonomy"):
        run("scan", source, "--out", tmp_path / "out", "--judge", "computed", "--validation", other)


def test_a_correction_from_other_transcripts_is_refused(source: Path, tmp_path: Path) -> None:
    """The judgements of a scan are no validation."""
    run("scan", source, "--out", tmp_path / "a", "--judge", "computed")
    scanned = tmp_path / "a" / "judgements.jsonl.zst"
    with pytest.raises(DataError, match="`a` is no item of the benchmark"):
        run(
            *("scan", source, "--out", tmp_path / "b", "--judge", "computed"),
            *("--validation", scanned),
        )


@pytest.mark.parametrize("option", ["--max-chars", "--max-tokens", "--connections", "--context"])
def test_a_size_of_nothing_is_refused(source: Path, tmp_path: Path, option: str) -> None:
    arguments = ["scan", str(source), "--out", str(tmp_path), "--judge", "computed", option, "0"]
    assert CliRunner().invoke(app, arguments).exit_code == 2


def test_the_computed_judge_is_corrected_from_its_own_validation(
    source: Path, tmp_path: Path
) -> None:
    """With a validation the corrected row has a rate or the reason why not."""
    pytest.importorskip("matplotlib")
    run("validate", "--out", tmp_path / "v", "--judge", "computed")
    run(
        "scan",
        source,
        "--out",
        tmp_path / "out",
        "--judge",
        "computed",
        "--validation",
        tmp_path / "v" / "judgements.jsonl.zst",
    )
    rows = list(csv.DictReader((tmp_path / "out" / "rates.csv").read_text().splitlines()))
    row = next(r for r in rows if r["method"].startswith("corrected"))
    assert bool(row["rate"]) != bool(row["reason"])


def test_scanner_prints_a_file_that_scout_can_load() -> None:
    """For `scout scan "$(cot-entropy consistency scanner)"`."""
    assert run("scanner").strip() == scanner.__file__


def test_export_is_idempotent(source: Path, tmp_path: Path) -> None:
    """Twice the same store."""
    for _ in range(2):
        assert "3 transcripts" in run("export", source, "--out", tmp_path / "store")


def test_a_sample_is_judged_and_said(tmp_path: Path) -> None:
    """Two of six in the source's order, the same two again, others with another seed."""
    source = tmp_path / "in.jsonl"
    lines = [json.dumps({**ROWS[0], "id": str(n)}) for n in range(6)]
    source.write_text("\n".join(lines))
    drawn = set()
    for seed in (0, 0, *range(20)):
        out = tmp_path / "out"
        extra = ("--judge", "computed", "--sample", 2, "--seed", seed)
        assert "a random sample of 2 of 6 transcripts" in run("scan", source, "--out", out, *extra)
        ids = [j.id for j in read_judgements(out / "judgements.jsonl.zst")]
        assert ids == sorted(ids)
        drawn.add((seed, *ids))
    assert len(drawn) == 20
    assert {first for _, first, _ in drawn} | {last for _, _, last in drawn} == set("012345")


def test_most_items_without_a_verdict_is_one_warning(tmp_path: Path) -> None:
    """Agentic answers hold no value to compare: said in one line, with the reason."""
    pytest.importorskip("matplotlib")
    done = CliRunner().invoke(
        app, ["validate", "--split", "all", "--judge", "computed", "--out", str(tmp_path / "v")]
    )
    warnings = [line for line in done.stderr.splitlines() if line]
    assert len(warnings) == 1
    assert re.fullmatch(
        r"warning: judge computed: no verdict on \d+ of 41 agentic items "
        r"\(not_computable \d+\); the scores are about the others",
        warnings[0],
    )
