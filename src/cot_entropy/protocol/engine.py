"""How the engine runs: device, precision, batch and memory. Nothing here is part of a protocol."""

from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field

from cot_entropy.base.strict import Strict

EngineName = Literal["vllm", "scripted"]
Device = Literal["cpu", "cuda"]


class Fill(Strict):
    """How full the device is made, and how: settings that cannot change what a token means.

    A run may go on with others; each attempt records its own.
    """

    max_num_seqs: Annotated[int, Field(ge=1)] = 64
    """Sequences computed in one batch at most."""
    max_num_batched_tokens: Annotated[int, Field(ge=16)] | None = None
    """Tokens in one batch at most; null for the engine's own choice (on a CPU: max_model_len)."""
    memory_share: Annotated[float, Field(gt=0, le=1)] = 0.9
    """Share of the device's memory for weights and cache (CPU: `cpu_cache_gb` instead)."""
    cpu_cache_gb: Annotated[int, Field(ge=1)] = 4
    """GiB of memory for the cache on a CPU."""
    enforce_eager: bool = False
    """Skip compilation, which costs over a minute on a CPU."""
    in_process: bool = False
    """Run engine and front end in one process: on two CPU cores, faster and no child to orphan."""
    stall_timeout_s: Annotated[int, Field(ge=1)] = 600
    """Seconds without a finished request or token before the engine counts as stalled."""


FILL: Final = frozenset(Fill.model_fields)


class EngineSettings(Fill):
    """The same code path on every device; only these settings differ."""

    name: EngineName = "vllm"
    """`scripted` is a stand-in for tests: its name is in every header and in the report."""
    device: Device
    """`cuda` needs an NVIDIA GPU and the GPU lock; `cpu` the CPU lock."""
    dtype: Literal["bfloat16", "float16", "float32"] = "bfloat16"
    """Precision of weights and arithmetic, the same for all models."""
    max_model_len: Annotated[int, Field(ge=16)] = 4096
    """Tokens of prompt and response together."""
    tensor_parallel_size: Annotated[int, Field(ge=1)] = 1
    """Devices that hold one copy of the model together."""
    batch_invariant: bool = False
    """Use vLLM's batch-invariant kernels where the device has them; slower."""
    top_logprobs: Annotated[int, Field(ge=0, le=20)] = 0
    """Most probable tokens whose log-probabilities are kept at each position of a chain, for the
    signal token_entropy; 0 for none. Changes no token."""

    @property
    def fill(self) -> Fill:
        """How full it makes the device."""
        return Fill.model_validate(self.model_dump(include=set(FILL)))

    def filled(self, fill: Fill) -> Self:
        """The same engine with the device filled in another way."""
        return self.model_copy(update=fill.model_dump())

    def binding(self) -> dict[str, Any]:
        """The settings that a token rests on."""
        return self.model_dump(mode="json", exclude=set(FILL))


def differences(fills: Iterable[Fill]) -> str:
    """Where some ways to fill a device differ, as `memory_share 0.8, 0.9`; empty for one way."""
    dumped = [fill.model_dump() for fill in fills]
    values = {name: {str(one[name]) for one in dumped} for name in Fill.model_fields}
    return "; ".join(
        f"{name} {', '.join(sorted(found))}" for name, found in values.items() if len(found) > 1
    )
