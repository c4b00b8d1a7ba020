"""How fast completions are generated, against the best case and against what scripts do.

The same questions, chains, prefixes and seeds, one machine, interleaved repeats:

    pipeline       `cot-entropy completions`: streaming, seeds, log-probabilities, checkpoint
    one call       a hand-written vLLM `generate` over all prefixes: the best case
    per question   vLLM `generate`, one question at a time, without prefix cache
    transformers   `generate` in one batch, on a part of the work

    python benchmarks/generation.py [--questions 5] [--repeats 5]

Each way has a process of its own, whose engine starts once; only one works at a time. GSM8K's first
questions where ../shared/data is there, else the demo's. Writes its table into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

from cot_entropy.chains import generate_chains
from cot_entropy.completions import sample_completions
from cot_entropy.config import read_configuration
from cot_entropy.data.load import load
from cot_entropy.data.spec import DatasetSpec, LocalDataset
from cot_entropy.engine import Engine
from cot_entropy.engine.identity import engine_identity
from cot_entropy.engine.settings import EngineSettings
from cot_entropy.estimate.assumptions import read_assumptions
from cot_entropy.estimate.predict import estimate
from cot_entropy.files import sha256_file, write_jsonl, write_text
from cot_entropy.inputs import DatasetHeader, read_model
from cot_entropy.inputs import Question as QuestionLine
from cot_entropy.model.spec import BundledModel, ModelJob
from cot_entropy.model.stage import prepare_model
from cot_entropy.prefixes import cut_prefixes
from cot_entropy.protocol.chain import ChainsJob
from cot_entropy.protocol.probe import CompletionsJob, PrefixesJob, ProbeBlock
from cot_entropy.records import ChainRecord, PrefixRecord, read_records
from cot_entropy.run_summary import RunSummary
from cot_entropy.seeds import request_seed

PAGE: Final = Path("docs/benchmarks.md")
SHARED: Final = Path("../shared/data/gsm8k_test.jsonl")
DEMO: Final = read_configuration(Path("config/demo.yaml"))
CELL: Final = "benchmark/questions"
GOALS: Final = {"one call": 0.97, "per question": 1.5, "transformers": 10.0}
"""The pipeline's tokens per second over those of each other way, at least."""


class Prompt(NamedTuple):
    """One prefix to continue."""

    question: int
    token_ids: list[int]
    seed: int


class Measured(NamedTuple):
    """One repeat of one way."""

    tokens: int
    seconds: float
    processor_seconds: float


class Work(NamedTuple):
    """What every process is given."""

    folder: Path
    settings: EngineSettings
    probe: ProbeBlock
    part: int
    """Prefixes of the first question that transformers continues."""
    part_tokens: int
    """Tokens that it generates for each, at most."""


def prepare_work(folder: Path, questions: int, part: int, part_tokens: int) -> Work:
    """Chains and prefixes of the first questions, and every prefix as a prompt."""
    settings = DEMO.study.engine.model_copy(update={"cpu_cache_gb": 2})
    names = DEMO.protocols.protocols[DEMO.study.protocol]
    chain, probe = DEMO.protocols.chain[names.chain], DEMO.protocols.probe[names.probe]
    spec = BundledModel(source="bundled", name="smollm2-135m")
    prepare_model(
        ModelJob(name=spec.name, model=spec, code_digest="none"), out=folder / "model.json"
    )
    write_questions(folder / "questions.jsonl.zst", questions)
    chains, prefixes = folder / "chains.jsonl.zst", folder / "prefixes.jsonl.zst"
    generate_chains(
        ChainsJob(cell=CELL, study_seed=1, chain=chain, engine=settings, code_digest="none"),
        model=folder / "model.json",
        questions=folder / "questions.jsonl.zst",
        out=chains,
    )
    cut_prefixes(PrefixesJob(probe=probe, code_digest="none"), chains=chains, out=prefixes)
    prompts = list(all_prompts(chains, prefixes))
    (folder / "prompts.json").write_text(json.dumps(prompts))
    return Work(folder, settings, probe, part, part_tokens)


def write_questions(path: Path, count: int) -> None:
    """A questions file of the first `count` of GSM8K, or of the demo."""
    spec: DatasetSpec = DEMO.study.datasets["wordproblems"]
    if SHARED.is_file():
        spec = LocalDataset(
            source="local",
            path=str(SHARED),
            sha256=sha256_file(SHARED),
            answer="number",
            gold_marker="#### ",
        )
    loaded = load(spec, root=Path())
    rows = loaded.questions[:count]
    header = DatasetHeader(
        name="questions",
        source=spec.source,
        revision="none",
        sha256=loaded.sha256,
        answer="number",
        questions=len(rows),
    )
    lines = [QuestionLine(id=one.id, text=one.text, gold=one.gold) for one in rows]
    write_jsonl(path, [header.model_dump(mode="json"), *(one.model_dump() for one in lines)])


def all_prompts(chains: Path, prefixes: Path) -> Iterator[Prompt]:
    """Every prefix of every chain with the seed that the pipeline gives it."""
    pairs = zip(
        read_records(chains, ChainRecord), read_records(prefixes, PrefixRecord), strict=True
    )
    for question, (chain, where) in enumerate(pairs):
        tokens = chain.chain.token_ids if chain.chain else []
        for k, end in enumerate(where.ends):
            seed = request_seed(
                study_seed=1,
                run=0,
                cell=CELL,
                question_id=chain.question_id,
                role="completion",
                index=k,
            )
            yield Prompt(question, [*chain.prompt_token_ids, *tokens[:end]], seed)


def read_prompts(work: Work) -> list[Prompt]:
    return [Prompt(*one) for one in json.loads((work.folder / "prompts.json").read_text())]


def model_folder(work: Work) -> str:
    return read_model(work.folder / "model.json").folder


Way = Callable[[Work], Callable[[], int]]
"""Starts an engine; what it returns does the work once and says how many tokens came out."""


def pipeline(work: Work) -> Callable[[], int]:
    from cot_entropy.engine.vllm import VllmBackend  # noqa: PLC0415

    class Kept(VllmBackend):
        """An engine that the next repeat uses again."""

        def close(self) -> None:
            return

    backend = Kept(work.settings, Path(model_folder(work)))
    job = CompletionsJob(probe=work.probe, engine=work.settings, code_digest="none")

    def run() -> int:
        backend._engine.reset_prefix_cache()
        return sample_completions(
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


def generate(model: Any, work: Work, prompts: list[Prompt]) -> int:
    """One `generate` call; the tokens that came out."""
    from vllm import SamplingParams, TokensPrompt  # noqa: PLC0415

    parameters = [
        SamplingParams(
            n=work.probe.m,
            temperature=work.probe.temperature,
            max_tokens=work.probe.budget,
            seed=one.seed,
        )
        for one in prompts
    ]
    inputs = [TokensPrompt(prompt_token_ids=one.token_ids) for one in prompts]
    return generated(model.generate(inputs, parameters, use_tqdm=False))


def one_call(work: Work) -> Callable[[], int]:
    model, prompts = language_model(work), read_prompts(work)

    def run() -> int:
        model.reset_prefix_cache()
        return generate(model, work, prompts)

    return run


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
    "per question": per_question,
    "transformers": with_transformers,
}


def serve(connection: Connection, way: Way, work: Work) -> None:
    """In a process of its own: start, say how long that took, then work on demand."""
    began = time.monotonic()
    run = way(work)
    connection.send(time.monotonic() - began)
    while connection.recv():
        wall, used = time.monotonic(), time.process_time()
        tokens = run()
        connection.send(Measured(tokens, time.monotonic() - wall, time.process_time() - used))


@contextmanager
def process(way: Way, work: Work) -> Iterator[tuple[Connection, float]]:
    """A way's process and the seconds that its start took."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    worker = context.Process(target=serve, args=(there, way, work))
    worker.start()
    there.close()
    try:
        yield here, here.recv()
        here.send(False)
        worker.join(60)
    finally:
        worker.kill()
        worker.join()


def ask(connection: Connection) -> Measured:
    connection.send(True)
    measured: Measured = connection.recv()
    return measured


def rates(measured: list[Measured]) -> list[float]:
    return [one.tokens / one.seconds for one in measured]


def row(name: str, measured: list[Measured], own: list[Measured], start: float) -> str:
    found, processor = rates(measured), [one.tokens / one.processor_seconds for one in measured]
    ratio = "1"
    if name in GOALS:
        # repeat by repeat: what else the machine did then concerns both
        pairs = zip(rates(own), found, strict=True)
        value = median(mine / other for mine, other in pairs)
        met = "met" if value >= GOALS[name] else "**missed**"
        ratio = f"{value:.2f} (goal {GOALS[name]:g}: {met})"
    return (
        f"| {name} | {median(one.tokens for one in measured):,.0f} | {median(found):,.0f} "
        f"| {min(found):,.0f} to {max(found):,.0f} | {median(processor):,.0f} | {ratio} "
        f"| {start:.0f} |\n"
    )


def starts() -> str:
    """The engine's starts as a share of the demo, where it has run, and of the study, estimated."""
    paths = sorted(Path("results/demo").glob("*/*/**/*.run.json"))
    noted = [RunSummary.model_validate_json(path.read_bytes()) for path in paths]
    wall = sum(one.wall_seconds for one in noted)
    text = "Engine starts: the demo has not run here"
    if wall:
        number, seconds = (
            sum(one.engine_starts for one in noted),
            sum(one.start_seconds for one in noted),
        )
        text = (
            f"Engine starts: {number} of the demo's take {seconds:.0f} of {wall:.0f} s of its "
            f"generation ({100 * seconds / wall:.0f} %)"
        )
    study = read_configuration(Path("config/study.yaml"))
    found = estimate(study, read_assumptions(), Path("results") / study.study.study)
    share = 100 * found.total.start_hours / found.total.hours
    return f"{text}; {len(found.files)} of the study's, by estimate, {share:.0f} %.\n"


def put(section: str, text: str) -> None:
    """Replace one section of the page between its markers."""
    begin, end = f"<!-- {section} -->\n", f"<!-- end of {section} -->\n"
    page = PAGE.read_text("utf-8")
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{PAGE}: the markers of `{section}` are missing")
    write_text(PAGE, before + begin + text + end + after)


def machine(settings: EngineSettings) -> str:
    """The kind of machine and the versions, no name."""
    known = engine_identity(settings)
    return (
        f"{known.device}; vLLM {known.version}, torch {known.torch}, transformers "
        f"{known.transformers}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--part", type=int, default=4, help="prefixes for transformers")
    parser.add_argument("--part-tokens", type=int, default=40, help="tokens of each, at most")
    parser.add_argument("--only-print", action="store_true", help="leave the page as it is")
    options = parser.parse_args()
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
    with tempfile.TemporaryDirectory() as folder:
        work = prepare_work(
            Path(folder).resolve(), options.questions, options.part, options.part_tokens
        )
        text = table(work, options.repeats)
    print(text)
    if not options.only_print:
        put("generation", text)


def table(work: Work, repeats: int) -> str:
    """Measure every way in turn, each repeat in another order, and show medians and spread."""
    measured: dict[str, list[Measured]] = {name: [] for name in WAYS}
    with ExitStack() as stack:
        running = {name: stack.enter_context(process(way, work)) for name, way in WAYS.items()}
        for repeat in range(repeats):
            names = list(WAYS)
            for name in names[repeat % len(names) :] + names[: repeat % len(names)]:
                measured[name].append(ask(running[name][0]))
                print(f"{repeat + 1}/{repeats} {name}: {measured[name][-1]}", flush=True)
    prompts = read_prompts(work)
    source = "GSM8K's" if SHARED.is_file() else "the demo's"
    lines = [
        f"{machine(work.settings)}. SmolLM2-135M-Instruct, bfloat16, {source} first "
        f"{prompts[-1].question + 1} questions: {len(prompts)} prefixes x {work.probe.m} "
        f"completions of up to {work.probe.budget} tokens; transformers: {work.part} prefixes of "
        f"up to {work.part_tokens} tokens. {repeats} interleaved repeats.\n\n",
        "| way | tokens | tokens/s (median) | lowest to highest | tokens per processor second "
        "| pipeline is times as fast | start (s) |\n|---|---|---|---|---|---|---|\n",
        *(
            row(name, found, measured["pipeline"], running[name][1])
            for name, found in measured.items()
        ),
        f"\n{starts()}",
    ]
    return "".join(lines)


if __name__ == "__main__":
    main()
