"""The production engine: vLLM, fed one request at a time, on a CPU or on GPUs.

The same code runs on every device; only `EngineSettings` differ. This is the one module that
imports vLLM, and it sets vLLM's environment before it does.
"""

from __future__ import annotations

import logging
import os
import warnings
from pathlib import Path
from typing import Any, Final, cast

from cot_entropy.base.errors import DeviceError, ModelError
from cot_entropy.engine.base import (
    BackendLostError,
    CacheUsage,
    Finished,
    FinishReason,
    Output,
    Request,
    RequestRejectedError,
)
from cot_entropy.engine.flat_logprobs import most_probable, sampled
from cot_entropy.engine.gpu_node import check_compiler, check_driver
from cot_entropy.engine.orphans import adopt_children
from cot_entropy.engine.start_errors import collected, root_cause
from cot_entropy.protocol.engine import EngineSettings

QUIET: Final = {
    "VLLM_LOGGING_LEVEL": "ERROR",
    "TORCH_CPP_LOG_LEVEL": "ERROR",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    # compiled with nvcc at first use, for top-k and top-p, which no request here asks for
    "VLLM_USE_FLASHINFER_SAMPLER": "0",
}
CPU_BLOCK_TOKENS: Final = 32
"""Tokens per prefix-cache block on a CPU. Only whole blocks are found again, and vLLM's own 128 is
longer than many prompts here; its CPU kernels want a multiple of 32."""
BATCH_INVARIANT_CAPABILITY: Final = 90


def check_device(settings: EngineSettings) -> None:
    """Raise DeviceError unless this machine and this build of vLLM can run the settings."""
    platform = _platform(settings)
    if settings.device == "cuda":
        _check_node()
    if settings.batch_invariant and (
        settings.device == "cpu" or not platform.has_device_capability(BATCH_INVARIANT_CAPABILITY)
    ):
        raise DeviceError(
            "engine.batch_invariant: vLLM has this mode on GPUs of compute capability 9.0 or "
            "later only (H100, H200, B200); set it to false"
        )


class VllmBackend:
    """One running vLLM engine on the model in a local folder."""

    def __init__(self, settings: EngineSettings, folder: Path) -> None:
        """Load the model; raises DeviceError or ModelError in one line."""
        check_device(settings)
        adopt_children()
        from vllm.engine.arg_utils import EngineArgs  # noqa: PLC0415
        from vllm.v1.engine.llm_engine import LLMEngine  # noqa: PLC0415

        with collected() as causes:
            try:
                self._engine: Any = LLMEngine.from_engine_args(
                    EngineArgs(**_arguments(settings, folder))
                )
            except (OSError, ValueError, RuntimeError) as error:
                raise start_error(error, settings, folder, root_cause(causes)) from error
        self._closed = False

    def add(self, request: Request) -> None:
        """Queue a request; vLLM's own objection becomes RequestRejectedError."""
        from vllm import SamplingParams  # noqa: PLC0415
        from vllm.exceptions import VLLMClientError  # noqa: PLC0415
        from vllm.inputs.engine import tokens_input  # noqa: PLC0415
        from vllm.sampling_params import RequestOutputKind  # noqa: PLC0415
        from vllm.v1.engine.exceptions import EngineDeadError  # noqa: PLC0415

        try:
            parameters = SamplingParams(
                n=request.n,
                seed=request.seed,
                temperature=request.temperature,
                max_tokens=request.max_tokens,
                logprobs=request.top_logprobs,
                flat_logprobs=True,
                detokenize=False,
                output_kind=RequestOutputKind.FINAL_ONLY,
            )
            self._engine.add_request(request.id, tokens_input(request.prompt_token_ids), parameters)
        except (VLLMClientError, ValueError) as error:
            raise RequestRejectedError(_first_line(error)) from None
        except EngineDeadError as error:
            raise BackendLostError(_first_line(error)) from error

    def step(self) -> list[Finished]:
        """One pass of the model over the current batch."""
        from vllm.v1.engine.exceptions import EngineDeadError  # noqa: PLC0415

        try:
            outputs = self._engine.step()
        except (EngineDeadError, RuntimeError) as error:
            raise BackendLostError(_first_line(error)) from error
        return [_finished(one) for one in outputs if one.finished]

    def cache_usage(self) -> CacheUsage:
        """Prefix-cache counters from vLLM's own metrics."""
        counted = {
            metric.name: int(metric.value)
            for metric in self._engine.get_metrics()
            if metric.name in {"vllm:prefix_cache_queries", "vllm:prefix_cache_hits"}
        }
        return CacheUsage(
            queried=counted.get("vllm:prefix_cache_queries", 0),
            reused=counted.get("vllm:prefix_cache_hits", 0),
        )

    def close(self) -> None:
        """Shut the engine and its processes down."""
        if not self._closed:
            self._closed = True
            self._engine.engine_core.shutdown()


def _check_node() -> None:
    """Raise DeviceError for a driver too old for torch, or where no C compiler is found."""
    from torch.version import cuda  # noqa: PLC0415
    from vllm.third_party import pynvml  # noqa: PLC0415

    pynvml.nvmlInit()
    try:
        check_driver(int(pynvml.nvmlSystemGetCudaDriverVersion()), cuda)
    finally:
        pynvml.nvmlShutdown()
    check_compiler()


def _platform(settings: EngineSettings) -> Any:
    os.environ.update(QUIET)
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0" if settings.in_process else "1"
    os.environ["VLLM_BATCH_INVARIANT"] = "1" if settings.batch_invariant else "0"
    if settings.device == "cpu":
        os.environ["VLLM_CPU_KVCACHE_SPACE"] = str(settings.cpu_cache_gb)
        os.environ["VLLM_CPU_NUM_OF_RESERVED_CPU"] = "0"
    warnings.filterwarnings("ignore", category=FutureWarning, module=r"vllm\.")
    for noisy in ("vllm", "torch.utils.cpp_extension"):
        logging.getLogger(noisy).setLevel(logging.ERROR)
    try:
        from vllm.platforms import current_platform  # noqa: PLC0415
    except ImportError as error:
        raise DeviceError(
            f"vLLM cannot be imported ({_first_line(error)}); install requirements/cpu.txt or "
            "requirements/gpu.txt"
        ) from None
    if settings.device == "cuda" and not current_platform.is_cuda():
        raise DeviceError(
            "engine.device is cuda, but this machine has no usable NVIDIA GPU or vLLM is its CPU "
            "build; set engine.device to cpu, or install requirements/gpu.txt on a GPU machine"
        )
    if settings.device == "cpu" and not current_platform.is_cpu():
        raise DeviceError(
            "engine.device is cpu, but vLLM is its GPU build; install requirements/cpu.txt, or "
            "set engine.device to cuda"
        )
    return current_platform


def _arguments(settings: EngineSettings, folder: Path) -> dict[str, Any]:
    """Settings as vLLM's engine arguments.

    Without chunked prefill every prompt must fit into one batch; with it, per-request seeds kill
    vLLM's CPU engine.
    """
    common: dict[str, Any] = {
        "model": str(folder),
        "tokenizer": str(folder),
        # a full Mistral snapshot holds its weights a second time, in another format
        "config_format": "hf",
        "load_format": "safetensors",
        "tokenizer_mode": "hf",
        "trust_remote_code": False,
        "dtype": settings.dtype,
        "seed": 0,
        "max_model_len": settings.max_model_len,
        "max_num_seqs": settings.max_num_seqs,
        "max_num_batched_tokens": settings.max_num_batched_tokens,
        "tensor_parallel_size": settings.tensor_parallel_size,
        "enable_prefix_caching": True,
        "enforce_eager": settings.enforce_eager,
        "use_tqdm_on_load": False,
        "disable_log_stats": False,
    }
    if settings.device == "cuda":
        return {**common, "gpu_memory_utilization": settings.memory_share}
    batched = max(settings.max_num_batched_tokens or 0, settings.max_model_len)
    return {
        **common,
        "block_size": CPU_BLOCK_TOKENS,
        "enable_chunked_prefill": False,
        "max_num_batched_tokens": batched,
    }


def _finished(output: Any) -> Finished:
    reasons = {one.finish_reason for one in output.outputs}
    if not reasons <= {"stop", "length"}:
        return Finished(output.request_id, error=f"ended by the engine: {sorted(reasons)}")
    samples = sorted(output.outputs, key=lambda one: one.index)
    return Finished(
        output.request_id,
        tuple(
            Output(
                token_ids=list(one.token_ids),
                logprobs=sampled(one.logprobs),
                finish_reason=cast(FinishReason, one.finish_reason),
                top_logprobs=most_probable(one.logprobs),
            )
            for one in samples
        ),
    )


def start_error(
    error: Exception, settings: EngineSettings, folder: Path, cause: str = ""
) -> DeviceError | ModelError:
    """What stopped vLLM's start, as one line that names the setting to change.

    `cause` is what its engine process logged; vLLM's own error then says only that it failed.
    """
    reason = cause[:300] or _first_line(error)
    if isinstance(error, OSError):
        return ModelError(f"{folder}: the model cannot be loaded ({reason})")
    said = f"{cause} {error}".lower()
    if isinstance(error, MemoryError) or "memory" in said:
        key = "cpu_cache_gb" if settings.device == "cpu" else "memory_share"
        return DeviceError(
            f"the engine did not start for lack of memory ({reason}); lower engine.{key} or "
            "engine.max_model_len, or free the device"
        )
    if "compiler" in said or "nvcc" in said:
        return DeviceError(
            f"the engine did not start: it could not compile a kernel ({reason}); install a C "
            "compiler, or set engine.enforce_eager to true"
        )
    if "safetensors" in said or "headertoo" in said or cause.startswith(("OSError", "FileNot")):
        return ModelError(f"{folder}: the model cannot be loaded ({reason}); fetch it again")
    return DeviceError(
        f"the engine did not start on {folder} ({reason}); check engine.max_model_len, "
        "engine.dtype and the model folder"
    )


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    skip = "validation error"
    useful = [line for line in lines if skip not in line]
    return (useful or lines or [type(error).__name__])[0][:300]
