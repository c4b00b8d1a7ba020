"""What generation stages are given."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.generation import model_folder, write_manifest, write_questions

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import write_jsonl
from cot_entropy.formats.inputs import read_dataset, read_model, read_questions


def test_manifest_round_trip(tmp_path: Path) -> None:
    """The folder is read, and is not part of the identity that headers carry."""
    folder = model_folder(tmp_path / "model")
    manifest = read_model(write_manifest(tmp_path / "model.json", folder))
    assert manifest.folder == str(folder)
    assert "folder" not in manifest.identity().model_dump()


def test_missing_manifest_is_one_line(tmp_path: Path) -> None:
    """The message names the file and the step to run."""
    with pytest.raises(DataError, match=r"model.json: no such file; prepare the model"):
        read_model(tmp_path / "model.json")


def test_manifest_with_an_unknown_key_names_it(tmp_path: Path) -> None:
    """Manifests are read as strictly as every other file."""
    path = write_manifest(tmp_path / "model.json", tmp_path)
    path.write_text(path.read_text().replace('"name"', '"nom"'))
    with pytest.raises(DataError, match=r"model.json: (name|nom): "):
        read_model(path)


def test_questions_round_trip(tmp_path: Path) -> None:
    """The first line is the dataset, the others its questions in order."""
    path = write_questions(tmp_path / "q.jsonl.zst", ["one?", "two?"])
    assert read_dataset(path).questions == 2
    assert [(one.id, one.text) for one in read_questions(path)] == [("q0", "one?"), ("q1", "two?")]


def test_a_broken_question_names_its_line(tmp_path: Path) -> None:
    """A missing key is reported with file, line and key."""
    path = write_questions(tmp_path / "q.jsonl.zst", ["one?"])
    dataset = read_dataset(path).model_dump(mode="json")
    write_jsonl(path, [{"record": "dataset", **dataset}, {"id": "q0", "text": "one?"}])
    with pytest.raises(DataError, match=r"q.jsonl.zst:2: gold: Field required"):
        list(read_questions(path))


def test_half_a_surrogate_pair_is_no_text(tmp_path: Path) -> None:
    """JSON can spell text that no tokenizer takes."""
    path = write_questions(tmp_path / "q.jsonl.zst", ["one?"])
    dataset = read_dataset(path).model_dump(mode="json")
    row = {"id": "q0", "text": "one\ud83d?", "gold": "1", "stratum": None}
    write_jsonl(path, [{"record": "dataset", **dataset}, row])
    with pytest.raises(DataError, match=r"q.jsonl.zst:2: text: .*surrogate"):
        list(read_questions(path))


def test_an_empty_questions_file_is_an_error(tmp_path: Path) -> None:
    """Not even a dataset line."""
    write_jsonl(tmp_path / "q.jsonl.zst", [])
    with pytest.raises(DataError, match="empty"):
        read_dataset(tmp_path / "q.jsonl.zst")
