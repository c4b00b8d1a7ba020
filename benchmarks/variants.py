"""What protocol variants generate on the real engine, and whether derived samples are sampled ones.

Four measurements, each in a folder of its own, on the demo's model and the first questions:

1. `snakemake variants` with eight variants in one command: the files that its dry run states, by
   rule, are those that exist afterwards, and the tokens that each block cost stand in a table.
2. Every block that was derived is sampled as well, and compared with the derived one sample by
   sample: same tokens, same end.
3. Z26's protocol as config/zhao.yaml states it (three seeds, self-consistency with 40 chains).
4. R26's protocol dependences: the plan's variants, as config/dependence.yaml names them.

    python benchmarks/variants.py [--datasets wordproblems latex] [--questions 24] [--zhao 8]
        [--steps variants again zhao dependence] [--work FOLDER]

With `--work` everything is kept there, and the same command continues where it was stopped.
Exits with 1 where a stated file is missing, or one exists that was not stated.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from cot_entropy.formats.records import CompletionRecord, Header, read_header, read_records
from cot_entropy.generate.stage import RunSummary
from cot_entropy.protocol.probe import CompletionsJob
from cot_entropy.protocol.reuse import derivable

ROOT: Final = Path(__file__).parents[1]
BIN: Final = Path(sys.executable).parent
ENVIRONMENT: Final = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
VARIANTS: Final = (
    *("m_3", "cap_4", "cap_merge", "completion_64"),
    *("eps_0.2", "chain_outcome", "seed_1", "forced_answer"),
)
STEPS: Final = ("variants", "again", "zhao", "dependence")
WRITES: Final = {
    "chains": "chains.jsonl.zst",
    "completions": "completions.jsonl.zst",
    "derive": "completions.jsonl.zst",
    "score": "trajectories.parquet",
    "self_consistency": "self_consistency.jsonl.zst",
}


class Study(NamedTuple):
    """A study in a folder of its own, run by the project's Snakefile."""

    folder: Path
    name: str

    @property
    def results(self) -> Path:
        return self.folder / "results" / self.name

    def snakemake(self, *arguments: str) -> str:
        """Run it; returns standard output, raises CalledProcessError where it fails."""
        command = [
            "snakemake",
            *("--snakefile", ROOT / "Snakefile", "--directory", self.folder),
            *("--profile", ROOT / "profiles/default", "--cores", "all"),
            *("--configfile", self.folder / "study.yaml"),
            *arguments,
        ]
        done = subprocess.run(
            [str(part) for part in command],
            cwd=self.folder,
            env=ENVIRONMENT,
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
        return done.stdout

    def stated(self) -> Counter[str]:
        """Files that a dry run states, by rule."""
        table = re.findall(r"^(\w+)\s+(\d+)$", self.snakemake("--dry-run", "--", "variants"), re.M)
        return Counter({rule: int(count) for rule, count in table if rule in WRITES})

    def made(self) -> Counter[str]:
        """Files that exist, by the rule that writes them."""
        names = {name: rule for rule, name in WRITES.items() if rule != "derive"}
        found: Counter[str] = Counter()
        for name, rule in names.items():
            for path in self.results.glob(f"**/{name}"):
                found["derive" if origin(path) == "derived" else rule] += 1
        return found


def study(folder: Path, source: str, changes: dict[str, Any]) -> Study:
    """A shipped study with some of its keys replaced."""
    folder.mkdir(exist_ok=True, parents=True)
    (ROOT / "models").mkdir(exist_ok=True)
    for name in ("requirements", "models", "config"):
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(ROOT / name)
    shipped = yaml.safe_load((ROOT / source).read_text(encoding="utf-8"))
    shared = {"plan": str(ROOT / "preregistration/plan.yaml")}
    values = {**shipped, **shared, **changes}
    (folder / "study.yaml").write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    return Study(folder, values["study"])


def demo(datasets: list[str], questions: int) -> dict[str, Any]:
    """The demo's engine and model, and the first questions of some of its datasets."""
    shipped = yaml.safe_load((ROOT / "config/demo.yaml").read_text(encoding="utf-8"))
    return {
        "engine": shipped["engine"],
        "models": shipped["models"],
        "datasets": {
            name: {**shipped["datasets"][name], "questions": questions} for name in datasets
        },
    }


def summary(path: Path) -> RunSummary:
    """What the stage that wrote a file says of its run: the last such line of its log."""
    log = path.with_name(path.name.split(".")[0] + ".log").read_text(encoding="utf-8")
    found = re.findall(r"\{\"stage\".*\}", log)
    return RunSummary.model_validate_json(found[-1])


def run(made: Study) -> bool:
    """Run the variants, say what they cost, and whether the dry run was right."""
    before, stated = made.made(), made.stated()
    began = time.monotonic()
    made.snakemake("--", "variants")
    seconds = time.monotonic() - began
    print(f"{seconds:.0f} s in all\n")
    print("| file | made by | tokens sampled | seconds |")
    print("|---|---|---|---|")
    for rule in ("chains", "completions", "self_consistency"):
        for path in sorted(made.results.glob(f"**/{WRITES[rule]}")):
            one = summary(path)
            print(
                f"| {path.relative_to(made.results)} | {origin(path)} | "
                f"{one.generated_tokens} | {one.wall_seconds:.0f} |"
            )
    found = made.made()
    print("\n| rule | there before | stated | there now |")
    print("|---|---|---|---|")
    for rule in WRITES:
        print(f"| {rule} | {before[rule]} | {stated[rule]} | {found[rule]} |")
    again = made.stated()
    print(f"\nThe same command again would make {again.total()} files.\n")
    return before + stated == found and not again


def origin(path: Path) -> str:
    """Sampled, taken from another block without an engine, or some of each."""
    if path.suffix == ".parquet":
        return "scored"
    header = read_header(path)
    if header.probe is None or header.derived_from is None:
        return "sampled"
    whole = derivable(header.probe, header.derived_from) == "all"
    return "derived" if whole else "partly derived"


def regenerate(made: Study, work: Path) -> None:
    """Sample what was derived, in a fresh process per block, and count what is the same."""
    print("| block | same samples | of | same questions, log-probabilities too | of |")
    print("|---|---|---|---|---|")
    for path in sorted(made.results.glob("**/completions.jsonl.zst")):
        header = read_header(path)
        if origin(path) != "derived":
            continue
        out = work / path.relative_to(made.results)
        if not out.exists():
            sample(made, path, header, out)
        pairs = list(
            zip(
                read_records(path, CompletionRecord),
                read_records(out, CompletionRecord),
                strict=True,
            )
        )
        samples = [
            (one.token_ids, one.finish_reason) == (other.token_ids, other.finish_reason)
            for left, right in pairs
            for before, after in zip(left.prefixes, right.prefixes, strict=True)
            for one, other in zip(before.samples, after.samples, strict=True)
        ]
        whole = sum(left == right for left, right in pairs)
        print(
            f"| {path.parent.relative_to(made.results)} | {sum(samples)} | {len(samples)} "
            f"| {whole} | {len(pairs)} |"
        )
    print()


def sample(made: Study, path: Path, header: Header, out: Path) -> None:
    """The completions of a derived block, none of them taken from stored ones."""
    out.parent.mkdir(parents=True, exist_ok=True)
    if header.probe is None:
        raise SystemExit(f"{path}: no probe block in its header")
    job = CompletionsJob(probe=header.probe, engine=header.engine.settings, code_digest="none")
    model = path.relative_to(made.results).parts[0]
    chain = path.parents[1]
    command = [
        *("cot-entropy", "--log", out.with_suffix(".log"), "completions"),
        *("--job", job.model_dump_json(), "--out", out),
        *("--model", made.results / "inputs" / f"{model}.model.json"),
        *("--chains", chain / "chains.jsonl.zst"),
        *("--prefixes", path.with_name("prefixes.jsonl.zst")),
    ]
    subprocess.run(
        [str(part) for part in command],
        cwd=made.folder,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        check=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", nargs="+", default=["wordproblems", "latex"])
    parser.add_argument("--questions", type=int, default=24, help="per dataset")
    parser.add_argument("--zhao", type=int, default=8, help="questions of Z26's protocol")
    parser.add_argument("--steps", nargs="+", default=STEPS, choices=STEPS)
    parser.add_argument("--work", type=Path, help="kept; a temporary folder if not given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = (options.work or Path(temporary)).resolve()
        right = measure(
            work, options.steps, options.datasets, questions=options.questions, zhao=options.zhao
        )
    sys.exit(0 if right else 1)


def measure(
    work: Path, steps: list[str], datasets: list[str], *, questions: int, zhao: int
) -> bool:
    """The named steps, in order; whether every stated file was made and no other."""
    right = True
    own = study(
        work / "demo",
        "config/demo.yaml",
        {**demo(datasets, questions), "variants": [*VARIANTS]},
    )
    if "variants" in steps:
        print(f"## {len(VARIANTS)} variants, {questions} questions a dataset\n")
        right &= run(own)
    if "again" in steps:
        print("## Derived samples, sampled again\n")
        regenerate(own, work / "again")
    if "zhao" in steps:
        print(f"## Z26's protocol, {zhao} questions\n")
        z26 = study(work / "zhao", "config/zhao.yaml", demo(datasets[:1], zhao))
        right &= run(z26)
    if "dependence" in steps:
        print(f"## The plan's variants, {questions} questions a dataset\n")
        registered = study(work / "dependence", "config/dependence.yaml", demo(datasets, questions))
        right &= run(registered)
    for path in work.glob("*/results/**/chains.jsonl.zst"):
        engine = read_header(path).engine
        print(f"vLLM {engine.version}, torch {engine.torch}, {engine.device}")
        break
    return right


if __name__ == "__main__":
    main()
