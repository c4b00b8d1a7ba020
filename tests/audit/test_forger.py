"""A forger who edits content and makes every hash fit, through the command line.

Each test forges a frozen scripted run, derives and seals it again as if it had always been so,
and expects the difference to be named and exit code 1, or the results to be refused (2).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.forge import Record, command, cover_up, edit_json, rederive, rewrite
from tests.generation import model_folder, sentencepiece_tokenizer
from tests.runs import Tiny, count_votes, further_chains, generate, generations, sample_votes

from cot_entropy.audit.derive import registered_trajectories
from cot_entropy.base.files import read_jsonl, sha256_file
from cot_entropy.registration.departures import run_standings
from cot_entropy.registration.items import plan_items
from cot_entropy.registration.provenance import (
    FOLDER,
    REGISTRATION,
    RUN,
    RunRecord,
    read_record,
    seal,
)
from cot_entropy.report.page import write_report
from cot_entropy.stats.analyse import analyse

CELL, OTHER = "alpha/sums", "beta/sums"
REGISTERED = Path(FOLDER) / REGISTRATION

Change = Callable[[list[Record]], list[Record]]


def files_of(results: Path, cell: str = CELL) -> dict[str, Path]:
    return {**generations(cell, results), "self_consistency": further_chains(cell, results)}


def found(results: Path, *options: object) -> list[str]:
    """The undeclared differences of a forged run, which there must be."""
    said = command("audit", results, "--jobs", 1, *options)
    assert said.code == 1, said.errors or said.out
    return said.differences


# 1: texts that are not those of their tokens


def _sample(lines: list[Record], stage: str) -> Record:
    record = lines[3]
    found: Record = record["chain"] if stage == "chains" else record["prefixes"][0]["samples"][1]
    return found


def _number(sample: Record) -> None:
    text = sample["text"]
    sample["text"] = f"{text[:-2]}{int(text[-2]) % 3 + 1}."


def _shorter(sample: Record) -> None:
    sample["text"] = sample["text"][:-1]


def _unfinished(sample: Record) -> None:
    sample["finish_reason"] = "length"


@pytest.mark.parametrize("stage", ["chains", "completions", "self_consistency"])
def test_an_edited_text_is_not_what_its_tokens_say(tiny: Tiny, stage: str) -> None:
    """The token ids are left as they were; all that follows from the text is derived again."""

    def change(lines: list[Record]) -> list[Record]:
        _number(_sample(lines, stage))
        return lines

    rewrite(files_of(tiny.results)[stage], change)
    rederive(tiny.results, CELL)
    (difference,) = found(tiny.results)
    assert files_of(tiny.results)[stage].name in difference
    assert "is not what its token ids say" in difference
    assert "record 3" in difference


@pytest.mark.parametrize(
    ("stage", "edit", "detail"),
    [
        ("chains", _unfinished, "cut at the budget of 1024 tokens, and has"),
        ("completions", _unfinished, "cut at the budget of 150 tokens, and has"),
        ("completions", _shorter, "is not what its token ids say"),
    ],
)
def test_an_edited_sample_is_named(
    tiny: Tiny, stage: str, edit: Callable[[Record], None], detail: str
) -> None:
    def change(lines: list[Record]) -> list[Record]:
        edit(_sample(lines, stage))
        return lines

    rewrite(files_of(tiny.results)[stage], change)
    cover_up(tiny.results, CELL)
    assert any(detail in one for one in found(tiny.results))


def test_moved_token_ends_are_named(tiny: Tiny) -> None:
    def change(lines: list[Record]) -> list[Record]:
        ends = lines[3]["token_ends"]
        ends[4] = ends[3]
        return lines

    rewrite(files_of(tiny.results)["chains"], change)
    cover_up(tiny.results, CELL)
    assert any("token ends are not those of its token ids" in one for one in found(tiny.results))


def test_a_cell_whose_tokenizer_is_not_at_hand_is_named(
    tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elsewhere the model's folder is not there; --tokenizer names a copy of it."""
    shutil.copytree("src", tmp_path / "src")
    monkeypatch.chdir(tmp_path)
    without = command("audit", tiny.results, "--jobs", 1)
    assert without.code == 0
    line = "proven only with the model: that texts are what their tokens say in"
    assert f"{line} alpha/sums, beta/sums: no tokenizer at hand" in without.out
    said = command("audit", tiny.results, "--jobs", 1, "--tokenizer", tiny.root / "model")
    assert said.code == 0
    assert line not in said.out
    missing = command("audit", tiny.results, "--tokenizer", tmp_path)
    assert (missing.code, "tokenizer.json: no such file" in missing.errors) == (2, True)


# 2: questions dropped


def test_dropped_questions_are_named_though_the_frozen_hash_is_kept(tiny: Tiny) -> None:
    questions = tiny.results / "inputs/sums.questions.jsonl.zst"

    def fewer(lines: list[Record]) -> list[Record]:
        return [lines[0], *lines[6:]]

    rewrite(questions, fewer)
    for cell in (CELL, OTHER):
        for path in files_of(tiny.results, cell).values():
            rewrite(path, fewer)
    rederive(tiny.results, CELL, OTHER)
    differences = found(tiny.results)
    assert any("holds 19 questions, its header says 24" in one for one in differences)


def test_dropped_questions_are_named_though_all_headers_count_what_is_left(tiny: Tiny) -> None:
    """Count and question-level hash are made to fit: the freeze has another one."""
    from cot_entropy.data.questions import Question, questions_sha256  # noqa: PLC0415

    path = tiny.results / "inputs/sums.questions.jsonl.zst"
    left = [value for number, value in read_jsonl(path) if number > 6]
    sha256 = questions_sha256(Question(one["id"], one["text"], one["gold"]) for one in left)

    def fewer(lines: list[Record]) -> list[Record]:
        header = lines[0] if "dataset" not in lines[0] else lines[0]["dataset"]
        header |= {"questions": 19, "questions_sha256": sha256}
        return [lines[0], *lines[6:]]

    rewrite(path, fewer)
    for cell in (CELL, OTHER):
        for one in files_of(tiny.results, cell).values():
            rewrite(one, fewer)
    rederive(tiny.results, CELL, OTHER)
    said = command("audit", tiny.results, "--jobs", 1)
    assert said.code == 1
    assert any(one.startswith("difference: questions/sums: ") for one in said.differences)
    assert "rows: 0 confirmatory" in said.out


# 3: questions turned into errors


def _errors(results: Path, count: int) -> None:
    def chains(lines: list[Record]) -> list[Record]:
        for line in lines[1 : 1 + count]:
            line |= {"chain": None, "token_ends": [], "error": "the engine rejected it"}
        return lines

    def prefixes(lines: list[Record]) -> list[Record]:
        for line in lines[1 : 1 + count]:
            line |= {"n_units_chain": 0, "ends": [0], "text_ends": [0]}
        return lines

    def completions(lines: list[Record]) -> list[Record]:
        for line in lines[1 : 1 + count]:
            line |= {"prefixes": [], "error": "no chain: the engine rejected it"}
        return lines

    files = generations(CELL, results)
    for stage, change in (
        ("chains", chains),
        ("prefixes", prefixes),
        ("completions", completions),
    ):
        rewrite(files[stage], change)
    rederive(results, CELL)


def test_questions_turned_into_errors_are_counted_named_and_drawn(tiny: Tiny) -> None:
    _errors(tiny.results, 5)
    said = command("audit", tiny.results, "--jobs", 1, "--regenerate", 1, "--draw", 3)
    assert said.code == 1
    chains = f"{CELL}/registered/chains.jsonl.zst"
    detail = "5 of 24 questions hold an error that no stored number explains"
    assert f"difference: {chains}: {detail}: the engine rejected it" in said.differences
    assert f"errors: {chains}: 5 of 24 questions" in said.out
    assert any("questions generated again" in one for one in said.differences)
    verdicts = (tiny.results / "verdicts.csv").read_text()
    assert "5 of 24 questions hold an error in place of generations" in verdicts


def test_an_error_that_its_numbers_do_not_give_is_named(tiny: Tiny) -> None:
    """The engine's own words, about a prompt that is far shorter."""

    def change(lines: list[Record]) -> list[Record]:
        lines[2] |= {
            "prefixes": [],
            "error": "prompt of 2000 tokens and budget of 150 exceed the context of 2048 "
            "(engine.max_model_len)",
        }
        return lines

    rewrite(files_of(tiny.results)["completions"], change)
    cover_up(tiny.results, CELL)
    assert any("1 of 24 questions hold an error" in one for one in found(tiny.results))


# 4: times


def _refrozen(results: Path, **values: Any) -> Path:
    """Edit the freeze of the results and seal it; returns it, as the auditor's copy."""
    path = results / REGISTERED / "freeze.json"

    def change(frozen: Record) -> None:
        frozen |= values

    edit_json(path, change)
    write_report(results, plan=path.with_name("plan.yaml"), out=results / "report.html")
    seal(results)
    return path


def test_a_freeze_made_after_the_run_is_named(tiny: Tiny) -> None:
    own = _refrozen(tiny.results, frozen_at="2099-01-01T00:00:00Z")
    differences = found(tiny.results, "--registered", own)
    assert any(
        one.startswith(f"difference: cell/{CELL}: ") and "before the freeze" in one
        for one in differences
    )


def _backwards(attempts: list[Record]) -> None:
    attempts[0]["ended"] = "2020-01-01T00:00:00.000000Z"


def _twice_at_once(attempts: list[Record]) -> None:
    attempts.append({**attempts[0], "started": attempts[0]["started"].replace("Z", "1Z")})


def _endless(attempts: list[Record]) -> None:
    attempts[0]["ended"] = None


@pytest.mark.parametrize(
    ("stage", "change", "detail"),
    [
        ("chains", list.clear, "no attempt is noted that generated it"),
        ("completions", list.clear, "no attempt is noted that generated it"),
        ("chains", _backwards, "before it started"),
        ("chains", _endless, "no attempt at it ended"),
        ("chains", _twice_at_once, "while another one ran"),
        ("completions", _backwards, "before the chains it goes on from"),
    ],
)
def test_times_that_cannot_be_are_named(
    tiny: Tiny, stage: str, change: Callable[[list[Record]], None], detail: str
) -> None:
    path = generations(CELL, tiny.results)[stage]
    noted = path.with_name(f"{stage}.attempts.jsonl")
    attempts = [json.loads(line) for line in noted.read_text().splitlines()][-1:]
    change(attempts)
    noted.write_text("".join(json.dumps(one) + "\n" for one in attempts))
    cover_up(tiny.results, CELL)
    differences = found(tiny.results)
    assert any(
        one.startswith(f"difference: cell/{CELL}: ") and detail in one for one in differences
    )


# 5: freezes that were replaced

REPLACED = {
    "sha256": "1" * 64,
    "frozen_at": "2026-01-02T03:04:05Z",
    "commit": "2" * 40,
    "reason": "bounds\x1b[2K were wrong",
}


def test_every_replaced_freeze_is_printed(tiny: Tiny) -> None:
    own = _refrozen(tiny.results, replaced=[REPLACED])
    said = command("audit", tiny.results, "--jobs", 1, "--registered", own)
    assert said.code == 0
    line = f"{'1' * 64} of 2026-01-02T03:04:05Z, commit {'2' * 40}: bounds\\x1b[2K were wrong"
    assert f"replaced freeze: {line}\n" in said.out


def test_a_list_of_replaced_freezes_that_was_stripped_is_named(tiny: Tiny, tmp_path: Path) -> None:
    own = tmp_path / "freeze.json"
    shutil.copyfile(_refrozen(tiny.results, replaced=[REPLACED]), own)
    _refrozen(tiny.results, replaced=[])
    differences = found(tiny.results, "--registered", own)
    assert [one for one in differences if one.startswith("difference: freeze.replaced: ")]


@pytest.mark.parametrize(
    "change",
    [{"replaced": []}, {"commit": "3" * 40}, {"frozen_at": "2020-01-01T00:00:00Z"}],
    ids=lambda change: next(iter(change)),
)
def test_the_deposited_hash_covers_time_commit_and_list(tiny: Tiny, change: Record) -> None:
    frozen = _refrozen(tiny.results, replaced=[REPLACED])
    deposited = sha256_file(frozen)
    assert f", sha256 {deposited}, " in command("audit", tiny.results, "--jobs", 1).out
    _refrozen(tiny.results, **change)
    assert f", sha256 {deposited}, " not in command("audit", tiny.results, "--jobs", 1).out


# 6: another model


def test_a_model_that_the_results_name_is_not_the_one_that_is_loaded(
    tiny: Tiny, tmp_path: Path
) -> None:
    """Generated with another model; the manifest says that its folder is the registered one."""
    other = model_folder(tmp_path / "other", tokenizer=sentencepiece_tokenizer())
    (other / "model.safetensors").write_bytes(b"other weights")
    configuration = read_record(tiny.results / FOLDER / RUN, RunRecord).configuration
    manifest = tiny.results / "inputs/alpha.model.json"
    edit_json(manifest, lambda values: values.update(folder=str(other)))
    generate(CELL, configuration, tiny.results)
    sample_votes(CELL, configuration, tiny.results)
    rederive(tiny.results, CELL)
    differences = found(tiny.results, "--regenerate", 2, "--draw", 1)
    assert any(
        f"{CELL}: 2 questions generated again (draw 1): 0 of 2" in one for one in differences
    )


# 7: deviations that excuse what they must not


def _move_bound(results: Path, **deviation: str) -> None:
    """H1's bound at -90 in the plan of the run, declared as a deviation, judged and sealed."""
    folder = results / REGISTERED
    plan = yaml.safe_load((folder / "plan.yaml").read_text())
    plan["hypotheses"][0]["bounds"]["threshold"] = -90.0
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan, sort_keys=False))
    items = plan_items(plan)
    edit_json(results / FOLDER / RUN, lambda values: values["items"].update(items))
    declared = {
        "id": "D1",
        "item": "plan/H1",
        "found": items["plan/H1"],
        "what": "The bound of H1 is -90.",
        "why": "A typing error.",
        "when": "2099-01-01",
        "results_seen": "after",
        "expected_effect": "none",
        **deviation,
    }
    (folder / "deviations.yaml").write_text(
        yaml.safe_dump({"schema_version": 1, "deviations": [declared]})
    )
    configuration = read_record(results / FOLDER / RUN, RunRecord).configuration
    trajectories = registered_trajectories(configuration, results)
    try:
        standings = run_standings(results, trajectories)
    except Exception:
        seal(results)
        return
    for cell in configuration.study.cells:
        count_votes(cell, configuration, results, plan=folder / "plan.yaml")
    analyse(folder / "plan.yaml", trajectories, results, standings=standings, jobs=1)
    write_report(results, plan=folder / "plan.yaml", out=results / "report.html")
    seal(results)


def test_a_deviation_from_before_the_freeze_is_refused(tiny: Tiny) -> None:
    _move_bound(tiny.results, when="1999-01-01", results_seen="before")
    said = command("audit", tiny.results)
    assert said.code == 2
    assert "`1999-01-01` is before the freeze of" in said.errors


@pytest.mark.parametrize("claim", ["after", "before"])
def test_a_bound_that_was_moved_with_results_seen_is_never_confirmatory(
    tiny: Tiny, claim: str
) -> None:
    """Also where it claims that they were not: its own date is later than the run."""
    _move_bound(tiny.results, results_seen=claim)
    said = command("audit", tiny.results, "--jobs", 1)
    assert said.code == 0, said.out
    frozen = json.loads((tiny.results / REGISTERED / "freeze.json").read_text())["items"]
    claimed = {"after": "after results", "before": "before results as it says, though"}[claim]
    assert f"deviation D1 of 2099-01-01, {claimed}" in said.out
    assert f"plan/H1: frozen {frozen['plan/H1']}, declared " in said.out
    assert "The bound of H1 is -90." in said.out
    rows = (tiny.results / "verdicts.csv").read_text().splitlines()
    h1 = [row for row in rows if row.startswith("H1,")]
    assert h1
    assert all(",exploratory," in row and "(D1: results were known)" in row for row in h1)
    verdicts = tiny.results / "verdicts.csv"
    forged = [
        row.replace("exploratory", "confirmatory") if row.startswith("H1,") else row for row in rows
    ]
    verdicts.write_text("\n".join(forged) + "\n", newline="")
    seal(tiny.results)
    assert any("verdicts.csv" in one for one in found(tiny.results))


def test_the_combined_forgery_is_found(tiny: Tiny) -> None:
    """Questions dropped, others turned into errors, texts edited, a bound moved, all sealed."""

    def edited(lines: list[Record]) -> list[Record]:
        for line in lines[6:]:
            for prefix in line["prefixes"]:
                _number(prefix["samples"][0])
        return lines

    rewrite(files_of(tiny.results)["completions"], edited)
    _errors(tiny.results, 5)
    for path in (
        tiny.results / "inputs/sums.questions.jsonl.zst",
        *(one for cell in (CELL, OTHER) for one in files_of(tiny.results, cell).values()),
    ):
        rewrite(path, lambda lines: [lines[0], *lines[1:-5]])
    rederive(tiny.results, CELL, OTHER)
    _move_bound(tiny.results)
    text = "\n".join(found(tiny.results))
    for detail in (
        "is not what its token ids say",
        "holds 19 questions, its header says 24",
        "hold an error that no stored number explains",
    ):
        assert detail in text
