"""What the log-probabilities of the k most probable tokens cost, of a study's whole generation.

They are asked for chains alone (`engine.top_logprobs`), and a chain is a small part of the tokens
that a question takes. One engine, one process, interleaved repeats: the chains of the same
questions with k = 0, 5 and 20, and the completions at their prefixes, which never ask for them.

    python benchmarks/top_logprobs.py [--questions 8] [--repeats 5]

The price is the further time of the chains over that of chains (k = 0) and completions together,
in wall time and in processor time, repeat by repeat; the median decides whether the default studies
store them (under 5 %). Writes its table into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from common.page import machine, put
from common.prepare import CELL, DEMO, Work, model_folder, prepare_work

from cot_entropy.engine.stream import Engine
from cot_entropy.formats.run_summary import RunSummary
from cot_entropy.generate.chains import generate_chains
from cot_entropy.generate.completions import sample_completions
from cot_entropy.protocol.chain import ChainsJob
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.protocol.probe import CompletionsJob

COUNTS: Final = (0, 5, 20)
LIMIT: Final = 5.0
"""Percent of the generation under which the default studies store them."""


class Took(NamedTuple):
    """One piece of work."""

    wall: float
    processor: float
    tokens: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only-print", action="store_true", help="leave the page as it is")
    options = parser.parse_args()
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
    with tempfile.TemporaryDirectory() as folder:
        work = prepare_work(Path(folder).resolve(), options.questions, 1, 1)
        text = table(work, options.questions, options.repeats)
    print(text)
    if not options.only_print:
        put("top log-probabilities", text)


def table(work: Work, questions: int, repeats: int) -> str:
    """Measure, and set the price of each k beside its share of the stored bytes."""
    from cot_entropy.engine.vllm import VllmBackend  # noqa: PLC0415

    class Kept(VllmBackend):
        """An engine that the next piece of work uses again."""

        def close(self) -> None:
            return

    backend = Kept(work.settings, Path(model_folder(work)))

    def engine(settings: EngineSettings, _: Path) -> Engine:
        backend._engine.reset_prefix_cache()
        return Engine(lambda: backend, settings)

    pieces: dict[str, Callable[[], RunSummary]] = {
        f"{count}": partial(chains, work, count, engine) for count in COUNTS
    }
    pieces["completions"] = partial(completions, work, engine)
    took: dict[str, list[Took]] = {name: [] for name in pieces}
    for repeat in range(repeats + 1):
        names = list(pieces)
        for name in names[repeat % len(names) :] + names[: repeat % len(names)]:
            found = measured(pieces[name])
            print(f"{repeat}/{repeats} {name}: {found}", flush=True)
            if repeat:  # the first warms up
                took[name].append(found)
    sizes = {count: out_of(work, count).stat().st_size for count in COUNTS}
    whole = sizes[0] + (work.folder / "completions.jsonl.zst").stat().st_size
    share = median(one.tokens for one in took["0"]) / median(
        base.tokens + more.tokens for base, more in zip(took["0"], took["completions"], strict=True)
    )
    lines = [
        f"{machine(work.settings)}. SmolLM2-135M-Instruct, {questions} questions, chains are "
        f"{100 * share:.0f} % of the tokens, {repeats} interleaved repeats.\n\n",
        "| k | further wall time, % of generation | further processor time, % "
        "| further bytes, % |\n"
        "|---|---|---|---|\n",
        *(
            f"| {count} | {price(took, count, 'wall')} | {price(took, count, 'processor')} "
            f"| {100 * (sizes[count] - sizes[0]) / whole:.0f} |\n"
            for count in COUNTS[1:]
        ),
    ]
    return "".join(lines)


def price(took: dict[str, list[Took]], count: int, what: str) -> str:
    """The median price over the repeats, and the least and greatest."""
    found = [
        100
        * (getattr(more, what) - getattr(base, what))
        / (getattr(base, what) + getattr(rest, what))
        for base, more, rest in zip(took["0"], took[f"{count}"], took["completions"], strict=True)
    ]
    word = "under" if median(found) < LIMIT else "**not under**"
    return f"{median(found):.1f} ({min(found):.1f} to {max(found):.1f}), {word} {LIMIT:g}"


def measured(piece: Callable[[], RunSummary]) -> Took:
    wall, processor = time.monotonic(), time.process_time()
    tokens = piece().generated_tokens
    return Took(time.monotonic() - wall, time.process_time() - processor, tokens)


def out_of(work: Work, count: int) -> Path:
    return work.folder / f"chains_{count}.jsonl.zst"


def chains(work: Work, count: int, engine: Callable[[EngineSettings, Path], Engine]) -> RunSummary:
    block = DEMO.protocols.chain[DEMO.protocols.protocols[DEMO.study.protocol].chain]
    settings = work.settings.model_copy(update={"top_logprobs": count})
    return generate_chains(
        ChainsJob(cell=CELL, study_seed=1, chain=block, engine=settings, code_digest="none"),
        model=work.folder / "model.json",
        questions=work.folder / "questions.jsonl.zst",
        out=out_of(work, count),
        engine=engine,
    )


def completions(work: Work, engine: Callable[[EngineSettings, Path], Engine]) -> RunSummary:
    return sample_completions(
        CompletionsJob(probe=work.probe, engine=work.settings, code_digest="none"),
        model=work.folder / "model.json",
        chains=work.folder / "chains.jsonl.zst",
        prefixes=work.folder / "prefixes.jsonl.zst",
        out=work.folder / "completions.jsonl.zst",
        engine=engine,
    )


if __name__ == "__main__":
    main()
