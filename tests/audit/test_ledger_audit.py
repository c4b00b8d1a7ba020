"""The ledger under audit: every change to it is named, and so is what it says is gone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.forge import edit_json, forge_ledger
from tests.runs import Tiny, generations

from cot_entropy.audit.ledger import ledger_audit
from cot_entropy.audit.run import read_run
from cot_entropy.formats.ledger import LEDGER, line_sha256, read_lines
from cot_entropy.registration.provenance import seal

Caught = Callable[[str, int], None]
CELL = "alpha/sums"


def details(tiny: Tiny) -> list[str]:
    return [one.detail for one in ledger_audit(read_run(tiny.results)).findings]


def write(tiny: Tiny, lines: list[bytes]) -> None:
    (tiny.results / LEDGER).write_bytes(b"".join(line + b"\n" for line in lines))


def test_an_unchanged_ledger_has_no_finding(tiny: Tiny) -> None:
    found = ledger_audit(read_run(tiny.results))
    assert found.findings == ()
    assert f"{CELL}/registered/chains.jsonl.zst: 1 attempt" in found.attempts


def leaves(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [leaf for key, one in value.items() for leaf in leaves(one, (*here, key))]
    return [here]


def changed(value: Any) -> Any:
    if isinstance(value, int):
        return value + 1
    if value is None:
        return "x"
    if len(value) == 64:
        return value[1:] + ("1" if value[0] == "0" else "0")
    return f"{value}x"


def test_every_leaf_of_every_line_is_named(tiny: Tiny, caught: Caught) -> None:
    """Whatever is changed, the next line or the manifest's head no longer fits."""
    lines = read_lines(tiny.results / LEDGER)
    count = 0
    for index, line in enumerate(lines):
        for leaf in leaves(json.loads(line)):
            entry = json.loads(line)
            parent = entry
            for key in leaf[:-1]:
                parent = parent[key]
            parent[leaf[-1]] = changed(parent[leaf[-1]])
            write(tiny, [*lines[:index], json.dumps(entry).encode(), *lines[index + 1 :]])
            assert details(tiny), f"line {index + 1}: {leaf}"
            count += 1
    caught("ledger", count)


def test_every_line_dropped_moved_or_doubled_is_named(tiny: Tiny, caught: Caught) -> None:
    lines = read_lines(tiny.results / LEDGER)
    for index in range(len(lines)):
        for other in (
            [*lines[:index], *lines[index + 1 :]],
            [*lines[: index + 1], *lines[index:]],
            [lines[index], *lines[:index], *lines[index + 1 :]] if index else lines[::-1],
        ):
            write(tiny, other)
            assert details(tiny), f"line {index + 1}"
    caught("ledger lines", 3 * len(lines))


def test_a_ledger_chained_anew_does_not_fit_the_manifest(tiny: Tiny) -> None:
    """The forger drops an attempt and hashes all that follows again."""
    lines = read_lines(tiny.results / LEDGER)
    write(tiny, lines[2:])
    forge_ledger(tiny.results)
    assert "its last line is not the head that manifest.json holds" in details(tiny)


def test_a_file_that_did_not_end_so_is_named(tiny: Tiny) -> None:
    """The file, its provenance and the manifest agree; the ledger saw another one."""
    lines = [json.loads(line) for line in read_lines(tiny.results / LEDGER)]
    for line in lines:
        if line["file"] == f"{CELL}/registered/chains.jsonl.zst" and line["event"] == "end":
            line["sha256"] = "0" * 64
    write(tiny, [json.dumps(line).encode() for line in lines])
    forge = details(tiny)
    assert f"does not end with {CELL}/registered/chains.jsonl.zst as it is" in forge


@pytest.mark.parametrize(("key", "value"), [("seed", 8), ("code", "0" * 64), ("cell", "beta/sums")])
def test_work_that_is_not_the_headers_is_named(tiny: Tiny, key: str, value: object) -> None:
    lines = [json.loads(line) for line in read_lines(tiny.results / LEDGER)]
    for line in lines:
        if line["file"] == f"{CELL}/registered/chains.jsonl.zst" and line["event"] == "end":
            line["work"][key] = value
    write(tiny, [json.dumps(line).encode() for line in lines])
    assert any("says another cell, seed or code of" in one for one in details(tiny))


def test_a_run_without_a_ledger_is_named(tiny: Tiny) -> None:
    (tiny.results / LEDGER).unlink()
    assert details(tiny) == ["is not there: nothing says which runs were made and given up"]


def test_another_head_in_the_manifest_is_named(tiny: Tiny) -> None:
    edit_json(
        tiny.results / "provenance/manifest.json",
        lambda values: values.update(ledger_head="0" * 64),
    )
    assert details(tiny) == ["its last line is not the head that manifest.json holds"]


def test_a_deleted_cell_leaves_its_name(tiny: Tiny) -> None:
    """Deleted before the run is sealed again, its hash stands in the ledger."""
    path: Path = generations(CELL, tiny.results)["completions"]
    path.unlink()
    seal(tiny.results)
    found = ledger_audit(read_run(tiny.results))
    name = path.relative_to(tiny.results).as_posix()
    assert f"{name}: 1 attempt, 1 discarded" in found.attempts
    last = json.loads(read_lines(tiny.results / LEDGER)[-1])
    assert (last["event"], last["detail"], last["file"]) == ("discard", "deleted", name)
    assert read_run(tiny.results).manifest.ledger_head == line_sha256(
        read_lines(tiny.results / LEDGER)[-1]
    )
