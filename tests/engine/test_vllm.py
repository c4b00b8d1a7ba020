"""The real engine, on the CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from math import exp
from pathlib import Path

import pytest
from tests.generation import chain_block, probe_block, write_manifest, write_questions

from cot_entropy.base.errors import DeviceError, ModelError
from cot_entropy.engine.vllm import check_device, start_error
from cot_entropy.formats.records import (
    ChainRecord,
    CompletionRecord,
    PrefixRecord,
    read_header,
    read_records,
)
from cot_entropy.generate.prompts import ChatTokenizer
from cot_entropy.protocol.engine import EngineSettings

TESTS = Path(__file__).parents[1]
TEXTS = [
    "Ann has 3 apples and buys 4 more. How many apples does she have?",
    "A pen costs 2 dollars. How much do 5 pens cost?",
    "Tom reads 10 pages a day. How many pages does he read in a week?",
    "word " * 600,
]
RUN = """
import sys
from pathlib import Path

from tests.generation import chain_block, probe_block
from tests.engine.test_vllm import settings

from cot_entropy.generate.chains import generate_chains
from cot_entropy.generate.completions import sample_completions
from cot_entropy.generate.prefixes import cut_prefixes
from cot_entropy.protocol.chain import ChainsJob
from cot_entropy.protocol.probe import CompletionsJob, PrefixesJob

folder, inputs = Path(sys.argv[1]), Path(sys.argv[2])
model, questions = inputs / "model.json", inputs / "questions.jsonl.zst"
chains, prefixes = folder / "chains.jsonl.zst", folder / "prefixes.jsonl.zst"
print(generate_chains(
    ChainsJob(
        cell="smollm2/tiny",
        study_seed=1,
        chain=chain_block(budget=80),
        engine=settings(),
        code_digest="c",
    ),
    model=model,
    questions=questions,
    out=chains,
).model_dump_json())
probe = probe_block(segmentation="newlines", cap=3, budget=24)
cut_prefixes(PrefixesJob(probe=probe, code_digest="p"), chains=chains, out=prefixes)
print(sample_completions(
    CompletionsJob(probe=probe, engine=settings(), code_digest="k"),
    model=model,
    chains=chains,
    prefixes=prefixes,
    out=folder / "completions.jsonl.zst",
).model_dump_json())
"""


def settings(**changes: object) -> EngineSettings:
    """The CPU engine in one process, small enough to start quickly."""
    values = {
        "device": "cpu",
        "dtype": "float32",  # processors without AVX-512 emulate bfloat16
        "max_model_len": 512,
        "max_num_seqs": 16,
        "cpu_cache_gb": 1,
        "enforce_eager": True,
        "in_process": True,
        "top_logprobs": 3,
        **changes,
    }
    return EngineSettings.model_validate(values)


def python(code: str, *arguments: Path) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh process, as a stage is run."""
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        env={**os.environ, "PYTHONPATH": f"{TESTS.parent / 'src'}:{TESTS.parent}"},
    )


@pytest.fixture(scope="module")
def inputs(smollm2: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    write_manifest(folder / "model.json", smollm2)
    write_questions(folder / "questions.jsonl.zst", TEXTS)
    return folder


@pytest.fixture(scope="module")
def ran(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of one run in a process of its own."""
    folder = tmp_path_factory.mktemp("run")
    result = python(RUN, folder, inputs)
    assert result.returncode == 0, result.stderr
    (folder / "stderr").write_text(result.stderr)
    return folder


def test_lack_of_memory_names_the_setting_to_lower() -> None:
    """vLLM's and torch's messages about memory become one line, for each device."""
    error = RuntimeError("CUDA out of memory. Tried to allocate 20 GiB\nmore")
    message = str(start_error(error, settings(device="cuda"), Path("m")))
    assert message == (
        "the engine did not start for lack of memory (CUDA out of memory. Tried to allocate "
        "20 GiB); lower engine.memory_share or engine.max_model_len, or free the device"
    )
    assert "engine.cpu_cache_gb" in str(start_error(error, settings(), Path("m")))


def test_a_broken_folder_is_a_model_error() -> None:
    """What vLLM cannot read is the model's fault, not the device's."""
    error = start_error(OSError("no file named model.safetensors"), settings(), Path("m"))
    assert isinstance(error, ModelError)
    assert str(error) == "m: the model cannot be loaded (no file named model.safetensors)"


@pytest.mark.engine
def test_records_fit_the_model(ran: Path, inputs: Path, smollm2: Path) -> None:
    """Prompt, tokens, text, ends and log-probabilities of real chains fit each other."""
    tokenizer = ChatTokenizer(smollm2, chain_block().system_prompt)
    chains = list(read_records(ran / "chains.jsonl.zst", ChainRecord))
    assert [one.question for one in chains] == TEXTS
    for one in chains[:3]:
        assert one.chain is not None
        tokens = one.chain.token_ids
        if one.chain.finish_reason == "stop":
            assert tokenizer.decode(tokens[-1:]) == "<|im_end|>"
            tokens = tokens[:-1]
        else:
            assert len(tokens) == 80
        assert tokenizer.decode(tokens) == one.chain.text
        assert one.token_ends[-1] == len(one.chain.text)
        assert all(value <= 0 for value in one.chain.logprobs)
        assert len(one.chain.logprobs) == len(one.chain.token_ids)


@pytest.mark.engine
def test_the_most_probable_tokens_are_the_models_own(ran: Path) -> None:
    """Three at each position, falling, no more than 1 in sum; a sampled token is one of them or
    less probable than all."""
    chains = list(read_records(ran / "chains.jsonl.zst", ChainRecord))
    for one in chains[:3]:
        assert one.chain is not None
        assert len(one.top_logprobs) == len(one.chain.token_ids)
        for sampled, top in zip(one.chain.logprobs, one.top_logprobs, strict=True):
            assert len(top) == 3
            assert top == sorted(top, reverse=True)
            assert sum(map(exp, top)) <= 1.0005
            assert sampled in top or sampled <= top[-1]


@pytest.mark.engine
def test_a_prompt_too_long_does_not_stop_the_cell(ran: Path) -> None:
    """The last question has a reason in both files, the others have results."""
    chains = list(read_records(ran / "chains.jsonl.zst", ChainRecord))
    completions = list(read_records(ran / "completions.jsonl.zst", CompletionRecord))
    assert [one.error is None for one in chains] == [True, True, True, False]
    assert [one.error is None for one in completions] == [True, True, True, False]


@pytest.mark.engine
def test_every_prefix_has_its_samples(ran: Path) -> None:
    """m completions at each cut, each within its budget, seeds as derived."""
    cuts = list(read_records(ran / "prefixes.jsonl.zst", PrefixRecord))
    completions = list(read_records(ran / "completions.jsonl.zst", CompletionRecord))
    for where, one in list(zip(cuts, completions, strict=True))[:3]:
        assert len(one.prefixes) == len(where.ends)
        for prefix in one.prefixes:
            assert len(prefix.samples) == probe_block().m
            assert all(len(sample.token_ids) <= 24 for sample in prefix.samples)
            assert len({tuple(sample.token_ids) for sample in prefix.samples}) > 1


@pytest.mark.engine
def test_header_names_what_computed_it(ran: Path) -> None:
    """The production engine, its version and the processor stand in the header."""
    engine = read_header(ran / "completions.jsonl.zst").engine
    assert engine.name == "vllm"
    assert engine.version
    assert engine.torch
    assert "cores" in engine.device


@pytest.mark.engine
def test_the_engine_is_quiet(ran: Path) -> None:
    """A good run prints nothing but progress and results."""
    assert (ran / "stderr").read_text() == ""


@pytest.mark.engine
def test_two_fresh_processes_give_the_same_bytes(ran: Path, inputs: Path, tmp_path: Path) -> None:
    """The same configuration in another process: every file is identical."""
    result = python(RUN, tmp_path, inputs)
    assert result.returncode == 0, result.stderr
    for name in ("chains.jsonl.zst", "prefixes.jsonl.zst", "completions.jsonl.zst"):
        assert (tmp_path / name).read_bytes() == (ran / name).read_bytes(), name


@pytest.mark.engine
def test_too_little_memory_is_one_clear_line(smollm2: Path) -> None:
    """A cache larger than any machine: which setting to lower, and no traceback to read."""
    code = (
        "import sys; from pathlib import Path; from tests.engine.test_vllm import settings\n"
        "from cot_entropy.engine.vllm import VllmBackend; from cot_entropy.base.errors import UserError\n"
        "try: VllmBackend(settings(cpu_cache_gb=1_000_000), Path(sys.argv[1]))\n"
        "except UserError as error: print(f'{type(error).__name__}: {error}'); sys.exit(7)"
    )
    result = python(code, smollm2)
    assert result.returncode == 7, result.stderr
    assert result.stdout.splitlines()[-1].startswith("DeviceError: the engine did not start")
    assert "engine.cpu_cache_gb" in result.stdout


@pytest.mark.engine
def test_no_gpu_is_one_clear_line() -> None:
    """A config that wants a GPU says so before anything is loaded."""
    with pytest.raises(DeviceError, match=r"engine.device is cuda, but .* no usable NVIDIA GPU"):
        check_device(settings(device="cuda"))


@pytest.mark.engine
def test_batch_invariance_is_refused_on_a_cpu() -> None:
    """vLLM has the mode on some GPUs only."""
    with pytest.raises(DeviceError, match=r"engine.batch_invariant: .* set it to false"):
        check_device(settings(batch_invariant=True))
