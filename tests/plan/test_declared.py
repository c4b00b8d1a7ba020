"""Every setting that can reach a token is declared, with the value that the study has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from cot_entropy.plan.differences import read_differences
from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Plan
from cot_entropy.study.config import Configuration, read_configuration

ROOT = Path(__file__).parents[2]
DECLARED = read_differences(ROOT / "preregistration/differences.yaml")
SETTINGS = [item for one in DECLARED.differences for item in one.settings.items()] + [
    *DECLARED.as_published.items()
]


@pytest.fixture(scope="module")
def study() -> Configuration:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return read_configuration(ROOT / "config/study.yaml")


@pytest.fixture(scope="module")
def plan() -> Plan:
    return load_plan(ROOT / "preregistration/plan.yaml").plan


def configured(study: Configuration) -> dict[str, Any]:
    """Every field of the registered blocks and of the engine, by `<block>.<field>`."""
    names = study.protocols.protocols[study.study.protocol]
    blocks = {
        "chain": study.protocols.chain[names.chain],
        "probe": study.protocols.probe[names.probe],
        "scoring": study.protocols.scoring[names.scoring],
        "engine": study.study.engine,
    }
    found = {
        f"{block}.{field}": value
        for block, settings in blocks.items()
        for field, value in settings.model_dump().items()
    }
    return {name: value for name, value in found.items() if name != "engine.stall_timeout_s"}


def test_every_field_is_declared_once(study: Configuration) -> None:
    """A new field of a block or of the engine is declared, or this fails."""
    names = [name for name, _ in SETTINGS]
    assert sorted(names) == sorted(set(names))
    assert set(configured(study)) - set(names) == set()


@pytest.mark.parametrize(
    ("name", "value"),
    [item for item in SETTINGS if not item[0].startswith(("release.", "sampling."))],
)
def test_a_declared_value_is_the_studys(study: Configuration, name: str, value: object) -> None:
    """Those of the release and of vLLM's sampling defaults are compared below."""
    assert configured(study)[name] == value


def test_the_declared_release_is_the_one_that_the_lock_pins() -> None:
    pinned = re.search(r"^vllm==(\S+)", (ROOT / "requirements/gpu.txt").read_text(), re.MULTILINE)
    assert pinned is not None
    assert dict(SETTINGS)["release.vllm"] == pinned[1]


def test_the_declared_sampling_is_vllms_default() -> None:
    """No block names these, and the engine is asked with vLLM's defaults."""
    vllm = pytest.importorskip("vllm.sampling_params", reason="vLLM is not installed")
    defaults = vllm.SamplingParams()
    found = {
        name.partition(".")[2]: value for name, value in SETTINGS if name.startswith("sampling.")
    }
    assert found == {name: getattr(defaults, name) for name in found}
    assert len(found) == 6


def test_a_models_generation_config_changes_no_sampling_value() -> None:
    """What vLLM takes from it is the end-of-text tokens."""
    vllm = pytest.importorskip("vllm.sampling_params", reason="vLLM is not installed")
    asked = vllm.SamplingParams(temperature=0.7, seed=1)
    asked.update_from_generation_config(
        {"top_p": 0.8, "top_k": 20, "repetition_penalty": 1.05, "eos_token_id": [7, 9]}, 7
    )
    assert (asked.top_p, asked.top_k, asked.repetition_penalty) == (1.0, 0, 1.0)
    assert asked.stop_token_ids == [9]


def test_plan_and_blocks_agree(study: Configuration, plan: Plan) -> None:
    """The plan's own m and eps are those of the blocks that it registers."""
    found = configured(study)
    assert (found["probe.m"], found["scoring.eps"]) == (plan.m, plan.eps)


def test_registered_variants_are_protocols_of_one_changed_factor(
    study: Configuration, plan: Plan
) -> None:
    """Each E13 variant differs from the registered protocol in one block, by one field or two."""
    (entry,) = (one for one in plan.exploratory if one.estimator == "variants")
    blocks = study.protocols
    own = blocks.protocols["registered"]
    fields = {
        "segmentation": {"segmentation"},
        "unit_cap": {"cap", "cap_policy"},
        "outcome": {"outcome"},
        "chain_budget": {"budget"},
        "decoding_run": {"seed"},
    }
    for factor in entry.params.factors:
        for name in factor.variants:
            names = blocks.protocols[name]
            changed = {
                field
                for kind in ("chain", "probe", "scoring")
                for field, value in getattr(blocks, kind)[getattr(names, kind)]
                if value != getattr(getattr(blocks, kind)[getattr(own, kind)], field)
            }
            assert changed
            assert changed <= fields[factor.factor], name


def test_the_default_study_runs_what_needs_no_new_chains(study: Configuration, plan: Plan) -> None:
    """config/study.yaml: the registered variants on the registered chains, each named once."""
    (entry,) = (one for one in plan.exploratory if one.estimator == "variants")
    chains = {name: study.protocols.protocols[name].chain for name in entry.params.variants}
    same = [name for name, chain in chains.items() if chain == "registered"]
    assert study.study.variants == same
    assert len(same) == 8


def test_the_dependence_study_is_the_default_one_with_every_registered_variant(plan: Plan) -> None:
    """config/dependence.yaml: same cells, same results folder, four variants more."""
    (entry,) = (one for one in plan.exploratory if one.estimator == "variants")
    study, dependence = (
        yaml.safe_load((ROOT / f"config/{name}.yaml").read_text())
        for name in ("study", "dependence")
    )
    assert dependence.pop("variants") == list(entry.params.variants)
    study.pop("variants")
    assert dependence == study
