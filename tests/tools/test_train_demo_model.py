"""Training: what it sees, what it scores, and that a stopped run goes on as if it had not."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tests.generation import model_folder
from tools.train_demo_model import (
    Recipe,
    batches,
    encode,
    learning_rate,
    same_start,
    training_problems,
)
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

from cot_entropy.base.errors import ModelError
from cot_entropy.data.generate import split_of
from tools import train_demo_model as training

TINY = Recipe(steps=6, batch=2, warmup=2, decay=2, rank=2, alpha=4)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A Llama of two layers with random weights and a real tokenizer."""
    folder = model_folder(tmp_path / "base")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=2048,
    )
    LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)
    return folder


def test_every_training_problem_is_of_the_training_split() -> None:
    """The split is a property of the text, so none can be asked in an evaluation."""
    problems = training_problems(Recipe())
    assert {split_of(item.question.text) for item in problems} == {"train"}


def test_half_of_the_training_problems_are_latex() -> None:
    """One word problem, one exercise, in turn."""
    problems = training_problems(TINY)
    boxed = [r"\boxed" in item.units[-1] for item in problems]
    assert boxed == [False, True] * (TINY.steps * TINY.batch // 2)


def test_a_longer_run_begins_with_the_batches_of_the_shorter(base: Path) -> None:
    """So that the length can be chosen while a run is on."""
    tokenizer = AutoTokenizer.from_pretrained(base)

    def run(steps: int) -> list[object]:
        recipe = replace(TINY, steps=steps)
        return batches(tuple(encode(tokenizer, item) for item in training_problems(recipe)), recipe)

    assert run(16)[:8] == run(8)


def test_the_loss_begins_at_the_solution(base: Path) -> None:
    """Prompt, then the solution and the end-of-text token."""
    tokenizer = AutoTokenizer.from_pretrained(base)
    problem = training_problems(TINY)[0]
    example = encode(tokenizer, problem)
    response = tokenizer.decode(example.ids[example.prompt :])
    assert response == problem.solution + tokenizer.eos_token
    prompt = tokenizer.decode(example.ids[: example.prompt])
    assert training.SYSTEM_PROMPT in prompt
    assert problem.question.text in prompt
    assert problem.units[-1] not in prompt


def test_the_system_prompt_is_the_registered_one() -> None:
    """The adapter is trained for the prompt that the protocol sends."""
    registered = (
        "Solve the problem step by step. Write each reasoning step on its own line. "
        "Give the final answer at the end."
    )
    assert registered == training.SYSTEM_PROMPT


def test_padding_does_not_change_the_loss(base: Path) -> None:
    """A batch's loss is the mean over its solution tokens, however long the others are."""
    tokenizer = AutoTokenizer.from_pretrained(base)
    examples = [encode(tokenizer, item) for item in training_problems(TINY)[:2]]
    model = training.adapted(base, TINY)
    alone = [training.batch_loss(model, (item,)).item() for item in examples]
    scored = [len(item.ids) - item.prompt for item in examples]
    assert len(examples[0].ids) != len(examples[1].ids)
    expected = sum(a * n for a, n in zip(alone, scored, strict=True)) / sum(scored)
    assert training.batch_loss(model, tuple(examples)).item() == pytest.approx(expected, rel=1e-2)


@pytest.mark.parametrize(
    ("step", "share"),
    [(0, 1 / 10), (9, 1.0), (50, 1.0), (75, 0.5), (99, 0.5 * (1 + math.cos(math.pi * 49 / 50)))],
)
def test_the_learning_rate_warms_up_holds_and_decays(step: int, share: float) -> None:
    """Linear over 10 steps, constant, then a cosine over the last 50 of 100."""
    recipe = Recipe(steps=100, warmup=10, decay=50, learning_rate=1.0)
    assert learning_rate(recipe, step) == pytest.approx(share)


def test_a_stopped_run_ends_with_the_same_adapter(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bit for bit: weights, moments and step count come back from the checkpoint."""
    monkeypatch.setattr(training, "CHECKPOINT_EVERY", 2)
    whole = list(training.train(base, tmp_path / "whole", TINY))
    first = training.train(base, tmp_path / "stopped", TINY)
    for _ in range(5):
        next(first)
    first.close()
    rest = list(training.train(base, tmp_path / "stopped", TINY))
    assert [done for done, _ in rest] == [5, 6]
    assert rest == whole[4:]
    weights = "adapter_model.safetensors"
    assert (tmp_path / "whole" / weights).read_bytes() == (
        tmp_path / "stopped" / weights
    ).read_bytes()


def test_training_lowers_the_loss(base: Path, tmp_path: Path) -> None:
    """Even a random model learns the form of a solution."""
    recipe = replace(TINY, steps=30, learning_rate=0.05)
    losses = [loss for _, loss in training.train(base, tmp_path / "out", recipe)]
    assert sum(losses[-5:]) < sum(losses[:5])


def test_another_recipe_does_not_go_on_from_a_checkpoint(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is named, and left as it is."""
    monkeypatch.setattr(training, "CHECKPOINT_EVERY", 2)
    run = training.train(base, tmp_path / "out", TINY)
    for _ in range(3):
        next(run)
    run.close()
    with pytest.raises(ModelError, match=r"state\.json: belongs to another recipe"):
        next(training.train(base, tmp_path / "out", replace(TINY, seed=1)))


@pytest.mark.parametrize(("done", "same"), [(4, True), (5, False)])
def test_a_run_may_be_lengthened_until_its_decay_begins(done: int, same: bool) -> None:
    """Six steps with a decay of two share their first four with any longer run."""
    assert same_start(TINY, replace(TINY, steps=20), done=done) is same


def test_the_adapter_names_its_base_and_no_folder(base: Path, tmp_path: Path) -> None:
    """A path of this machine would be in every clone."""
    list(training.train(base, tmp_path / "out", TINY))
    text = (tmp_path / "out" / "adapter_config.json").read_text()
    assert "HuggingFaceTB/SmolLM2-135M-Instruct" in text
    assert str(tmp_path) not in text
