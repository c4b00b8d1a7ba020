"""The whole estimate: offline, before a run and after it."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest
from rich.console import Console
from tests.generation import model_folder

from cot_entropy.base.errors import ConfigError
from cot_entropy.base.files import sha256_file
from cot_entropy.estimate.assumptions import Assumptions, read_assumptions
from cot_entropy.estimate.figures import Estimate
from cot_entropy.estimate.predict import estimate
from cot_entropy.estimate.table import render
from cot_entropy.formats.run_summary import RunSummary, write_summary
from cot_entropy.generate.prompts import ChatTokenizer
from cot_entropy.study.config import Configuration, configuration, read_configuration

ROOT = Path(__file__).parents[2]
CONFIG = {
    "model_type": "llama",
    "eos_token_id": 0,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "hidden_size": 32,
}


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In the project's folder, with an empty hub cache and no way out."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("socket.socket.connect", None)


@pytest.fixture
def figures() -> Assumptions:
    return read_assumptions()


def study(folder: Path, **engine: object) -> Configuration:
    """Three questions on a folder that says what its cache holds."""
    model = model_folder(folder / "model")
    (model / "config.json").write_text(json.dumps(CONFIG))
    (model / "model.safetensors").write_bytes(b"0" * 2_000_000)
    data = folder / "data.jsonl"
    texts = ["How many apples?", "What is 2 and 2?", "Why?"]
    data.write_text("".join(json.dumps({"question": t, "answer": "1"}) + "\n" for t in texts))
    values = {
        "study": "tiny",
        "seed": 1,
        "plan": "preregistration/plan.yaml",
        "engine": {"device": "cpu", "max_model_len": 2048, "cpu_cache_gb": 1, **engine},
        "models": {"tiny": {"source": "local", "path": str(model)}},
        "datasets": {
            "data": {
                "source": "local",
                "path": str(data),
                "sha256": sha256_file(data),
                "answer": "number",
            }
        },
    }
    return configuration(values, source="test")


def test_the_registered_study_is_estimated_without_the_hub(
    figures: Assumptions, tmp_path: Path
) -> None:
    """8 cells and 7,276 records (R26), and every note says what was assumed."""
    found = estimate(read_configuration(Path("config/study.yaml")), figures, tmp_path)
    assert len(found.cells) == 8
    assert sum(cell.questions for cell in found.cells) == 7276
    assert len(found.files) == 8 * (2 + 5)
    assert all(any("assumed: " in note for note in cell.notes) for cell in found.cells)
    assert found.warnings == ["no GPU on this machine: an idle NVIDIA A40 was assumed"]


def test_an_a40_on_qwen(figures: Assumptions, tmp_path: Path) -> None:
    """0.2 of 149.7e12 operations per second, two for each of 7,615,616,512 parameters."""
    found = estimate(read_configuration(Path("config/study.yaml")), figures, tmp_path)
    speed = found.tokens_per_second["Qwen/Qwen2.5-7B-Instruct"]
    assert speed == pytest.approx(0.2 * 149.7e12 / (2 * 7_615_616_512), abs=0.1)
    cell = found.cells[0].predicted
    starts = 7 * 120 / 3600
    assert cell.start_hours == pytest.approx(starts)
    assert cell.hours == pytest.approx(cell.generated_tokens / speed / 3600 + starts, rel=1e-3)


def test_prompts_are_counted_where_a_tokenizer_is_here(
    figures: Assumptions, tmp_path: Path
) -> None:
    config = study(tmp_path)
    found = estimate(config, figures, tmp_path / "results")
    tokenizer = ChatTokenizer(
        tmp_path / "model", config.protocols.chain["registered"].system_prompt
    )
    texts = ["How many apples?", "What is 2 and 2?", "Why?"]
    mean = sum(len(tokenizer.prompt(text)) for text in texts) / 3
    assert found.cells[0].prompt_tokens == round(mean)
    assert "prompts: counted with the model's tokenizer" in found.cells[0].notes


def test_each_variant_is_priced(figures: Assumptions, tmp_path: Path) -> None:
    """The registered dependence study: what needs no token costs nothing, chains of 512 tokens
    cost less than those of 2,048, and the parts are the whole."""
    found = estimate(read_configuration(Path("config/dependence.yaml")), figures, tmp_path)
    tokens = {one.protocol: one.predicted.generated_tokens for one in found.protocols}
    assert next(iter(tokens)) == "registered"
    assert len(tokens) == 13
    assert {name for name, count in tokens.items() if not count} == {
        "cap_16",
        "cap_4",
        "chain_outcome",
    }
    assert 0 < tokens["budget_512"] < tokens["budget_2048"]
    assert tokens["seed_1"] == tokens["seed_2"] == tokens["registered"]
    assert sum(tokens.values()) == found.total.generated_tokens


def test_the_parts_make_the_whole(figures: Assumptions, tmp_path: Path) -> None:
    found = estimate(read_configuration(Path("config/demo.yaml")), figures, tmp_path)
    assert found.total.generated_tokens == sum(
        one.predicted.generated_tokens for one in found.files
    )
    assert found.total.hours == pytest.approx(sum(cell.predicted.hours for cell in found.cells))
    assert found.disk_bytes > found.storage_bytes


def test_a_dataset_that_nobody_knows_says_how_to_fetch_it(
    figures: Assumptions, tmp_path: Path
) -> None:
    nothing = figures.model_copy(update={"datasets": {}})
    with pytest.raises(ConfigError, match=r"openai/gsm8k is not on this machine; fetch it with"):
        estimate(read_configuration(Path("config/study.yaml")), nothing, tmp_path)


def test_a_local_model_that_is_not_there_is_named(figures: Assumptions, tmp_path: Path) -> None:
    config = study(tmp_path)
    shutil.rmtree(tmp_path / "model")
    with pytest.raises(ConfigError, match=r"models\.\w+: .*/model: no such folder"):
        estimate(config, figures, tmp_path / "results")


def test_a_model_that_nobody_knows_says_how_to_fetch_it(
    figures: Assumptions, tmp_path: Path
) -> None:
    nothing = figures.model_copy(update={"models": {}})
    with pytest.raises(ConfigError, match=r"Qwen2.5-7B-Instruct is not on this machine"):
        estimate(read_configuration(Path("config/study.yaml")), nothing, tmp_path)


def test_too_large_a_cache_is_warned_of(figures: Assumptions, tmp_path: Path) -> None:
    found = estimate(study(tmp_path, cpu_cache_gb=1_000_000), figures, tmp_path / "results")
    assert [warning.split(":")[0] for warning in found.warnings] == ["memory"]


def finished(results: Path) -> Estimate:
    """An estimate with the first file of its cell finished: 500 tokens in 36 s."""
    config = study(results.parent)
    out = results / "tiny/data/registered/chains.jsonl.zst"
    out.parent.mkdir(parents=True)
    out.write_bytes(b"")
    summary = RunSummary(
        stage="chains",
        questions=3,
        questions_resumed=0,
        questions_failed=0,
        attempts=1,
        engine_starts=1,
        restarts=0,
        generated_tokens=500,
        prompt_tokens_computed=60,
        prompt_tokens_reused=0,
        wall_seconds=36.0,
        start_seconds=9.0,
        busy_share=0.9,
    )
    write_summary(out, summary)
    return estimate(config, read_assumptions(), results)


def test_actual_figures_stand_beside_the_predicted(tmp_path: Path) -> None:
    chains, completions = finished(tmp_path / "results").files
    assert completions.actual is None
    assert chains.actual is not None
    assert (chains.actual.generated_tokens, chains.actual.hours) == (500, 0.01)
    assert chains.predicted.generated_tokens == 3 * 300


def test_the_table_shows_both(tmp_path: Path) -> None:
    """900 tokens predicted (3 chains of 300), 500 generated."""
    console = Console(width=140, file=io.StringIO())
    with console.capture() as shown:
        console.print(render(finished(tmp_path / "results")))
    text = shown.get()
    assert "900 -> 500 (0.56)" in text
    assert "in all" in text
