"""Whether a device and a disk will do: what a run needs at least, what is free, what is short."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cot_entropy.base.errors import ModelError
from cot_entropy.engine.devices import VISIBLE
from cot_entropy.protocol.engine import EngineSettings

GIB: Final = 2**30
BYTES_PER_VALUE: Final = {"bfloat16": 2, "float16": 2, "float32": 4}
OVERHEAD_BYTES: Final = 2 * GIB
"""Activations, buffers and libraries beside weights and cache; ours, rounded up."""


@dataclass(frozen=True, slots=True)
class ModelShape:
    """What decides a model's memory: its weights, and its cache per token of context."""

    parameters: int
    cached_values: int
    """Keys and values per token, over all layers."""

    def weights_bytes(self, settings: EngineSettings) -> int:
        """Bytes of the weights in the engine's precision, over all devices."""
        return self.parameters * BYTES_PER_VALUE[settings.dtype]

    def cache_bytes(self, settings: EngineSettings, tokens: float) -> int:
        """Bytes of the cache for so many tokens, over all devices."""
        return round(self.cached_values * BYTES_PER_VALUE[settings.dtype] * tokens)


@dataclass(frozen=True, slots=True)
class Free:
    """What this machine has left; None where it cannot be asked."""

    disk_bytes: int
    device_bytes: int | None
    """Of one device; on a CPU the machine's available memory."""
    device_total: int | None = None


@dataclass(frozen=True, slots=True)
class Need:
    """What a run cannot do without."""

    disk_bytes: int
    device_bytes: int
    """On each device: weights, cache, and what stands beside them."""


def shape_of_folder(folder: Path) -> ModelShape:
    """The shape of a model folder, from its config.json and the sizes of its weights.

    Two bytes a parameter, as every model of the study is stored. Raises ModelError where
    config.json does not say what the cache holds.
    """
    path = folder / "config.json"
    try:
        config = json.loads(path.read_bytes())
        heads = config["num_attention_heads"]
        width = config.get("head_dim") or config["hidden_size"] // heads
        kept = config.get("num_key_value_heads", heads)
        cached = 2 * config["num_hidden_layers"] * kept * width
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError) as error:
        raise ModelError(f"{path}: does not describe a decoder ({error!r})") from None
    weights = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
    return ModelShape(parameters=weights // 2, cached_values=cached)


def least_device_bytes(settings: EngineSettings, shape: ModelShape) -> int:
    """What each device must have free for the engine to start.

    On a CPU: weights, the cache that is set aside, and overhead. On a GPU: weights, the cache of
    one sequence of the longest context, and overhead; vLLM refuses to start with less.
    """
    weights = shape.weights_bytes(settings) // settings.tensor_parallel_size
    if settings.device == "cpu":
        return weights + settings.cpu_cache_gb * GIB + OVERHEAD_BYTES
    longest = shape.cache_bytes(settings, settings.max_model_len) // settings.tensor_parallel_size
    return weights + longest + OVERHEAD_BYTES


def shortages(need: Need, free: Free, settings: EngineSettings) -> list[str]:
    """What will not do, one line each with the way out; empty where nothing is known to be short.

    vLLM takes `memory_share` of a GPU's whole memory and refuses to start where less is free.
    """
    found = []
    if need.disk_bytes > free.disk_bytes:
        found.append(
            f"disk: {_size(need.disk_bytes)} needed, {_size(free.disk_bytes)} free; free space, or "
            "let results/ be a link to a larger disk"
        )
    if free.device_bytes is None:
        return found
    if settings.device == "cpu":
        if need.device_bytes > free.device_bytes:
            found.append(
                f"memory: {_size(need.device_bytes)} needed, {_size(free.device_bytes)} available; "
                "lower engine.cpu_cache_gb"
            )
        return found
    total = free.device_bytes if free.device_total is None else free.device_total
    taken = settings.memory_share * total
    if taken > free.device_bytes:
        found.append(
            f"GPU memory: engine.memory_share {settings.memory_share:g} takes {_size(taken)}, "
            f"{_size(free.device_bytes)} free; lower it, or free the device"
        )
    if need.device_bytes > taken:
        found.append(
            f"GPU memory: {_size(need.device_bytes)} needed, engine.memory_share "
            f"{settings.memory_share:g} gives {_size(taken)}; raise it or "
            "engine.tensor_parallel_size, or lower engine.max_model_len"
        )
    return found


def free_here(settings: EngineSettings, results: Path) -> Free:
    """What is free below a results folder that need not exist yet, and on the engine's device."""
    place = results.absolute()
    while not place.exists():
        place = place.parent
    disk = shutil.disk_usage(place).free
    if settings.device == "cuda":
        total, left = _gpu_memory() or (None, None)
        return Free(disk_bytes=disk, device_bytes=left, device_total=total)
    return Free(disk_bytes=disk, device_bytes=_available_memory())


def _available_memory() -> int | None:
    """MemAvailable of proc(5), in bytes."""
    path = Path("/proc/meminfo")
    lines = path.read_text(encoding="ascii").splitlines() if path.is_file() else []
    values = (line.split()[1] for line in lines if line.startswith("MemAvailable:"))
    return next((int(value) * 1024 for value in values), None)


def _gpu_memory() -> tuple[int, int] | None:
    """Whole and free memory in bytes of the first GPU that CUDA may see, by nvidia-smi."""
    query = ["--query-gpu=memory.total,memory.free", "--format=csv,noheader,nounits"]
    if visible := os.environ.get(VISIBLE):
        query.append(f"--id={visible}")
    command = shutil.which("nvidia-smi")
    if command is None:
        return None
    done = subprocess.run([command, *query], capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode or not done.stdout.strip():
        return None
    total, left = (int(value) * 2**20 for value in done.stdout.splitlines()[0].split(","))
    return total, left


def _size(count: float) -> str:
    return f"{count / GIB:.1f} GiB"
