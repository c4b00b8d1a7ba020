"""What is short of memory or disk, decided from figures alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.generation import scripted_settings

from cot_entropy.base.errors import ModelError
from cot_entropy.engine.capacity import (
    GIB,
    Free,
    ModelShape,
    Need,
    free_here,
    least_device_bytes,
    shape_of_folder,
    shortages,
)
from cot_entropy.protocol.engine import EngineSettings

CPU = scripted_settings(name="vllm", cpu_cache_gb=4)
GPU = scripted_settings(name="vllm", device="cuda", memory_share=0.9, max_model_len=4096)
QWEN = ModelShape(parameters=7_615_616_512, cached_values=28_672)


def found(settings: EngineSettings, need: Need, free: Free) -> list[str]:
    return shortages(need, free, settings)


def test_enough_of_everything_is_no_warning() -> None:
    need = Need(disk_bytes=GIB, device_bytes=6 * GIB)
    assert found(CPU, need, Free(disk_bytes=GIB, device_bytes=6 * GIB)) == []


def test_a_disk_too_small_says_both_sizes() -> None:
    need = Need(disk_bytes=3 * GIB, device_bytes=0)
    (warning,) = found(CPU, need, Free(disk_bytes=GIB, device_bytes=GIB))
    assert warning.startswith("disk: 3.0 GiB needed, 1.0 GiB free;")


def test_memory_too_small_names_the_setting() -> None:
    need = Need(disk_bytes=0, device_bytes=7 * GIB)
    (warning,) = found(CPU, need, Free(disk_bytes=1, device_bytes=6 * GIB))
    assert "7.0 GiB needed, 6.0 GiB available; lower engine.cpu_cache_gb" in warning


def test_a_gpu_that_others_use_is_refused_by_vllm() -> None:
    """0.9 of 48 GiB is more than the 40 that are free, whatever the model needs."""
    free = Free(disk_bytes=1, device_bytes=40 * GIB, device_total=48 * GIB)
    (warning,) = found(GPU, Need(disk_bytes=0, device_bytes=20 * GIB), free)
    assert "engine.memory_share 0.9 takes 43.2 GiB, 40.0 GiB free" in warning


def test_a_gpu_too_small_for_the_model() -> None:
    """Of 16 GiB, 14.4 are taken; 7.6 billion parameters in bfloat16 alone need 14.2."""
    need = Need(disk_bytes=0, device_bytes=least_device_bytes(GPU, QWEN))
    free = Free(disk_bytes=1, device_bytes=16 * GIB, device_total=16 * GIB)
    (warning,) = found(GPU, need, free)
    assert "gives 14.4 GiB; raise it or engine.tensor_parallel_size" in warning


def test_a_device_that_cannot_be_asked_is_no_warning() -> None:
    need = Need(disk_bytes=0, device_bytes=99 * GIB)
    assert found(GPU, need, Free(disk_bytes=1, device_bytes=None)) == []


def test_least_memory_of_a_gpu() -> None:
    """Two bytes for each parameter and each of 4,096 x 28,672 cached values, and 2 GiB."""
    assert least_device_bytes(GPU, QWEN) == 2 * 7_615_616_512 + 2 * 4096 * 28_672 + 2 * GIB


def test_two_gpus_share_weights_and_cache() -> None:
    two = scripted_settings(name="vllm", device="cuda", tensor_parallel_size=2, max_model_len=4096)
    assert least_device_bytes(two, QWEN) == 7_615_616_512 + 4096 * 28_672 + 2 * GIB


def test_a_cpu_sets_its_cache_aside() -> None:
    assert least_device_bytes(CPU, QWEN) == 2 * 7_615_616_512 + 6 * GIB


def test_float32_takes_twice_the_memory() -> None:
    settings = scripted_settings(dtype="float32")
    assert QWEN.weights_bytes(settings) == 4 * 7_615_616_512


def test_the_shape_of_a_folder(tmp_path: Path) -> None:
    """SmolLM2-135M: 30 layers, 3 key-value heads of 64, keys and values: 11,520."""
    config = {"num_hidden_layers": 30, "num_attention_heads": 9, "hidden_size": 576}
    (tmp_path / "config.json").write_text(json.dumps({**config, "num_key_value_heads": 3}))
    (tmp_path / "model.safetensors").write_bytes(b"0" * 200)
    assert shape_of_folder(tmp_path) == ModelShape(parameters=100, cached_values=11_520)


def test_without_grouped_heads_every_head_is_cached(tmp_path: Path) -> None:
    config = {"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 32}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert shape_of_folder(tmp_path).cached_values == 2 * 2 * 4 * 8


@pytest.mark.parametrize("text", ["{}", "[1]", "{", '{"num_attention_heads": 0, "hidden_size": 1}'])
def test_a_config_that_describes_no_decoder_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ModelError, match=r"config\.json: does not describe a decoder"):
        shape_of_folder(tmp_path)


def test_this_machine_can_be_asked(tmp_path: Path) -> None:
    """Also for a results folder that is not there yet."""
    free = free_here(CPU, tmp_path / "results" / "study")
    assert free.disk_bytes > 0
    assert free.device_bytes is not None
    assert free.device_bytes > 0
