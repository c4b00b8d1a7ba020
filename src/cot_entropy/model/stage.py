"""The `model` stage: from where a model comes from to a folder that is ready to load.

Every source ends in a local folder, so that all later stages load every model the same way and
no other stage reaches the hub.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from huggingface_hub import snapshot_download
from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError
from transformers import PreTrainedTokenizerFast

from cot_entropy.base.errors import ModelError
from cot_entropy.base.files import copy_file, sha256_file, write_text
from cot_entropy.formats.inputs import ModelManifest, tokenizer_path, write_model_text
from cot_entropy.model.spec import (
    BundledModel,
    HubModel,
    LocalModel,
    ModelJob,
    ModelSpec,
    combined_sha256,
    pinned_revision,
)

MODELS: Final = Path("models")
TOKENIZER: Final = "tokenizer.json"
HUB_FILES: Final = ("*.json", "*.jinja", "tokenizer.model", "model*.safetensors")
"""Not `consolidated.safetensors`, which holds the same weights a second time."""


def prepare_model(job: ModelJob, *, out: Path) -> None:
    """Fetch or build the model's folder and write its manifest.

    Raises ModelError where the folder or the hub does not give weights in safetensors, a
    tokenizer and a chat template, and where a local folder is not the one that the config pins.
    """
    source, folder = locate(job.model)
    hashes = (weights_sha256(folder), tokenizer_sha256(folder), chat_template_sha256(folder))
    pinned = pinned_revision(job.model)
    if isinstance(job.model, LocalModel):
        found = combined_sha256(*hashes)
        if pinned not in {None, found}:
            raise ModelError(
                f"{folder}: sha256 of weights, tokenizer and chat template is {found}, the config "
                f"pins {pinned}; restore the folder, or change `sha256`"
            )
        pinned = found
    manifest = ModelManifest(
        name=job.name,
        source=source,
        revision=pinned or "none",
        weights_sha256=hashes[0],
        tokenizer_sha256=hashes[1],
        chat_template_sha256=hashes[2],
        folder=str(folder),
    )
    write_text(out, write_model_text(manifest))
    if isinstance(job.model, BundledModel):
        # its licence lets it travel, so that an archive's texts can be decoded anywhere
        copy_file(folder / TOKENIZER, tokenizer_path(out.parent, job.name))


def locate(model: ModelSpec) -> tuple[str, Path]:
    """Source and folder of a model, fetched or built if need be."""
    match model:
        case HubModel():
            return f"hub:{model.id}", download(model)
        case LocalModel():
            return "local", Path(model.path)
        case BundledModel():
            # builds with torch, which no other source needs
            from cot_entropy.model.bundled import prepare  # noqa: PLC0415

            return f"bundled:{model.name}", prepare(model.name, MODELS / model.name)


def download(model: HubModel) -> Path:
    """The hub's snapshot at the pinned revision, from the local cache where it is there."""
    try:
        folder = snapshot_download(
            model.id, revision=model.revision, allow_patterns=list(HUB_FILES)
        )
    except GatedRepoError:
        raise ModelError(
            f"{model.id}: gated; accept its licence on the hub and set HF_TOKEN, or give a folder "
            "with `source: local`"
        ) from None
    except RepositoryNotFoundError:
        raise ModelError(
            f"{model.id}: not on the hub, or private; check the id, or set HF_TOKEN"
        ) from None
    except (HfHubHTTPError, OSError) as error:
        raise ModelError(
            f"{model.id}: the hub cannot be reached ({type(error).__name__}); download revision "
            f"{model.revision} elsewhere and give its folder with `source: local`"
        ) from None
    return Path(folder)


def weights_sha256(folder: Path) -> str:
    """One sha256 over the names and contents of a folder's safetensors files."""
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        where = f"{folder}: no weights" if folder.is_dir() else f"{folder}: no such folder"
        raise ModelError(f"{where}; a model is a folder with *.safetensors, tokenizer and template")
    lines = "".join(f"{path.name} {sha256_file(path)}\n" for path in files)
    return hashlib.sha256(lines.encode()).hexdigest()


def tokenizer_sha256(folder: Path) -> str:
    """The sha256 of a folder's fast tokenizer."""
    path = folder / TOKENIZER
    if not path.is_file():
        raise ModelError(f"{path}: no such file; save the fast tokenizer beside the weights")
    return sha256_file(path)


def chat_template_sha256(folder: Path) -> str:
    """The sha256 of the chat template that the tokenizer loads with."""
    template = PreTrainedTokenizerFast.from_pretrained(folder, local_files_only=True).chat_template
    if not isinstance(template, str):
        raise ModelError(
            f"{folder}: no chat template; add chat_template.jinja, or use a chat model"
        )
    return hashlib.sha256(template.encode()).hexdigest()
