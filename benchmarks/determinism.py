"""What changes in the real engine's output when other questions, or another batch, stand beside.

Every row is a run of chains, prefixes and completions in a fresh process, compared with the first
run question by question. Same configuration: the bytes must be the same. Other questions or
another batch size: the share of chains and completions that stay the same is measured, and nothing
is promised.

    python benchmarks/determinism.py [--first 8]

The demo's model, engine, questions and registered protocol, as `make demo` left them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from cot_entropy.base.files import write_jsonl
from cot_entropy.formats.inputs import DatasetHeader, read_dataset, read_questions
from cot_entropy.formats.records import ChainRecord, CompletionRecord, read_header, read_records
from cot_entropy.generate.chains import generate_chains
from cot_entropy.generate.completions import sample_completions
from cot_entropy.generate.prefixes import cut_prefixes
from cot_entropy.protocol.chain import ChainsJob
from cot_entropy.protocol.probe import CompletionsJob, PrefixesJob
from cot_entropy.study.config import read_configuration

INPUTS: Final = Path("results/demo/inputs")
DEMO: Final = read_configuration(Path("config/demo.yaml"))


class Condition(NamedTuple):
    """One run: what it is called, its questions as a multiple of the first run's, its batch."""

    name: str
    questions: float
    max_num_seqs: int


CONDITIONS: Final = (
    Condition("first run", 1, 64),
    Condition("the same again", 1, 64),
    Condition("twice as many questions", 2, 64),
    Condition("half as many questions", 0.5, 64),
    Condition("batches of 2", 1, 2),
)


class Same(NamedTuple):
    """Of those that both runs have: how many are the same, and how many there are."""

    chains: int
    of_chains: int
    completions: int
    of_completions: int


def run(model: Path, questions: Path, folder: Path, max_num_seqs: int) -> None:
    """Chains, prefixes and completions into a folder."""
    study, protocols = DEMO.study, DEMO.protocols
    engine = study.engine.model_copy(update={"max_num_seqs": max_num_seqs})
    names = protocols.protocols[study.protocol]
    chain, probe = protocols.chain[names.chain], protocols.probe[names.probe]
    chains, prefixes = folder / "chains.jsonl.zst", folder / "prefixes.jsonl.zst"
    generate_chains(
        ChainsJob(
            cell="determinism/demo", study_seed=1, chain=chain, engine=engine, code_digest="none"
        ),
        model=model,
        questions=questions,
        out=chains,
    )
    cut_prefixes(PrefixesJob(probe=probe, code_digest="none"), chains=chains, out=prefixes)
    sample_completions(
        CompletionsJob(probe=probe, engine=engine, code_digest="none"),
        model=model,
        chains=chains,
        prefixes=prefixes,
        out=folder / "completions.jsonl.zst",
    )


def first_questions(source: Path, count: int, out: Path) -> Path:
    """A questions file with the first `count` of another."""
    rows = list(read_questions(source))[:count]
    dataset = read_dataset(source).model_dump(mode="json") | {"questions": len(rows)}
    header = DatasetHeader.model_validate({**dataset, "record": "dataset"})
    write_jsonl(out, [header.model_dump(mode="json"), *(row.model_dump() for row in rows)])
    return out


def compare(one: Path, other: Path) -> Same:
    """Chains of the questions that both have; completions where the chains are the same."""
    chains = [
        {record.question_id: record.chain for record in read_records(path, ChainRecord)}
        for path in (one / "chains.jsonl.zst", other / "chains.jsonl.zst")
    ]
    shared = chains[0].keys() & chains[1].keys()
    same = {key for key in shared if tokens(chains[0][key]) == tokens(chains[1][key])}
    samples = [
        {
            (record.question_id, prefix.k, index): sample.token_ids
            for record in read_records(path, CompletionRecord)
            if record.question_id in same
            for prefix in record.prefixes
            for index, sample in enumerate(prefix.samples)
        }
        for path in (one / "completions.jsonl.zst", other / "completions.jsonl.zst")
    ]
    equal = sum(samples[0][key] == samples[1][key] for key in samples[0])
    return Same(len(same), len(shared), equal, len(samples[0]))


def tokens(chain: object) -> list[int] | None:
    """The tokens of a chain, if there is one."""
    return getattr(chain, "token_ids", None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, default=INPUTS / "smollm2-135m-demo.model.json")
    parser.add_argument(
        "--questions", type=Path, default=INPUTS / "wordproblems.questions.jsonl.zst"
    )
    parser.add_argument("--first", type=int, default=24)
    parser.add_argument("--run", nargs=2, metavar=("FOLDER", "MAX_NUM_SEQS"), help="used by itself")
    options = parser.parse_args()
    if options.run:
        run(options.model, options.questions, Path(options.run[0]), int(options.run[1]))
        return
    with tempfile.TemporaryDirectory() as work:
        folders = []
        for number, condition in enumerate(CONDITIONS):
            folder = Path(work) / str(number)
            folder.mkdir()
            count = round(options.first * condition.questions)
            questions = first_questions(options.questions, count, folder / "q.jsonl.zst")
            arguments = ["--model", options.model, "--questions", questions, "--run", folder]
            subprocess.run(
                [sys.executable, __file__, *map(str, arguments), str(condition.max_num_seqs)],
                check=True,
                env=os.environ,
            )
            folders.append(folder)
        engine = read_header(folders[0] / "chains.jsonl.zst").engine
        print(f"vLLM {engine.version}, torch {engine.torch}, {engine.device}\n")
        print("| run | same bytes | same chains | same completions of these |")
        print("|---|---|---|---|")
        for condition, folder in list(zip(CONDITIONS, folders, strict=True))[1:]:
            same = compare(folders[0], folder)
            files = ("chains.jsonl.zst", "completions.jsonl.zst")
            equal = all((folders[0] / f).read_bytes() == (folder / f).read_bytes() for f in files)
            print(
                f"| {condition.name} | {'yes' if equal else 'no'} "
                f"| {same.chains} of {same.of_chains} "
                f"| {same.completions} of {same.of_completions} |"
            )


if __name__ == "__main__":
    main()
