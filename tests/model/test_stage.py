"""What a model's manifest says of its content, and when a folder is refused."""

import errno
import hashlib
import json
import logging
from pathlib import Path

import pytest
from tests.generation import CHATML, model_folder

from cot_entropy.base.errors import ModelError
from cot_entropy.base.files import sha256_file
from cot_entropy.formats.inputs import ModelManifest, read_model
from cot_entropy.model.spec import BundledModel, HubModel, LocalModel, ModelJob, pinned_revision
from cot_entropy.model.stage import download, prepare_model


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
    """One a line: weights (by name and content), tokenizer, template, configuration files."""
    weights = sha256(f"model.safetensors {sha256('weights')}\n")
    tokenizer = sha256_file(folder / "tokenizer.json")
    (folder / "config.json").write_text("{}")
    (folder / "generation_config.json").write_text('{"eos_token_id": 2}')
    hashes = [weights, tokenizer, sha256(CHATML), sha256("{}"), sha256('{"eos_token_id": 2}')]
    expected = sha256("".join(f"{one}\n" for one in hashes))
    assert prepared(folder).revision == expected


def test_a_folder_that_is_the_pinned_one_is_taken(folder: Path) -> None:
    revision = prepared(folder).revision
    assert prepared(folder, revision).revision == revision


@pytest.mark.parametrize(
    "name", ["model.safetensors", "tokenizer.json", "config.json", "generation_config.json"]
)
def test_a_folder_that_is_not_the_pinned_one_is_refused(folder: Path, name: str) -> None:
    """Other weights, or other end-of-text ids, under the same name would answer for them."""
    for configuration in ("config.json", "generation_config.json"):
        (folder / configuration).write_text("{}")
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


def index(folder: Path, *names: str) -> None:
    """An index of weights that names these files."""
    weights = {f"layer.{number}": name for number, name in enumerate(names)}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weights}))


def test_one_of_two_files_of_weights_is_not_enough(folder: Path) -> None:
    """A download that was cut off must not be hashed as if it were the model."""
    index(folder, "model.safetensors", "model-2.safetensors")
    with pytest.raises(ModelError, match=r"1 of 2 files .*missing \(model-2\.safetensors\)"):
        prepared(folder)


def test_a_broken_index_is_one_line(folder: Path) -> None:
    (folder / "model.safetensors.index.json").write_text("[]")
    with pytest.raises(ModelError, match="is no index of weights; fetch the model again"):
        prepared(folder)


@pytest.mark.parametrize("with_index", [True, False])
def test_a_second_format_of_the_same_weights_is_left_out(folder: Path, with_index: bool) -> None:
    """A full Mistral snapshot hashes as the same snapshot without `consolidated*` does."""
    if with_index:
        index(folder, "model.safetensors")
    without = prepared(folder).weights_sha256
    (folder / "consolidated.safetensors").write_bytes(b"the same in another format")
    assert prepared(folder).weights_sha256 == without


def from_hub(folder: Path, monkeypatch: pytest.MonkeyPatch, pinned: str | None) -> None:
    """Prepare the folder as if it were a snapshot from the hub."""
    monkeypatch.setattr("cot_entropy.model.stage.snapshot_download", lambda *_, **__: str(folder))
    model = HubModel(source="hub", id="org/m", revision="a" * 40, weights_sha256=pinned)
    prepare_model(ModelJob(name="m", model=model, code_digest=""), out=folder.parent / "m.json")


def test_the_first_run_prints_the_line_that_pins_the_weights(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "cot_entropy"):
        from_hub(folder, monkeypatch, None)
    pinned = sha256(f"model.safetensors {sha256('weights')}\n")
    assert f"weights_sha256: {pinned}" in caplog.text
    from_hub(folder, monkeypatch, pinned)


def test_other_weights_than_the_pinned_ones_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelError, match="the config pins 00000"):
        from_hub(folder, monkeypatch, "0" * 64)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "cannot be stored .*HF_HOME"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "cannot be stored .*HF_HOME"),
        (OSError(errno.ENETUNREACH, "Network is unreachable"), "hub cannot be reached"),
        (OSError("Connection refused by proxy"), r"cannot be reached \(Connection refused"),
    ],
)
def test_the_cause_of_a_failed_download_is_kept(
    error: OSError, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk is no hub that cannot be reached."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("cot_entropy.model.stage.snapshot_download", fail)
    with pytest.raises(ModelError, match=words):
        download(HubModel(source="hub", id="org/m", revision="a" * 40))


def test_a_named_list_of_templates_counts_as_its_default(folder: Path) -> None:
    """The prompt is made by `default`; so is the hash."""
    path = folder / "tokenizer_config.json"
    config = json.loads(path.read_text())
    template = config.pop("chat_template", None) or CHATML
    config["chat_template"] = [
        {"name": "default", "template": template},
        {"name": "tool_use", "template": "{{ messages }}"},
    ]
    path.write_text(json.dumps(config))
    (folder / "chat_template.jinja").unlink(missing_ok=True)
    assert prepared(folder).chat_template_sha256 == sha256(template)
