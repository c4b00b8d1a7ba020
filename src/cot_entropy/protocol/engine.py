"""How the engine runs: device, precision, batch and memory. Nothing here is part of a protocol."""

from typing import Annotated, Literal

from pydantic import Field

from cot_entropy.base.strict import Strict

EngineName = Literal["vllm", "scripted"]
Device = Literal["cpu", "cuda"]


class EngineSettings(Strict):
    """The same code path on every device; only these settings differ."""

    name: EngineName = "vllm"
    """`scripted` is a stand-in for tests: its name is in every header and in the report."""
    device: Device
    """`cuda` needs an NVIDIA GPU and the GPU lock; `cpu` the CPU lock."""
    dtype: Literal["bfloat16", "float16", "float32"] = "bfloat16"
    """Precision of weights and arithmetic, the same for all models."""
    max_model_len: Annotated[int, Field(ge=16)] = 4096
    """Tokens of prompt and response together."""
    max_num_seqs: Annotated[int, Field(ge=1)] = 64
    """Sequences computed in one batch at most."""
    max_num_batched_tokens: Annotated[int, Field(ge=16)] | None = None
    """Tokens in one batch at most; null for the engine's own choice (on a CPU: max_model_len)."""
    memory_share: Annotated[float, Field(gt=0, le=1)] = 0.9
    """Share of the device's memory for weights and cache (CPU: `cpu_cache_gb` instead)."""
    cpu_cache_gb: Annotated[int, Field(ge=1)] = 4
    """GiB of memory for the cache on a CPU."""
    tensor_parallel_size: Annotated[int, Field(ge=1)] = 1
    """Devices that hold one copy of the model together."""
    enforce_eager: bool = False
    """Skip compilation, which costs over a minute on a CPU."""
    in_process: bool = False
    """Run engine and front end in one process: on two CPU cores, faster and no child to orphan."""
    batch_invariant: bool = False
    """Use vLLM's batch-invariant kernels where the device has them; slower."""
    top_logprobs: Annotated[int, Field(ge=0, le=20)] = 0
    """Most probable tokens whose log-probabilities are kept at each position of a chain, for the
    signal token_entropy; 0 for none. Changes no token."""
    stall_timeout_s: Annotated[int, Field(ge=1)] = 600
    """Seconds without a finished request or token before the engine counts as stalled."""
