"""Train the demo's LoRA adapter on generated problems (two CPU cores, half an hour).

    python -m tools.train_demo_model build/adapter

The run is seeded and can be stopped: it goes on from its last checkpoint. The loss is the
cross-entropy (nats per token) of the worked solution and its end-of-text token; the prompt, in
the tokenizer's chat template under the registered system prompt, carries no loss.
"""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import torch
import typer
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from cot_entropy.base.errors import ModelError
from cot_entropy.base.files import write_text
from cot_entropy.data import latex, wordproblems
from cot_entropy.data.generate import Stratum, strata, take
from cot_entropy.data.questions import Problem
from cot_entropy.model.bundled import prepare

SYSTEM_PROMPT: Final = (
    "Solve the problem step by step. Write each reasoning step on its own line. "
    "Give the final answer at the end."
)
BASE: Final = "HuggingFaceTB/SmolLM2-135M-Instruct"
WORD_STEPS: Final = 4  # longer stories cost most of the time and are not asked in the demo
WINDOW: Final = 4  # batches among which problems are sorted by length, to pad less
CHECKPOINT_EVERY: Final = 10


@dataclass(frozen=True)
class Recipe:
    """What decides the adapter, with this module's code and the base weights."""

    steps: int = 240
    batch: int = 8
    learning_rate: float = 1e-3
    warmup: int = 10
    decay: int = 50
    rank: int = 8
    alpha: int = 16
    weight_decay: float = 0.0
    clip: float = 1.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Example:
    """Token ids of a prompt with its worked solution; the loss begins at `prompt`."""

    ids: tuple[int, ...]
    prompt: int


def training_problems(recipe: Recipe) -> tuple[Problem, ...]:
    """The run's problems: one half word problems, one half LaTeX, all strata in equal shares."""
    half = recipe.steps * recipe.batch // 2
    words = wordproblems.problems(seed=recipe.seed, split="train", kinds=_every(WORD_STEPS))
    exercises = latex.problems(seed=recipe.seed, split="train", kinds=_every(latex.MAX_STEPS))
    pairs = zip(take(words, half), take(exercises, half), strict=True)
    return tuple(problem for pair in pairs for problem in pair)


def _every(max_steps: int) -> tuple[Stratum, ...]:
    return strata(
        steps=tuple(range(1, max_steps + 1)), sizes=("small", "large"), distractors=("no", "yes")
    )


def encode(tokenizer: Any, problem: Problem) -> Example:
    """One problem in the tokenizer's chat template, ended by the end-of-text token."""
    messages = [
        {"role": "system", "content": SYSTEM_PROMPT},
        {"role": "user", "content": problem.question.text},
    ]
    prompt = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=False)
    answer = tokenizer.encode(problem.solution, add_special_tokens=False)
    return Example((*prompt, *answer, tokenizer.eos_token_id), len(prompt))


def batches(examples: tuple[Example, ...], recipe: Recipe) -> list[tuple[Example, ...]]:
    """The batches of the run, each of problems of like length, in a seeded order."""
    rng = random.Random(f"batches/{recipe.seed}")  # noqa: S311 - reproducible, not secret
    result = []
    size = recipe.batch * WINDOW
    for start in range(0, len(examples), size):
        window = sorted(examples[start : start + size], key=lambda item: len(item.ids))
        cut = [tuple(window[at : at + recipe.batch]) for at in range(0, len(window), recipe.batch)]
        rng.shuffle(cut)
        result += cut
    return result


def learning_rate(recipe: Recipe, step: int) -> float:
    """Linear warm-up, constant, then a cosine to zero over the last steps; `step` from 0.

    Until the decay begins nothing depends on the number of steps: a run can be made longer or
    shorter while it is on.
    """
    warm = min(1.0, (step + 1) / recipe.warmup)
    decayed = max(0.0, step - (recipe.steps - recipe.decay)) / recipe.decay
    return recipe.learning_rate * warm * 0.5 * (1 + math.cos(math.pi * decayed))


def adapted(base: Path, recipe: Recipe) -> PeftModel:
    """The base model in bfloat16 with a fresh float32 adapter on all of its linear layers."""
    torch.manual_seed(recipe.seed)
    config = LoraConfig(
        r=recipe.rank,
        lora_alpha=recipe.alpha,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    causal = AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16)
    return get_peft_model(causal, config).train()


def batch_loss(model: PeftModel, batch: tuple[Example, ...]) -> torch.Tensor:
    """Mean cross-entropy over the solution tokens of a batch, in nats per token.

    Padding stands on the right, where causal attention keeps it from every real token. The
    output layer, the widest of this model, sees the solution positions only.
    """
    width = max(len(item.ids) for item in batch)
    ids = torch.zeros(len(batch), width, dtype=torch.long)
    scored = torch.zeros(len(batch), width, dtype=torch.bool)
    for row, item in enumerate(batch):
        ids[row, : len(item.ids)] = torch.tensor(item.ids)
        scored[row, item.prompt : len(item.ids)] = True
    causal = model.get_base_model()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden = causal.model(input_ids=ids, use_cache=False)[0]
        logits = causal.lm_head(hidden[:, :-1][scored[:, 1:]])
    return torch.nn.functional.cross_entropy(logits.float(), ids[:, 1:][scored[:, 1:]])


def same_start(first: Recipe, second: Recipe, *, done: int) -> bool:
    """Whether two runs are the same in their first `done` steps: lengths may differ later."""
    shared = min(first.steps, second.steps) - first.decay
    return first == second or (replace(first, steps=second.steps) == second and done <= shared)


class Checkpoint:
    """Adapter and optimiser state in safetensors, and the losses so far, in one folder."""

    def __init__(self, folder: Path, recipe: Recipe) -> None:
        self._folder = folder
        self._recipe = recipe

    def save(self, parameters: dict[str, Any], optimiser: Any, losses: list[float]) -> None:
        """Write the state after `len(losses)` steps; the record of it is replaced last."""
        self._folder.mkdir(parents=True, exist_ok=True)
        tensors = {}
        for name, parameter in parameters.items():
            state = optimiser.state[parameter]
            tensors[f"weight/{name}"] = parameter.detach().contiguous()
            tensors[f"first/{name}"] = state["exp_avg"]
            tensors[f"second/{name}"] = state["exp_avg_sq"]
        name = f"step-{len(losses):05d}.safetensors"
        save_file(tensors, self._folder / name)
        record = {"recipe": asdict(self._recipe), "tensors": name, "losses": losses}
        write_text(self._folder / "state.json", json.dumps(record) + "\n")
        for old in self._folder.glob("step-*.safetensors"):
            if old.name != name:
                old.unlink()

    def load(self, parameters: dict[str, Any], optimiser: Any) -> list[float]:
        """Restore the state in place and return the losses so far; none where none was saved.

        Raises ModelError where the folder holds the state of another recipe.
        """
        state = self._folder / "state.json"
        if not state.exists():
            return []
        record = json.loads(state.read_text())
        losses: list[float] = record["losses"]
        if not same_start(Recipe(**record["recipe"]), self._recipe, done=len(losses)):
            raise ModelError(f"{state}: belongs to another recipe; delete the folder or use it")
        tensors = load_file(self._folder / record["tensors"])
        for name, parameter in parameters.items():
            parameter.data.copy_(tensors[f"weight/{name}"])
            optimiser.state[parameter] = {
                "step": torch.tensor(float(len(losses))),
                "exp_avg": tensors[f"first/{name}"],
                "exp_avg_sq": tensors[f"second/{name}"],
            }
        return losses


def train(base: Path, out: Path, recipe: Recipe) -> Iterator[tuple[int, float]]:
    """Train and write the adapter to `out`; yield (steps done, loss) after each step."""
    tokenizer = AutoTokenizer.from_pretrained(base)
    run = batches(
        tuple(encode(tokenizer, problem) for problem in training_problems(recipe)), recipe
    )
    model = adapted(base, recipe)
    parameters = {name: item for name, item in model.named_parameters() if item.requires_grad}
    optimiser = torch.optim.AdamW(
        parameters.values(), lr=recipe.learning_rate, weight_decay=recipe.weight_decay
    )
    checkpoint = Checkpoint(out / "checkpoint", recipe)
    losses = checkpoint.load(parameters, optimiser)
    for step in range(len(losses), recipe.steps):
        for group in optimiser.param_groups:
            group["lr"] = learning_rate(recipe, step)
        loss = batch_loss(model, run[step])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters.values(), recipe.clip)
        optimiser.step()
        optimiser.zero_grad()
        losses.append(float(loss.detach()))
        if len(losses) % CHECKPOINT_EVERY == 0 or len(losses) == recipe.steps:
            checkpoint.save(parameters, optimiser, losses)
        yield len(losses), losses[-1]
    model.to(torch.bfloat16)
    model.peft_config["default"].base_model_name_or_path = BASE
    model.save_pretrained(out, save_embedding_layers=False)  # else it asks the hub for the base
    record = {"recipe": asdict(recipe), "losses": [round(value, 4) for value in losses]}
    write_text(out / "training.json", json.dumps(record, indent=1) + "\n")


def main(out: Path, steps: int = Recipe.steps, seed: int = Recipe.seed) -> None:
    """Train the adapter into `out`; a line of progress for every step."""
    torch.set_num_threads(2)
    base = prepare("smollm2-135m", Path("models/smollm2-135m"))
    recipe = Recipe(steps=steps, seed=seed)
    began, first = time.monotonic(), None
    for done, loss in train(base, out, recipe):
        first = done if first is None else first
        pace = (time.monotonic() - began) / (done - first + 1)
        left = pace * (steps - done) / 60
        typer.echo(f"step {done}/{steps}  loss {loss:.3f}  {pace:.1f} s/step  {left:.0f} min left")


if __name__ == "__main__":
    typer.run(main)
