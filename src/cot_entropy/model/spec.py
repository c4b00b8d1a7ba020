"""Where a model comes from: the hub at a pinned revision, a local folder, or the package itself.

What fixes its content is its revision, whatever the source: see `pinned_revision`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field

from cot_entropy.base.strict import LocalPath, Strict

Revision = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
HubId = Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]

HASHED_FILES: Final = (
    "*.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    "chat_template.jinja",
    "config.json",
    "generation_config.json",
)
"""What of a folder decides its weights, tokenizer, chat template and configuration."""

BundledName = Literal["smollm2-135m", "smollm2-135m-demo"]
GGUF_SHA256: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
ADAPTER_SHA256: Final = "38b6a619f325d8228c10bf673d8a95de2d85123cbc58f1696a09740e65f6eb53"
BUNDLED_FILES: Final[Mapping[BundledName, tuple[str, ...]]] = {
    "smollm2-135m": (GGUF_SHA256,),
    "smollm2-135m-demo": (GGUF_SHA256, ADAPTER_SHA256),
}
"""sha256 of the files that each bundled model is made from."""


class HubModel(Strict):
    """A model on the hub; the revision is a commit, so that the weights cannot change."""

    source: Literal["hub"]
    id: HubId
    """Its name on the hub, as `Qwen/Qwen2.5-7B-Instruct`."""
    revision: Revision
    """The commit: 40 hexadecimal digits."""
    weights_sha256: Sha256 | None = None
    """What the weights must hash to; a first run without it prints the line to add."""


class LocalModel(Strict):
    """A folder with safetensors weights, tokenizer and chat template."""

    source: Literal["local"]
    path: LocalPath
    """The folder, from the project's root."""
    sha256: Sha256 | None = None
    """What weights, tokenizer, template and configuration together must hash to; a freeze needs it.

    A run without it prints it, as `revision` in `inputs/<model>.model.json`.
    """


class BundledModel(Strict):
    """A small model made from what installed packages carry; see the model card."""

    source: Literal["bundled"]
    name: BundledName
    """The model as it comes, or with this project's adapter merged in."""


ModelSpec = Annotated[HubModel | LocalModel | BundledModel, Field(discriminator="source")]


class ModelJob(Strict):
    """What one model's preparation depends on."""

    name: str
    model: ModelSpec
    code_digest: str


def pinned_revision(model: ModelSpec) -> str | None:
    """What fixes a model's content, as far as its entry in the config says; None if nothing does.

    The hub's commit; the sha256 that a folder must have; that of the files of a bundled model.
    """
    match model:
        case HubModel():
            return model.revision
        case LocalModel():
            return model.sha256
        case BundledModel():
            return combined_sha256(*BUNDLED_FILES[model.name])


def combined_sha256(*hashes: str) -> str:
    """One sha256 over several, in order: that of the hexadecimal digests, one a line."""
    return hashlib.sha256("".join(f"{one}\n" for one in hashes).encode()).hexdigest()
