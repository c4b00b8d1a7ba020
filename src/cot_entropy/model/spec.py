"""Where a model comes from: the hub at a pinned revision, a local folder, or the package itself."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cot_entropy.strict import Strict

Revision = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
HubId = Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")]


class HubModel(Strict):
    """A model on the hub; the revision is a commit, so that the weights cannot change."""

    source: Literal["hub"]
    id: HubId
    """Its name on the hub, as `Qwen/Qwen2.5-7B-Instruct`."""
    revision: Revision
    """The commit: 40 hexadecimal digits."""


class LocalModel(Strict):
    """A folder with safetensors weights, tokenizer and chat template."""

    source: Literal["local"]
    path: Annotated[str, Field(min_length=1)]
    """The folder, from the project's root."""


class BundledModel(Strict):
    """A small model made from what installed packages carry; see the model card."""

    source: Literal["bundled"]
    name: Literal["smollm2-135m", "smollm2-135m-demo"]
    """The model as it comes, or with this project's adapter merged in."""


ModelSpec = Annotated[HubModel | LocalModel | BundledModel, Field(discriminator="source")]


class ModelJob(Strict):
    """What one model's preparation depends on."""

    name: str
    model: ModelSpec
    code_digest: str
