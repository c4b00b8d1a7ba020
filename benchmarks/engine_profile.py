"""Which settings make the CPU engine faster: one changed at a time, each in fresh processes.

The work is that of `generation.py`: every prefix of the same chains in one `generate` call, as the
pipeline's settings have it; then one setting is another.

    python benchmarks/engine_profile.py [--questions 3] [--repeats 2]

Writes its table into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from common.measure import Measured, ask, process, rates
from common.page import machine, put
from common.prepare import Work, model_folder, prepare_work, read_prompts
from common.ways import generate, language_model

from cot_entropy.engine.capacity import shape_of_folder

OPERATIONS_PER_SECOND: Final = 870e9
"""What two cores reach in bfloat16 (a 4096 x 4096 matrix product)."""


class Setting(NamedTuple):
    """One change to the pipeline's settings."""

    name: str
    changes: dict[str, int | bool]
    """Over vLLM's engine arguments."""
    environment: dict[str, str]


SETTINGS: Final = (
    Setting("as the demo has it", {}, {}),
    Setting("max_num_seqs 32", {"max_num_seqs": 32}, {}),
    Setting("max_num_seqs 128", {"max_num_seqs": 128}, {}),
    Setting("max_num_seqs 256", {"max_num_seqs": 256}, {}),
    Setting("cache blocks of 128 tokens", {"block_size": 128}, {}),
    Setting("threads sleep (OMP_WAIT_POLICY=PASSIVE)", {}, {"OMP_WAIT_POLICY": "PASSIVE"}),
    Setting("threads spin (OMP_WAIT_POLICY=ACTIVE)", {}, {"OMP_WAIT_POLICY": "ACTIVE"}),
    Setting("threads bound (VLLM_CPU_OMP_THREADS_BIND)", {}, {"VLLM_CPU_OMP_THREADS_BIND": "all"}),
    Setting("threads not bound", {}, {"VLLM_CPU_OMP_THREADS_BIND": "nobind"}),
)


def one_call(work: Work, changes: Mapping[str, int | bool]) -> Callable[[], int]:
    model, prompts = language_model(work, **changes), read_prompts(work)

    def run() -> int:
        model.reset_prefix_cache()
        return generate(model, work, prompts)

    return run


@contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """Variables for the processes that are started meanwhile."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def cores() -> str:
    return ",".join(map(str, sorted(os.sched_getaffinity(0))))


def measure(setting: Setting, work: Work) -> tuple[Measured, float]:
    values = {
        name: cores() if value == "all" else value for name, value in setting.environment.items()
    }
    with (
        environment(values),
        process(partial(one_call, changes=setting.changes), work) as (connection, start),
    ):
        return ask(connection), start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--only-print", action="store_true", help="leave the page as it is")
    options = parser.parse_args()
    found: dict[int, list[tuple[Measured, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        work = prepare_work(Path(folder).resolve(), options.questions, part=0, part_tokens=0)
        for repeat in range(options.repeats):
            for number, setting in enumerate(SETTINGS):
                found.setdefault(number, []).append(measure(setting, work))
                print(
                    f"{repeat + 1}/{options.repeats} {setting.name}: {found[number][-1]}",
                    flush=True,
                )
        text = table(work, [found[number] for number in range(len(SETTINGS))], options.repeats)
    print(text)
    if not options.only_print:
        put("profile", text)


def table(work: Work, found: list[list[tuple[Measured, float]]], repeats: int) -> str:
    parameters = shape_of_folder(Path(model_folder(work))).parameters
    ceiling = OPERATIONS_PER_SECOND / (2 * parameters)
    base = rates([one for one, _ in found[0]])
    lines = [
        f"{machine(work.settings)}. {len(read_prompts(work))} prefixes x {work.probe.m} "
        f"completions, {repeats} interleaved repeats, each in a fresh process. "
        f"The arithmetic ceiling is {ceiling:,.0f} tokens/s.\n\n",
        "| setting | tokens/s (median) | lowest to highest | of the first row | of the ceiling "
        "| start (s) |\n|---|---|---|---|---|---|\n",
    ]
    for setting, measured in zip(SETTINGS, found, strict=True):
        here = rates([one for one, _ in measured])
        gain = median(mine / other for mine, other in zip(here, base, strict=True))
        lines.append(
            f"| {setting.name} | {median(here):,.0f} | {min(here):,.0f} to {max(here):,.0f} "
            f"| {gain:.2f} | {100 * median(here) / ceiling:.0f} % "
            f"| {median(start for _, start in measured):.0f} |\n"
        )
    return "".join(lines)


if __name__ == "__main__":
    main()
