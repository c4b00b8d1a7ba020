"""The `model` stage: from where a model comes from to a folder that is ready to load.

Every source ends in a local folder, so that all later stages load every model the same way and
no other stage reaches the hub.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
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
INDEX: Final = "model.safetensors.index.json"
CONFIGURATION: Final = ("config.json", "generation_config.json")
"""Rope scaling, end-of-text ids: they change tokens as weights do."""

log = logging.getLogger(__name__)


def prepare_model(job: ModelJob, *, out: Path) -> None:
    """Fetch or build the model's folder and write its manifest.

    Raises ModelError where the folder or the hub does not give weights in safetensors, all of
    them, a tokenizer and a chat template, and where they are not those that the config pins.
    """
    source, folder = locate(job.model)
    hashes = (weights_sha256(folder), tokenizer_sha256(folder), chat_template_sha256(folder))
    pinned = pinned_revision(job.model)
    if isinstance(job.model, LocalModel):
        found = combined_sha256(*hashes, *configuration_sha256(folder))
        if pinned not in {None, found}:
            raise ModelError(
                f"{folder}: sha256 of weights, tokenizer, chat template and configuration is "
                f"{found}, the config pins {pinned}; restore the folder, or change `sha256`"
            )
        pinned = found
    if isinstance(job.model, HubModel):
        _check_weights(job.name, job.model, hashes[0])
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
        raise _unreached(model, error) from None
    return Path(folder)


def _unreached(model: HubModel, error: Exception) -> ModelError:
    """What stopped a download: this machine's disk, or the hub."""
    number = getattr(error, "errno", None)
    if number in {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS}:
        reason = error.strerror if isinstance(error, OSError) else error
        return ModelError(
            f"{model.id}: the download cannot be stored ({reason}); free space in the cache of the "
            "hub, or let HF_HOME name a folder on a larger disk"
        )
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return ModelError(
        f"{model.id}: the hub cannot be reached ({reason}); download revision {model.revision} "
        "elsewhere and give its folder with `source: local`"
    )


def _check_weights(name: str, model: HubModel, found: str) -> None:
    if model.weights_sha256 is None:
        log.info(
            "%s: weights as found; to pin them, add below its revision:  weights_sha256: %s",
            name,
            found,
        )
    elif model.weights_sha256 != found:
        raise ModelError(
            f"{model.id}: sha256 of the weights is {found}, the config pins "
            f"{model.weights_sha256}; delete revision {model.revision} from the cache of the hub "
            "and run again"
        )


def weights_sha256(folder: Path) -> str:
    """One sha256 over the names and contents of a folder's weights.

    These are the files that its index names, or else every safetensors file but
    `consolidated*`. Raises ModelError where there are none or the index names one that is absent.
    """
    files = weight_files(folder)
    if not files:
        where = f"{folder}: no weights" if folder.is_dir() else f"{folder}: no such folder"
        raise ModelError(f"{where}; a model is a folder with *.safetensors, tokenizer and template")
    lines = "".join(f"{path.name} {sha256_file(path)}\n" for path in files)
    return hashlib.sha256(lines.encode()).hexdigest()


def weight_files(folder: Path) -> list[Path]:
    """The files of a folder that hold its weights, sorted; raises ModelError naming absent ones."""
    there = {path.name: path for path in folder.glob("*.safetensors")}
    index = folder / INDEX
    if not index.is_file():
        return [there[name] for name in sorted(there) if not name.startswith("consolidated")]
    try:
        named = sorted(set(json.loads(index.read_bytes())["weight_map"].values()))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ModelError(f"{index}: is no index of weights; fetch the model again") from None
    absent = [name for name in named if name not in there]
    if absent:
        raise ModelError(
            f"{folder}: {len(absent)} of {len(named)} files of weights are missing "
            f"({', '.join(map(str, absent[:3]))}); fetch the model again"
        )
    return [there[name] for name in named]


def configuration_sha256(folder: Path) -> list[str]:
    """The sha256 of each configuration file that a folder holds, in the order of their names."""
    return [sha256_file(path) for name in CONFIGURATION if (path := folder / name).is_file()]


def tokenizer_sha256(folder: Path) -> str:
    """The sha256 of a folder's fast tokenizer."""
    path = folder / TOKENIZER
    if not path.is_file():
        raise ModelError(f"{path}: no such file; save the fast tokenizer beside the weights")
    return sha256_file(path)


def chat_template_sha256(folder: Path) -> str:
    """The sha256 of the chat template that the tokenizer loads with."""
    template = PreTrainedTokenizerFast.from_pretrained(folder, local_files_only=True).chat_template
    if isinstance(template, dict):  # a named list; the prompt is made by this one
        template = template.get("default")
    if not isinstance(template, str):
        raise ModelError(
            f"{folder}: no chat template; add chat_template.jinja, or use a chat model"
        )
    return hashlib.sha256(template.encode()).hexdigest()
