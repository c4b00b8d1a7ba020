"""Which shipped variants start an engine, and where their samples come from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from cot_entropy.study.config import Configuration, Protocol, read_configuration
from cot_entropy.study.reuse import derived_pattern, reseeded, stored_probe

ROOT = Path(__file__).parents[2]
DERIVED = {"m_3", "cap_4", "completion_64"}
PARTLY = {
    "newlines",
    "step_marker",
    "step_marker_only",
    "cap_merge",
    "cap_none",
    "cap_16",
    "completion_300",
}
PARTLY |= {"m_10", "m_20"}


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> Configuration:
    monkeypatch.chdir(ROOT)
    return read_configuration(ROOT / "config/demo.yaml")


def protocols(shipped: Configuration, *names: str) -> list[Protocol]:
    return [shipped.protocols.protocols[name] for name in ("registered", *names)]


def test_every_variant_replaces_one_block_or_is_z26(shipped: Configuration) -> None:
    own = shipped.protocols.protocols["registered"]
    for name, one in shipped.protocols.protocols.items():
        changed = [k for k in ("chain", "probe", "scoring") if getattr(one, k) != getattr(own, k)]
        assert len(changed) == (0 if name == "registered" else 1) or name.startswith("zhao"), name


def test_a_variants_block_changes_one_parameter_of_the_registered_one() -> None:
    """As it stands in the file; the forced answer has a budget of its own, no cap no policy."""
    raw: dict[str, Any] = yaml.safe_load((ROOT / "config/protocols.yaml").read_text())
    paired = {"cap_none", "forced_answer", "robust"}
    for kind in ("chain", "probe", "scoring"):
        for name, block in raw[kind].items():
            if name != "registered" and not name.startswith("zhao"):
                assert block["based_on"] == "registered"
                assert len(block) == (3 if name in paired else 2), name


@pytest.mark.parametrize("name", sorted(DERIVED | PARTLY))
def test_a_variant_takes_samples_from_the_registered_block(
    shipped: Configuration, name: str
) -> None:
    blocks = shipped.protocols.probe
    run = protocols(shipped, name)
    assert stored_probe(run, blocks, chain="registered", probe=name) == "registered"
    matches = re.compile(derived_pattern(run, blocks)).search(f"tiny/sums/registered/{name}")
    assert bool(matches) == (name in DERIVED)


def test_a_forced_answer_is_another_prompt(shipped: Configuration) -> None:
    run = protocols(shipped, "forced_answer")
    blocks = shipped.protocols.probe
    assert stored_probe(run, blocks, chain="registered", probe="forced_answer") is None


def test_the_registered_block_draws_on_nothing(shipped: Configuration) -> None:
    """Though m = 20 holds all its samples."""
    run, blocks = protocols(shipped, "m_20"), shipped.protocols.probe
    assert stored_probe(run, blocks, chain="registered", probe="registered") is None


def test_a_variant_that_holds_everything_is_preferred(shipped: Configuration) -> None:
    """m = 10 from m = 20, where m = 20 is named first."""
    run, blocks = protocols(shipped, "m_20", "m_10"), shipped.protocols.probe
    assert stored_probe(run, blocks, chain="registered", probe="m_10") == "m_20"


def test_nothing_is_shared_between_chains(shipped: Configuration) -> None:
    run, blocks = protocols(shipped, "m_3", "zhao"), shipped.protocols.probe
    assert stored_probe(run, blocks, chain="zhao", probe="zhao") is None
    pattern = re.compile(derived_pattern(run, blocks))
    assert not pattern.search("tiny/sums/zhao/m_3")


def test_without_variants_the_pattern_matches_nothing(shipped: Configuration) -> None:
    pattern = derived_pattern(protocols(shipped), shipped.protocols.probe)
    assert not re.search(pattern, "tiny/sums/registered/registered")


def test_another_seed_alone_is_another_run(shipped: Configuration) -> None:
    known, chains = shipped.protocols.protocols, shipped.protocols.chain
    own = known["registered"]
    assert {name for name in known if reseeded(known[name], own, chains)} == {"seed_1", "seed_2"}
    own = known["zhao"]
    found = {name for name in known if reseeded(known[name], own, chains)}
    assert found == {"zhao_seed_1", "zhao_seed_2"}
