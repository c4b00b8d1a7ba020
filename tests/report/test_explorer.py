"""What the explorer packs is what the run holds."""

import base64
import gzip
import json
import re
from typing import Any

import pytest
from tests.report.reported_runs import HOSTILE, REGISTERED, TOY, Reported
from tests.report.synthetic_run import PROTOCOL

from cot_entropy.formats.records import ChainRecord, read_records
from cot_entropy.formats.trajectories import read_trajectories
from cot_entropy.report.explorer import CORRECT, MONOTONE, pack
from cot_entropy.report.inputs import cell_files

BLOCK = re.compile(r'<script type="text/plain" id="explorer-([a-z]+(?:-\d+)?)">([^<]*)</script>')


def blocks(run: Reported) -> dict[str, Any]:
    found = BLOCK.findall(run.html)
    return {name: json.loads(gzip.decompress(base64.b64decode(text))) for name, text in found}


def test_packing_is_deterministic() -> None:
    """gzip's time stamp is left out: the same run gives the same bytes."""
    assert pack({"a": [1, None]}) == pack({"a": [1, None]})


def test_nan_is_refused() -> None:
    """The page's JSON has none."""
    with pytest.raises(ValueError, match="Out of range"):
        pack([float("nan")])


def test_every_question_of_every_cell_is_in_the_index(scripted: Reported) -> None:
    """Sizes and ids agree."""
    index = blocks(scripted)["index"]
    assert dict(zip(index["cells"], index["sizes"], strict=True)) == TOY
    assert len(index["ids"]) == len(index["flags"]) == len(index["units"]) == sum(TOY.values())


def test_flags_are_those_of_the_trajectories(registered: Reported) -> None:
    """Counted over the cell: right answers and monotone chains."""
    (cell,) = REGISTERED
    frame = read_trajectories(cell_files(registered.results, cell, PROTOCOL).trajectories)
    flags = blocks(registered)["index"]["flags"]
    assert sum(bool(f & CORRECT) for f in flags) == frame["correct"].sum()
    assert sum(bool(f & MONOTONE) for f in flags) == frame["monotone"].sum()


def test_units_join_to_the_chain(registered: Reported) -> None:
    """Nothing of a chain is lost or repeated between units and the rest."""
    (cell,) = REGISTERED
    chains = read_records(cell_files(registered.results, cell, PROTOCOL).chains, ChainRecord)
    for chain, detail in zip(chains, blocks(registered)["cell-0"], strict=True):
        assert chain.chain is not None
        assert "".join(detail["u"]) + detail["r"] == chain.chain.text


def test_each_prefix_has_its_five_answers(registered: Reported) -> None:
    """N + 1 prefixes, m = 5 answers, null where none was found."""
    for detail in blocks(registered)["cell-0"]:
        assert len(detail["a"]) == len(detail["h"])
        assert {len(row) for row in detail["a"]} == {5}


def test_hostile_text_is_kept_whole_inside_the_data(scripted: Reported) -> None:
    """It reaches the reader as text, and the page's markup never."""
    assert HOSTILE in blocks(scripted)["cell-0"][0]["q"]
    assert "<img" not in scripted.html
