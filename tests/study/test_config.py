"""What a study may say, and the one line that answers each thing it may not."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from cot_entropy.base.errors import ConfigError
from cot_entropy.study.config import configuration, read_configuration

ROOT = Path(__file__).parents[2]
STUDY = ROOT / "config/study.yaml"
DEMO = ROOT / "config/demo.yaml"


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The registered study as a mapping that a test may break."""
    monkeypatch.chdir(ROOT)
    values: dict[str, Any] = yaml.safe_load(STUDY.read_text())
    return values


def refused(values: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as caught:
        configuration(values, source="study.yaml")
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_the_study_is_four_models_on_two_datasets(study: dict[str, Any]) -> None:
    """R26: 8 cells."""
    cells = configuration(study, source="study.yaml").study.cells
    assert len(cells) == 8
    assert cells[0] == "qwen2.5-7b/gsm8k"


def test_the_registered_blocks_hold_the_papers_values(study: dict[str, Any]) -> None:
    """Protocol section 2: T=0.7, m=5, 150 tokens, cap 8, eps 0.01."""
    blocks = configuration(study, source="study.yaml").protocols
    probe, scoring = blocks.probe["registered"], blocks.scoring["registered"]
    assert (probe.segmentation, probe.cap, probe.m) == ("blank_lines", 8, 5)
    assert (probe.temperature, probe.budget, scoring.eps) == (0.7, 150, 0.01)
    assert blocks.chain["registered"].temperature == 0.7
    assert blocks.chain["registered"].system_prompt == (
        "Solve the problem step by step. Write each reasoning step on its own line. "
        "Give the final answer at the end."
    )


def test_a_variant_differs_in_what_it_says_and_nothing_else(study: dict[str, Any]) -> None:
    """`based_on` fills the rest of a block."""
    blocks = configuration(study, source="study.yaml").protocols
    merged, registered = blocks.probe["cap_merge"], blocks.probe["registered"]
    assert merged == registered.model_copy(update={"cap_policy": "merge"})


def test_the_demo_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default configuration passes its own checks."""
    monkeypatch.chdir(ROOT)
    assert read_configuration(DEMO).study.engine.device == "cpu"


def test_an_unknown_key_is_named(study: dict[str, Any]) -> None:
    study["engine"]["dtyp"] = "bfloat16"
    assert refused(study) == "study.yaml: engine.dtyp: unknown key"


def test_a_wrong_type_is_named_with_what_was_given(study: dict[str, Any]) -> None:
    study["seed"] = "one"
    assert refused(study).startswith("study.yaml: seed: ")
    assert "'one'" in refused(study)


def test_a_mistyped_key_is_named_before_the_one_that_is_missing(study: dict[str, Any]) -> None:
    study["sead"] = study.pop("seed")
    assert refused(study).startswith("study.yaml: sead: unknown key")


def test_an_unpinned_model_is_refused(study: dict[str, Any]) -> None:
    study["models"]["qwen2.5-7b"]["revision"] = "main"
    assert "models.qwen2.5-7b" in refused(study)
    assert "revision" in refused(study)


def test_an_unpinned_dataset_is_refused(study: dict[str, Any]) -> None:
    study["datasets"]["gsm8k"]["revision"] = "main"
    assert "datasets.gsm8k" in refused(study)


def test_a_key_is_named_as_it_stands_in_the_file(study: dict[str, Any]) -> None:
    """Without the `hub` that pydantic puts between the dataset's name and its key."""
    study["datasets"]["gsm8k"]["revison"] = study["datasets"]["gsm8k"].pop("revision")
    assert refused(study).startswith("study.yaml: datasets.gsm8k.revison: unknown key")


def test_a_source_that_is_none_says_which_there_are(study: dict[str, Any]) -> None:
    study["datasets"]["gsm8k"]["source"] = "hugging"
    assert refused(study).startswith(
        "study.yaml: datasets.gsm8k: 'source' `hugging` is none of 'embedded', 'hub', 'local'"
    )


def test_a_plan_that_is_not_there(study: dict[str, Any]) -> None:
    study["plan"] = "preregistration/nope.yaml"
    assert refused(study) == "study.yaml: plan: preregistration/nope.yaml: no such file"


def test_only_must_name_a_cell(study: dict[str, Any]) -> None:
    study["only"] = ["qwen2.5-7b/gsm9k"]
    message = refused(study)
    assert "no cell `qwen2.5-7b/gsm9k`" in message
    assert "qwen2.5-7b/gsm8k" in message


def test_an_unknown_protocol_is_named_with_those_known(study: dict[str, Any]) -> None:
    study["protocol"] = "registred"
    assert "protocol: no protocol `registred`; known: registered" in refused(study)


def test_an_unknown_block_is_named(study: dict[str, Any], tmp_path: Path) -> None:
    blocks = yaml.safe_load((ROOT / "config/protocols.yaml").read_text())
    blocks["protocols"]["registered"]["probe"] = "registred"
    path = tmp_path / "protocols.yaml"
    path.write_text(yaml.safe_dump(blocks, sort_keys=False))
    study["protocols"] = str(path)
    assert "no probe block `registred`" in refused(study)


def test_a_name_that_would_leave_the_results_folder_is_refused(study: dict[str, Any]) -> None:
    """Names become folders, so they hold no slash and do not start with a dot."""
    for name in ("../x", "a/b", ".hidden", ""):
        broken = {**study, "models": {name: next(iter(study["models"].values()))}}
        assert "models" in refused(broken)


def test_a_name_of_a_results_folder_is_refused(study: dict[str, Any]) -> None:
    study["models"] = {"inputs": study["models"]["qwen2.5-7b"]}
    assert "models.inputs" in refused(study)


def test_a_broken_yaml_file_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("study: demo\nseed: [1,\n")
    with pytest.raises(ConfigError, match=r"broken\.yaml:3: "):
        read_configuration(path)


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """The last one would win, without a word."""
    path = tmp_path / "twice.yaml"
    path.write_text("study: demo\nseed: 5\nseed: 6\n")
    with pytest.raises(ConfigError, match=r"twice\.yaml:3: key `seed` stands twice"):
        read_configuration(path)


def test_deep_nesting_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "deep.yaml"
    path.write_text("a: " + "[" * 3000)
    with pytest.raises(ConfigError, match=r"deep\.yaml: nested too deeply"):
        read_configuration(path)


def test_a_key_that_is_no_text_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "list.yaml"
    path.write_text("study: demo\n? [a, b]\n: 1\n")
    with pytest.raises(ConfigError, match=r"list\.yaml:2: "):
        read_configuration(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        read_configuration(tmp_path / "none.yaml")


def test_yaml_that_builds_objects_is_refused(tmp_path: Path) -> None:
    """Configuration files of others run no code."""
    path = tmp_path / "evil.yaml"
    path.write_text("study: !!python/object/apply:os.system ['true']\n")
    with pytest.raises(ConfigError, match="evil"):
        read_configuration(path)
