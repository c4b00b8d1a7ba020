"""What a stage says before its engine starts, from the files it is given."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from tests.generation import (
    chain_block,
    chains_job,
    model_folder,
    probe_block,
    scripted_settings,
    write_manifest,
    write_questions,
)
from typer.testing import CliRunner

from cot_entropy.cli import app
from cot_entropy.estimate.before import chains_tokens, completions_tokens, shortages_before
from cot_entropy.formats.records import PrefixRecord, read_records
from cot_entropy.generate.chains import generate_chains
from cot_entropy.generate.prefixes import cut_prefixes
from cot_entropy.protocol.probe import CompletionsJob, PrefixesJob
from cot_entropy.protocol.shard import Shard

SHAPE = {"num_hidden_layers": 30, "num_attention_heads": 9, "hidden_size": 576}
HUGE = 1_000_000
"""GiB of cache that no machine has."""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The manifest of a folder that describes a decoder."""
    folder = model_folder(tmp_path / "model")
    values = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**values, **SHAPE}))
    return write_manifest(tmp_path / "model.json", folder)


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    return write_questions(tmp_path / "questions.jsonl.zst", ["one?", "two?", "three?"])


def test_chains_are_at_most_a_budget_each(questions: Path) -> None:
    job = chains_job(chain=chain_block(budget=200))
    assert chains_tokens(job, questions) == 3 * 200
    half = job.model_copy(update={"shard": Shard(number=1, of=2)})
    assert chains_tokens(half, questions) == 3 * 200 / 2


def test_completions_are_at_most_m_budgets_a_prefix(
    tmp_path: Path, model: Path, questions: Path
) -> None:
    chains, prefixes = tmp_path / "chains.jsonl.zst", tmp_path / "prefixes.jsonl.zst"
    generate_chains(chains_job(), model=model, questions=questions, out=chains)
    probe = probe_block(m=3, budget=60)
    cut_prefixes(PrefixesJob(probe=probe, code_digest="p"), chains=chains, out=prefixes)
    cuts = sum(len(record.ends) for record in read_records(prefixes, PrefixRecord))
    job = CompletionsJob(probe=probe, engine=scripted_settings(), code_digest="c")
    assert completions_tokens(job, prefixes) == cuts * 3 * 60


def test_a_disk_that_will_not_do(tmp_path: Path, model: Path) -> None:
    """A billion billion tokens fit on no disk, ten of them on any."""
    engine = scripted_settings(name="vllm", cpu_cache_gb=1)
    found = shortages_before(engine, model=model, out=tmp_path / "x", tokens=1e18)
    assert [line.split(":")[0] for line in found if "disk" in line] == ["disk"]
    found = shortages_before(engine, model=model, out=tmp_path / "x", tokens=10)
    assert not [line for line in found if "disk" in line]


def test_a_folder_that_says_nothing_is_for_the_engine(tmp_path: Path) -> None:
    """A cache that no machine has is not warned of where the model's shape is unknown."""
    manifest = write_manifest(tmp_path / "other.json", model_folder(tmp_path / "other"))
    engine = scripted_settings(name="vllm", cpu_cache_gb=HUGE)
    assert shortages_before(engine, model=manifest, out=tmp_path / "x", tokens=10) == []


def test_a_stand_in_needs_nothing(tmp_path: Path, model: Path) -> None:
    engine = scripted_settings(cpu_cache_gb=HUGE)
    assert shortages_before(engine, model=model, out=tmp_path / "x", tokens=1e18) == []


def test_the_stage_says_it_before_it_starts(
    tmp_path: Path,
    model: Path,
    questions: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    said: list[str] = []
    monkeypatch.setattr(
        "cot_entropy.generate.chains.generate_chains", lambda *_, **__: said.extend(caplog.messages)
    )
    job = chains_job(engine=scripted_settings(name="vllm", cpu_cache_gb=HUGE))
    out = tmp_path / "chains.jsonl.zst"
    arguments = ["--job", job.model_dump_json(), "--model", model, "--questions", questions]
    with caplog.at_level(logging.WARNING):
        result = CliRunner().invoke(app, ["chains", *map(str, arguments), "--out", str(out)])
    assert result.exit_code == 0, result.output
    (warning,) = said
    assert warning.startswith(f"{out}: may not do: memory: ")
    assert warning.endswith("lower engine.cpu_cache_gb")
