"""What a model's manifest says of its content, and when a folder is refused."""

import hashlib
from pathlib import Path

import pytest

from cot_entropy.base.errors import ModelError
from cot_entropy.base.files import sha256_file
from cot_entropy.formats.inputs import ModelManifest, read_model
from cot_entropy.model.spec import BundledModel, HubModel, LocalModel, ModelJob, pinned_revision
from cot_entropy.model.stage import prepare_model
from generation import CHATML, model_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    model_folder(tmp_path / "model")
    (tmp_path / "model/model.safetensors").write_bytes(b"weights")
    return tmp_path / "model"


def prepared(folder: Path, sha256: str | None = None) -> ModelManifest:
    model = LocalModel(source="local", path=str(folder), sha256=sha256)
    out = folder.parent / "model.json"
    prepare_model(ModelJob(name="m", model=model, code_digest=""), out=out)
    return read_model(out)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_the_revision_of_a_folder_is_the_hash_of_what_it_holds(folder: Path) -> None:
    """Of the three hashes, one a line: weights (by name and content), tokenizer, template."""
    weights = sha256(f"model.safetensors {sha256('weights')}\n")
    tokenizer = sha256_file(folder / "tokenizer.json")
    expected = sha256(f"{weights}\n{tokenizer}\n{sha256(CHATML)}\n")
    assert prepared(folder).revision == expected


def test_a_folder_that_is_the_pinned_one_is_taken(folder: Path) -> None:
    revision = prepared(folder).revision
    assert prepared(folder, revision).revision == revision


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_a_folder_that_is_not_the_pinned_one_is_refused(folder: Path, name: str) -> None:
    """Other weights under the same name would answer for the registered ones."""
    revision = prepared(folder).revision
    path = folder / name
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(ModelError, match=f"the config pins {revision}"):
        prepared(folder, revision)


def test_what_pins_each_kind_of_model() -> None:
    """A commit, a folder's hash, the hashes of the files that a bundled model is made from."""
    hub = HubModel(source="hub", id="org/m", revision="a" * 40)
    local = LocalModel(source="local", path="m", sha256="b" * 64)
    plain, demo = (
        BundledModel(source="bundled", name=name) for name in ("smollm2-135m", "smollm2-135m-demo")
    )
    assert pinned_revision(hub) == "a" * 40
    assert pinned_revision(local) == "b" * 64
    assert pinned_revision(LocalModel(source="local", path="m")) is None
    assert pinned_revision(plain) != pinned_revision(demo)
