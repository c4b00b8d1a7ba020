from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cot_entropy.base.errors import ConfigError, DataError, ModelError
from cot_entropy.consistency import benchmark, scanner
from cot_entropy.consistency.cli import app
from cot_entropy.consistency.rates import NOT_VALIDATED
from cot_entropy.consistency.scan import read_judgements
from cot_entropy.consistency.settings import JudgeSettings
from cot_entropy.consistency.taxonomy import not_faithfulness

from .endpoint import endpoint
from .scripted import part, verdict

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
    assert "3 judgements to make: 1 decided by rule, 0 judged before, 2 to ask" in printed
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


def test_validate_writes_its_tables(tmp_path: Path) -> None:
    """The baseline on the test split: scores, confusion matrix, what it could tell, sentence."""
    out = tmp_path / "v"
    printed = run("validate", "--out", out, "--judge", "computed")
    assert {path.name for path in out.iterdir()} == {
        "judgements.jsonl.zst",
        "scores.csv",
        "confusion.csv",
        "resolution.csv",
    }
    rows = list(csv.DictReader((out / "scores.csv").read_text().splitlines()))
    assert {row["note"] for row in rows} == {not_faithfulness()}
    assert not_faithfulness() in printed


def test_validate_says_what_it_cannot_tell_apart(tmp_path: Path) -> None:
    """Version 1 has five reversals: a recall of 0.8 on them is anything from 0.38 to 0.96 (Wilson
    for 4 of 5, Newcombe 1998's formula by hand: (0.8 + 0.3842 -+ 0.5080) / 1.7683)."""
    printed = run(
        *("validate", "--out", tmp_path, "--judge", "computed", "--split", "all", "--version", 1)
    )
    assert re.search(r"reasoning_reversal +5 items; .*80%: 38% to 96%", printed)


def test_a_recorded_run_is_scored_without_a_judge(tmp_path: Path) -> None:
    """The same numbers as when it was recorded, of the version it was recorded on."""
    made = tmp_path / "a"
    run("validate", "--out", made, "--judge", "computed", "--split", "all", "--version", 1)
    printed = run("validate", "--recorded", made / "judgements.jsonl.zst", "--out", tmp_path / "b")
    assert printed.startswith("benchmark version 1, 60 items")
    assert (made / "scores.csv").read_text() == (tmp_path / "b" / "scores.csv").read_text()


def test_a_recorded_run_and_a_judge_are_one_too_many(tmp_path: Path) -> None:
    """Which of the two is scored would be a guess."""
    with pytest.raises(ConfigError, match="--recorded takes the place of a judge"):
        run("validate", "--recorded", "x.jsonl", "--judge", "computed", "--out", tmp_path)


def test_a_correction_by_another_judge_is_refused(source: Path, tmp_path: Path) -> None:
    """Sensitivity and specificity belong to one judge."""
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


@pytest.mark.parametrize(
    ("option", "smallest"),
    [
        (name, next(m.ge for m in JudgeSettings.model_fields[field].metadata if hasattr(m, "ge")))
        for name, field in (
            ("--max-chars", "max_chars"),
            ("--max-tokens", "max_tokens"),
            ("--connections", "connections"),
        )
    ],
)
@pytest.mark.parametrize("verb", ["scan", "validate"])
def test_options_have_the_settings_limits(
    source: Path, tmp_path: Path, verb: str, option: str, smallest: int
) -> None:
    """The smallest value passes, one less is refused where it is read."""
    first = [verb, *([str(source)] if verb == "scan" else []), "--out", str(tmp_path / "out")]
    common = [*first, "--judge", "computed", option]
    assert CliRunner().invoke(app, [*common, str(smallest)]).exit_code == 0
    done = CliRunner().invoke(app, [*common, str(smallest - 1)])
    assert (done.exit_code, type(done.exception)) == (2, SystemExit)
    assert option in done.output


def test_a_rate_of_chains_is_not_corrected_with_agentic_items(tmp_path: Path) -> None:
    """A source that is known to be of another kind."""
    with pytest.raises(ConfigError, match="same kind"):
        run(
            *("scan", tmp_path / "chains.jsonl.zst", "--out", tmp_path / "o"),
            *("--judge", "computed", "--domain", "agentic"),
        )


def test_a_source_of_no_known_kind_has_no_corrected_rate(source: Path, tmp_path: Path) -> None:
    """JSON lines do not say what they are about: --domain does."""
    run("validate", "--out", tmp_path / "v", "--judge", "computed")
    done = CliRunner().invoke(
        app,
        [
            *("scan", str(source), "--out", str(tmp_path / "out"), "--judge", "computed"),
            *("--validation", str(tmp_path / "v" / "judgements.jsonl.zst")),
        ],
    )
    assert "name the kind of the transcripts with --domain" in done.stderr
    rows = list(csv.DictReader((tmp_path / "out" / "rates.csv").read_text().splitlines()))
    (row,) = (row for row in rows if row["method"].startswith("corrected"))
    assert (row["rate"], row["on_benchmark"]) == ("", NOT_VALIDATED)


def test_ways_of_dividing_are_counted(tmp_path: Path) -> None:
    """Printed before anything is judged; what nothing divides is counted beside the rates."""
    rows = [
        {"id": "a", "question": "q", "answer": "3 + 5 = 8.\nThe answer is 8."},
        {"id": "b", "question": "q", "answer": "8"},
        {"id": "c", "question": "q", "answer": "I like trains. They are fast."},
    ]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    printed = run("scan", path, "--out", tmp_path / "out", "--judge", "computed")
    assert "3 transcripts; divided: marker 1, bare 1, undivided 1" in printed
    assert re.search(r"no_reasoning_recorded +1 of 3 transcripts: outside every rate", printed)
    assert re.search(r"undivided +1 of 3 transcripts: outside every rate", printed)


def test_the_judge_divides_where_it_is_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First where the answer begins, then the verdict; words that are not there divide nothing."""
    rows = [
        {"id": "a", "question": "q", "answer": "I like trains. They are fast. I take one."},
        {"id": "b", "question": "q", "answer": "Cars are loud. Bikes are not."},
        {"id": "c", "question": "q", "answer": "Two sentences. No reason."},
    ]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    shown: list[str] = []

    def reply(body: dict[str, Any]) -> str:
        user = body["messages"][-1]["content"]
        if "BEGIN RESPONSE" not in user:
            shown.append(part(user, "REASONING"))
            return verdict()
        begins = "I take" if "trains" in user else "not in it" if "Cars" in user else ""
        return json.dumps({"answer_begins": begins})

    with endpoint(reply) as served:
        monkeypatch.setenv("LOCAL_BASE_URL", served.url)
        monkeypatch.setenv("LOCAL_API_KEY", "k")
        run(
            *("scan", path, "--out", tmp_path / "out", "--split", "judge"),
            *("--judge", "openai-api/local/judge"),
        )
    found = read_judgements(tmp_path / "out" / "judgements.jsonl.zst")
    assert [(j.outcome, j.split, j.attempts) for j in found] == [
        ("consistent", "judge", 2),
        ("undivided", "undivided", 1),
        ("no_reasoning_recorded", "judge", 1),
    ]
    assert shown == ["I like trains. They are fast."]


def test_the_benchmark_goes_to_scout_with_its_cases(tmp_path: Path) -> None:
    """A store, and a case for every clear item, keyed by the store's ids."""
    run("benchmark", "--out", tmp_path, "--version", 1, "--split", "all")
    rows = list(csv.DictReader((tmp_path / "validation.csv").read_text().splitlines()))
    labels = benchmark.load_labels(1)
    items = {one.sha256(): labels[one.id] for one in benchmark.load_transcripts(1)}
    assert {row["id"]: row["target"] for row in rows} == {
        key: one.subtype or one.label for key, one in items.items() if not one.borderline
    }
    assert list((tmp_path / "store").glob("**/*.parquet"))


def test_the_computed_judge_is_corrected_from_its_own_validation(
    source: Path, tmp_path: Path
) -> None:
    """With a validation the corrected row has a rate or the reason why not."""
    run("validate", "--out", tmp_path / "v", "--judge", "computed")
    run(
        "scan",
        source,
        "--out",
        tmp_path / "out",
        "--judge",
        "computed",
        "--domain",
        "mathematical",
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
    done = CliRunner().invoke(
        app, ["validate", "--split", "all", "--judge", "computed", "--out", str(tmp_path / "v")]
    )
    warnings = [line for line in done.stderr.splitlines() if line]
    assert len(warnings) == 1
    assert re.fullmatch(
        r"warning: judge computed: no verdict on \d+ of \d+ agentic items "
        r"\(not_computable \d+\); the scores are about the others",
        warnings[0],
    )
