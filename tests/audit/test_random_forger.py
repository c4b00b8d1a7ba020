"""A forger without a plan: any field of any stored record, changed at random, all hashes made to fit.

What files can prove is found. What they cannot is the model's to say: the value of a
log-probability, as long as it stays one. Seeded, so that a failure can be repeated.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.forge import Record, command, cover_up
from tests.runs import Tiny, further_chains, generations

from cot_entropy.audit.decoded import Decoding
from cot_entropy.audit.registered import registration_findings
from cot_entropy.audit.run import read_run
from cot_entropy.audit.stored_files import generation_findings, record_findings
from cot_entropy.base.errors import UserError
from cot_entropy.base.files import read_jsonl, write_jsonl
from cot_entropy.generate.prefixes import cut_prefixes
from cot_entropy.protocol.probe import PrefixesJob

CELL = "alpha/sums"
Leaf = tuple[str | int, ...]
Caught = Callable[[str, int], None]

ONLY_THE_MODEL = frozenset({"logprobs", "top_logprobs"})
"""Fields whose values no file proves."""


def leaves(value: Any, here: Leaf = ()) -> Iterator[Leaf]:
    """The path of every scalar of a record."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*here, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*here, index))
    else:
        yield here


def pick(draw: random.Random, record: Record) -> Leaf:
    """One leaf, each name of a field equally likely, however many values stand below it."""
    found: dict[str, list[Leaf]] = {}
    for leaf in leaves(record):
        name = next(part for part in reversed(leaf) if isinstance(part, str))
        found.setdefault(name, []).append(leaf)
    return draw.choice(found[draw.choice(sorted(found))])


def other(draw: random.Random, value: Any) -> Any:  # noqa: PLR0911 (one line per kind)
    """Another value of the same kind, such as a forger would set."""
    match value:
        case bool():
            return not value
        case int():
            return value + draw.choice([-3, -1, 1, 2, 17])
        case float():
            return min(0.0, round(value - draw.choice([0.0001, 0.01, 1.5]), 4))
        case None:
            return draw.choice(["x", "engine: rejected"])
        case "stop":
            return "length"
        case "length":
            return "stop"
        case str() if value:
            at = draw.randrange(len(value))
            letter = draw.choice([one for one in "7ax ." if one != value[at]])
            return value[:at] + letter + value[at + 1 :]
    return "7"


def edit(draw: random.Random, lines: list[Record]) -> tuple[int, Leaf]:
    """Change one field of one record in place."""
    number = draw.randrange(1, len(lines))
    leaf = pick(draw, lines[number])
    here: Any = lines[number]
    for part in leaf[:-1]:
        here = here[part]
    here[leaf[-1]] = other(draw, here[leaf[-1]])
    return number, leaf


def named(results: Path) -> bool:
    """Whether the checks of stored records, or the refusal to read them, name anything.

    What is derived from the records is left out: a forger derives it again.
    """
    try:
        run = read_run(results)
        study = run.record.configuration.study
        (cell,) = [one for one in run.cells if one.cell == CELL]
        found = [
            *record_findings(results, cell),
            *generation_findings(results, cell, study),
            *Decoding(results=results, study=study, given=()).findings([cell]),
            *(one for one in registration_findings(run) if CELL in one.subject),
        ]
    except UserError:
        return True
    return bool(found) or _cut_otherwise(results)


def _cut_otherwise(results: Path) -> bool:
    """Whether stored prefixes are not those that stored chains give, as the audit derives."""
    files = generations(CELL, results)
    header = next(value for _, value in read_jsonl(files["prefixes"]))
    again = results.parent / "again.jsonl.zst"
    job = PrefixesJob(probe=header["probe"], code_digest=header["code_digest"])
    cut_prefixes(job, chains=files["chains"], out=again)
    return [one for _, one in read_jsonl(again)][1:] != [
        one for _, one in read_jsonl(files["prefixes"])
    ][1:]


def forge(results: Path, draw: random.Random) -> tuple[bool, str]:
    """One random edit, sealed, looked at, and taken back; whether it was named, and where it was."""
    files = {**generations(CELL, results), "self_consistency": further_chains(CELL, results)}
    files["questions"] = results / "inputs/sums.questions.jsonl.zst"
    stage = draw.choice(sorted(files))
    path = files[stage]
    stored, record = path.read_bytes(), results / "provenance/alpha__sums.json"
    kept = record.read_bytes()
    lines = [value for _, value in read_jsonl(path)]
    before = copy.deepcopy(lines)
    number, leaf = edit(draw, lines)
    where = f"{stage} record {number}: {'.'.join(map(str, leaf))}"
    if lines == before:
        return True, where
    write_jsonl(path, lines)
    try:
        cover_up(results, CELL)
        return named(results), where
    except UserError:
        return True, where
    finally:
        path.write_bytes(stored)
        record.write_bytes(kept)


def missed(results: Path, *, edits: int, seed: int) -> tuple[list[str], int]:
    """The edits that nothing names though files can prove them, and how many only a model can."""
    draw = random.Random(seed)
    unnamed = []
    for _ in range(edits):
        found, where = forge(results, draw)
        if not found:
            unnamed.append(where)
    left = [one for one in unnamed if ONLY_THE_MODEL.isdisjoint(one.split(": ")[1].split("."))]
    return left, len(unnamed) - len(left)


def test_random_edits_are_found_where_files_can_prove_them(tiny: Tiny, caught: Caught) -> None:
    left, unprovable = missed(tiny.results, edits=40, seed=1)
    assert left == []
    caught("random edits", 40 - unprovable)


@pytest.mark.full
def test_five_hundred_random_edits_are_found_where_files_can_prove_them(
    tiny: Tiny, caught: Caught
) -> None:
    left, unprovable = missed(tiny.results, edits=500, seed=2)
    assert left == []
    caught("random edits", 500 - unprovable)


def test_an_unchanged_cell_is_not_named(tiny: Tiny) -> None:
    """Else the forger's tests could not fail."""
    assert not named(tiny.results)


def test_a_log_probability_is_left_to_the_model(tiny: Tiny) -> None:
    """The audit says so itself."""
    path = generations(CELL, tiny.results)["completions"]
    lines = [value for _, value in read_jsonl(path)]
    logprobs = lines[1]["prefixes"][0]["samples"][0]["logprobs"]
    logprobs[0] = round(logprobs[0] - 0.5, 4)
    write_jsonl(path, lines)
    cover_up(tiny.results, CELL)
    assert not named(tiny.results)
    said = json.loads(command("audit", tiny.results, "--jobs", 1, "--json").out)
    assert "that the log-probabilities are the model's" in said["established"]["model"]
