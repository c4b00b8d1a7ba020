"""Ways to generate the same completions; each starts an engine and then works on demand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

from common.prepare import Prompt, Work, model_folder, read_prompts
from cot_entropy.engine.stream import Engine
from cot_entropy.generate import completions
from cot_entropy.protocol.probe import CompletionsJob

Way = Callable[[Work], Callable[[], int]]
"""Starts an engine; what it returns does the work once and says how many tokens came out."""


def pipeline(work: Work) -> Callable[[], int]:
    from cot_entropy.engine.vllm import VllmBackend  # noqa: PLC0415

    # started once, as the other ways' tokenizers are
    tokenizer = cache(completions.ChatTokenizer)
    completions.ChatTokenizer = tokenizer  # type: ignore[assignment, misc]

    class Kept(VllmBackend):
        """An engine that the next repeat uses again."""

        def close(self) -> None:
            return

    backend = Kept(work.settings, Path(model_folder(work)))
    job = CompletionsJob(probe=work.probe, engine=work.settings, code_digest="none")

    def run() -> int:
        backend._engine.reset_prefix_cache()
        return completions.sample_completions(
            job,
            model=work.folder / "model.json",
            chains=work.folder / "chains.jsonl.zst",
            prefixes=work.folder / "prefixes.jsonl.zst",
            out=work.folder / "completions.jsonl.zst",
            engine=lambda settings, _: Engine(lambda: backend, settings),
        ).generated_tokens

    return run


def language_model(work: Work, **changes: Any) -> Any:
    """vLLM's `LLM` with the pipeline's settings; `changes` go over them."""
    from cot_entropy.engine.vllm import CPU_BLOCK_TOKENS, check_device  # noqa: PLC0415

    check_device(work.settings)  # sets the same environment
    from vllm import LLM  # noqa: PLC0415

    folder = model_folder(work)
    values = {
        "dtype": work.settings.dtype,
        "max_model_len": work.settings.max_model_len,
        "max_num_seqs": work.settings.max_num_seqs,
        "max_num_batched_tokens": work.settings.max_model_len,
        "enable_chunked_prefill": False,
        "enforce_eager": True,
        "block_size": CPU_BLOCK_TOKENS,
        "seed": 0,
        **changes,
    }
    return LLM(model=folder, tokenizer=folder, **values)


def generated(outputs: Any) -> int:
    return sum(len(one.token_ids) for output in outputs for one in output.outputs)


def generate(model: Any, work: Work, prompts: list[Prompt], **sampling: Any) -> int:
    """One `generate` call; the tokens that came out."""
    from vllm import SamplingParams, TokensPrompt  # noqa: PLC0415

    parameters = [
        SamplingParams(
            n=work.probe.m,
            temperature=work.probe.temperature,
            max_tokens=work.probe.budget,
            seed=one.seed,
            **sampling,
        )
        for one in prompts
    ]
    inputs = [TokensPrompt(prompt_token_ids=one.token_ids) for one in prompts]
    return generated(model.generate(inputs, parameters, use_tqdm=False))


def one_call(work: Work, **sampling: Any) -> Callable[[], int]:
    model, prompts = language_model(work), read_prompts(work)

    def run() -> int:
        model.reset_prefix_cache()
        return generate(model, work, prompts, **sampling)

    return run


def one_call_with_logprobs(work: Work) -> Callable[[], int]:
    """The sampled tokens' log-probabilities too, which every record of the pipeline holds."""
    return one_call(work, logprobs=0)


def per_question(work: Work) -> Callable[[], int]:
    model, prompts = language_model(work, enable_prefix_caching=False), read_prompts(work)
    questions = sorted({one.question for one in prompts})

    def run() -> int:
        groups = [[one for one in prompts if one.question == number] for number in questions]
        return sum(generate(model, work, group) for group in groups)

    return run


def with_transformers(work: Work) -> Callable[[], int]:
    import torch  # noqa: PLC0415
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415

    folder = model_folder(work)
    tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="left")
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16)
    prompts = read_prompts(work)[: work.part]
    batch = tokenizer.pad({"input_ids": [one.token_ids for one in prompts]}, return_tensors="pt")
    length = batch["input_ids"].shape[1]

    def run() -> int:
        torch.manual_seed(prompts[0].seed % 2**32)
        with torch.inference_mode():
            out = model.generate(
                **batch,
                do_sample=True,
                temperature=work.probe.temperature,
                top_k=0,
                num_return_sequences=work.probe.m,
                max_new_tokens=work.part_tokens,
                pad_token_id=tokenizer.pad_token_id,
            )
        ended = (out[:, length:] == tokenizer.eos_token_id).cumsum(dim=1)
        return int((ended == 0).sum() + (ended > 0).any(dim=1).sum())

    return run


WAYS: Final[dict[str, Way]] = {
    "pipeline": pipeline,
    "one call": one_call,
    "one call, with log-probabilities": one_call_with_logprobs,
    "per question": per_question,
    "transformers": with_transformers,
}
