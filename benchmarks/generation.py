"""How fast completions are generated, against the best case and against what scripts do.

The same questions, chains, prefixes and seeds, one machine, interleaved repeats:

    pipeline       `cot-entropy completions`: streaming, seeds, log-probabilities, checkpoint
    one call       a hand-written vLLM `generate` over all prefixes: the best case; and with the
                   log-probabilities that the pipeline stores
    per question   vLLM `generate`, one question at a time, without prefix cache
    transformers   `generate` in one batch, on a part of the work

    python benchmarks/generation.py [--questions 8] [--repeats 5]

Each way has a process of its own, whose engine starts once and does the work once before it is
measured; only one works at a time. GSM8K's first questions where ../shared/data is there, else the
demo's. Writes its table into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final

from common.measure import Measured, ask, process, rates
from common.page import machine, put
from common.prepare import SHARED, Work, prepare_work, read_prompts
from common.ways import WAYS

from cot_entropy.estimate.assumptions import read_assumptions
from cot_entropy.estimate.predict import estimate
from cot_entropy.formats.run_summary import RunSummary
from cot_entropy.study.config import read_configuration

GOALS: Final = {
    "one call": 0.97,
    "one call, with log-probabilities": 0.97,
    "per question": 1.5,
    "transformers": 10.0,
}
"""The pipeline's tokens per second over those of each other way, at least."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=8)
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
        for connection, _ in running.values():
            ask(connection)
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


def row(name: str, measured: list[Measured], own: list[Measured], start: float) -> str:
    found, processor = rates(measured), [one.tokens / one.processor_seconds for one in measured]
    # repeat by repeat: what else the machine did then concerns both
    times = median(mine / other for mine, other in zip(rates(own), found, strict=True))
    ratio = f"{times:.2f}"
    if name in GOALS:
        ratio += f" (goal {GOALS[name]:g}: {'met' if times >= GOALS[name] else '**missed**'})"
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


if __name__ == "__main__":
    main()
