"""Completions taken from another block's: the bytes that sampling them would have given."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.generate.test_completions import Line
from tests.generation import THINKING, probe_block, scripted_settings

from cot_entropy.base.errors import DataError
from cot_entropy.formats.records import CompletionRecord, read_header, read_records
from cot_entropy.generate.completions import StoredFiles, derive_completions, sample_completions
from cot_entropy.generate.prefixes import cut_prefixes
from cot_entropy.protocol.probe import CompletionsJob, PrefixesJob, ProbeBlock

SMALLER = [
    {"m": 2},
    {"budget": 20},
    {"budget": 33},
    {"cap": 1},
    {"m": 2, "budget": 7, "cap": 2},
]
LARGER = [
    {"cap": 8},
    {"m": 6},
    {"budget": 200},
    {"cap": None, "cap_policy": None},
    {"cap": 2, "cap_policy": "merge"},
    {"segmentation": "step_marker"},
    {"m": 6, "budget": 200},
    {"m": 2, "budget": 200, "cap": None, "cap_policy": None},
]


class Pair(Line):
    """A cell sampled under one block, from which another block's completions are taken."""

    def job(self, probe: ProbeBlock) -> CompletionsJob:
        return CompletionsJob(probe=probe, engine=scripted_settings(), code_digest="k")

    def under(self, probe: ProbeBlock) -> StoredFiles:
        """Sample a block into files of its own."""
        self.cut(probe)
        self.sample(probe)
        return StoredFiles(
            completions=self.completions.rename(self.folder / "stored.jsonl.zst"),
            prefixes=self.prefixes.rename(self.folder / "stored-prefixes.jsonl.zst"),
        )

    def derive(self, probe: ProbeBlock, stored: StoredFiles) -> Path:
        out = self.folder / "derived.jsonl.zst"
        cut_prefixes(
            PrefixesJob(probe=probe, code_digest="p"), chains=self.chains, out=self.prefixes
        )
        derive_completions(
            self.job(probe),
            model=self.model,
            chains=self.chains,
            prefixes=self.prefixes,
            stored=stored,
            out=out,
        )
        return out

    def reuse(self, probe: ProbeBlock, stored: StoredFiles) -> Path:
        out = self.folder / "reused.jsonl.zst"
        self.cut(probe)
        self.requests = []
        sample_completions(
            self.job(probe),
            model=self.model,
            chains=self.chains,
            prefixes=self.prefixes,
            stored=stored,
            out=out,
            engine=self._recording,
        )
        return out


@pytest.fixture(scope="module", params=[None, THINKING])
def line(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return Pair(tmp_path_factory.mktemp("line"), template=request.param)


def lines(path: Path) -> list[str]:
    return [record.model_dump_json() for record in read_records(path, CompletionRecord)]


@pytest.mark.parametrize("changes", SMALLER)
def test_derived_is_sampled_to_the_byte(line: Pair, changes: dict[str, int]) -> None:
    """Ids, log-probabilities, finish reasons and decoded text; only the header tells them apart."""
    block, source = probe_block(**changes), probe_block()
    derived = line.derive(block, line.under(source))
    line.sample(block)
    assert lines(derived) == lines(line.completions)
    assert read_header(derived).derived_from == source
    assert read_header(line.completions).derived_from is None


@pytest.mark.parametrize("changes", LARGER)
def test_partly_reused_is_sampled_to_the_byte(line: Pair, changes: dict[str, object]) -> None:
    block, source = probe_block(**changes), probe_block(cap=2)
    reused = line.reuse(block, line.under(source))
    asked = sum(request.n for request in line.requests)
    line.sample(block)
    assert lines(reused) == lines(line.completions)
    assert 0 < asked < sum(request.n for request in line.requests)
    assert read_header(reused).derived_from == source


def test_more_samples_ask_for_the_missing_ones_alone(line: Pair) -> None:
    """m = 6 from m = 3: at every prefix the last three, sample j with the prefix's seed + j."""
    line.reuse(probe_block(m=6), line.under(probe_block(m=3)))
    assert {request.n for request in line.requests} == {3}


def test_what_the_stored_block_lacks_is_refused(line: Pair) -> None:
    stored = line.under(probe_block(m=3))
    with pytest.raises(DataError, match="does not hold all that the block needs"):
        line.derive(probe_block(m=4), stored)
    with pytest.raises(DataError, match="no sample there answers"):
        line.reuse(probe_block(cue="\n\nFinal answer:"), stored)


def test_completions_of_other_chains_are_refused(line: Pair, tmp_path: Path) -> None:
    other = Pair(tmp_path / "other", texts=["How many?"] * 6)
    with pytest.raises(DataError, match="sampled from other chains"):
        line.derive(probe_block(m=2), other.under(probe_block()))
