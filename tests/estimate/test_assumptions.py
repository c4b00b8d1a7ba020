"""The figures that an estimate assumes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from cot_entropy.base.errors import ConfigError
from cot_entropy.estimate import assumptions as module
from cot_entropy.estimate.assumptions import read_assumptions

ROOT = Path(__file__).parents[2]
FILE = Path(module.__file__).with_name("assumptions.yaml")


def test_chains_of_z26_take_a_fortieth_of_self_consistency() -> None:
    """12,000 tokens for 40 chains on GSM8K."""
    found = read_assumptions().lengths_of("Qwen/Qwen2.5-7B-Instruct", "number")
    assert found.chain_tokens == 12_000 / 40


def test_the_distilled_model_is_told_from_its_base() -> None:
    found = read_assumptions()
    distilled = found.lengths_of("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "math")
    assert distilled.chain_tokens > found.lengths_of("Qwen/Qwen2.5-7B", "math").chain_tokens


def test_every_figure_names_its_source() -> None:
    def bare(value: object, where: str) -> list[str]:
        if isinstance(value, list):
            return [hit for index, one in enumerate(value) for hit in bare(one, f"{where}.{index}")]
        if not isinstance(value, dict):
            return []
        below = [hit for key, one in value.items() for hit in bare(one, f"{where}.{key}")]
        numbers = any(isinstance(one, int | float) for one in value.values())
        return below + ([where] if numbers and not value.get("source") else [])

    values = yaml.safe_load(FILE.read_text())
    values["prompts"].pop("characters_per_token")  # named by the source of `prompts`
    assert bare(values, "assumptions") == []


def test_the_registered_models_and_datasets_are_known() -> None:
    """So that the study can be estimated where the hub cannot be reached."""
    study = yaml.safe_load((ROOT / "config/study.yaml").read_text())
    found = read_assumptions()
    assert {one["id"] for one in study["models"].values()} <= found.models.keys()
    assert {one["id"] for one in study["datasets"].values()} <= found.datasets.keys()


def test_own_figures_take_their_place(tmp_path: Path) -> None:
    values = yaml.safe_load(FILE.read_text())
    values["throughput"]["ceiling_share"] = 0.5
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(values))
    assert read_assumptions(path).throughput.ceiling_share == 0.5


def test_a_wrong_key_is_named(tmp_path: Path) -> None:
    values = yaml.safe_load(FILE.read_text())
    values["throughput"]["ceiling_share"] = 1.5
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(values))
    with pytest.raises(ConfigError, match=r"mine\.yaml: throughput\.ceiling_share: "):
        read_assumptions(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml: cannot be read"):
        read_assumptions(tmp_path / "none.yaml")
