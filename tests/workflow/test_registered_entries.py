"""The default study and the dependence study, all eight cells, on the scripted engine.

The stages run in this process, in the order and on the jobs of the rules; tests/workflow/ runs the
rules themselves on a smaller study. What a study leaves `not run` is said here entry by entry.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

import pytest
import yaml
from tests.generation import model_folder

from cot_entropy.base.digest import stage_digest
from cot_entropy.base.files import sha256_file
from cot_entropy.data.job import QuestionsJob
from cot_entropy.data.stage import prepare_questions
from cot_entropy.engine.base import Request
from cot_entropy.engine.scripted import ScriptedBackend
from cot_entropy.engine.stream import Engine
from cot_entropy.generate.chains import generate_chains
from cot_entropy.generate.completions import StoredFiles, derive_completions, sample_completions
from cot_entropy.generate.prefixes import cut_prefixes
from cot_entropy.model.spec import ModelJob
from cot_entropy.model.stage import prepare_model
from cot_entropy.protocol.chain import ChainsJob
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.protocol.probe import CompletionsJob, PrefixesJob
from cot_entropy.protocol.reuse import derivable
from cot_entropy.protocol.scoring import ScoreJob
from cot_entropy.protocol.variants import VariantsJob
from cot_entropy.report.inputs import read_inputs
from cot_entropy.report.page import write_report
from cot_entropy.signal.score import score
from cot_entropy.stats.analyse import analyse
from cot_entropy.stats.read_tables import Row, read_rows, read_table
from cot_entropy.stats.variants import compare_variants
from cot_entropy.study.reuse import stored_probe
from cot_entropy.workflow.study import Workflow
from cot_entropy.workflow.variants import Variants

ROOT: Final = Path(__file__).parents[2]
CELLS: Final = 8
QUESTIONS: Final = 12
ACROSS = {("E14", "replication"), ("E15", "pooled")}
"""Entries over all cells at once: their rows stand in replication.csv."""
NEW_CHAINS: Final = ("budget_512", "budget_2048", "seed_1", "seed_2")


class Made:
    """A study on the scripted engine: every file once, every request counted."""

    def __init__(self, folder: Path, config: str) -> None:
        self.asked: Counter[str] = Counter()
        study = yaml.safe_load((ROOT / f"config/{config}.yaml").read_text(encoding="utf-8"))
        study |= {
            "plan": str(folder / "plan.yaml"),
            "protocols": str(ROOT / "config/protocols.yaml"),
            "engine": {
                "name": "scripted",
                "device": "cpu",
                "top_logprobs": study["engine"]["top_logprobs"],
            },
            "models": dict.fromkeys(study["models"], local_model(folder)),
            "datasets": dict.fromkeys(study["datasets"], local_dataset(folder)),
        }
        plan = (ROOT / "preregistration/plan.yaml").read_text(encoding="utf-8")
        (folder / "plan.yaml").write_text(plan.replace("10000", "200"), encoding="utf-8")
        for name in ("published.yaml", "differences.yaml"):
            (folder / name).write_bytes((ROOT / "preregistration" / name).read_bytes())
        self.flow = Workflow.from_config(study, source=config)
        self.results = Path(self.flow.results)

    def run(self) -> None:
        """Every stage of every cell and protocol, then the tables and the report."""
        flow, results = self.flow, self.results
        for name, dataset in flow.study.datasets.items():
            job = QuestionsJob(
                name=name, dataset=dataset, code_digest=stage_digest("questions", dataset.rules())
            )
            prepare_questions(job, out=results / f"inputs/{name}.questions.jsonl.zst")
        for name, model in flow.study.models.items():
            prepare_model(
                ModelJob(name=name, model=model, code_digest=stage_digest("model")),
                out=results / f"inputs/{name}.model.json",
            )
        for cell in flow.study.cells:
            for protocol in flow.protocols:
                out = Path(flow.trajectories([cell], protocol)[0])
                if not out.is_file():
                    self._score(cell, out, protocol.scoring)
        table = results / "variants.csv"
        plan = Path(flow.study.plan)
        compare_variants(VariantsJob.model_validate_json(Variants(flow).job), plan=plan, out=table)
        trajectories = [Path(path) for path in flow.trajectories(flow.study.cells)]
        analyse(plan, trajectories, results, variants=table, jobs=1)
        write_report(results, plan=plan, out=results / "report.html")

    def not_run(self) -> set[tuple[str, str, str]]:
        """Entry, quantity and reason of every row that says so, as the report reads them."""
        plan = Path(self.flow.study.plan)
        found = read_inputs(self.results, plan=plan, differences=plan.with_name("differences.yaml"))
        rows: tuple[Row, ...] = (
            *found.verdicts,
            *found.estimates,
            *read_rows(self.results / "estimates.csv"),
        )
        return {(row.id, row.quantity, row.reason) for row in rows if row.verdict == "not run"}

    def _chains(self, cell: str, chain: str) -> Path:
        out = self.results / cell / chain / "chains.jsonl.zst"
        model, dataset = cell.split("/")
        if not out.is_file():
            generate_chains(
                ChainsJob(
                    cell=cell,
                    study_seed=self.flow.study.seed,
                    chain=self.flow.blocks.chain[chain],
                    engine=self.flow.study.engine,
                    code_digest=stage_digest("chains"),
                ),
                model=self.results / f"inputs/{model}.model.json",
                questions=self.results / f"inputs/{dataset}.questions.jsonl.zst",
                out=out,
                engine=self._engine(f"{chain} chains"),
            )
        return out

    def _probed(self, cell: str, chain: str, probe: str) -> StoredFiles:
        folder = self.results / cell / chain / probe
        made = StoredFiles(
            completions=folder / "completions.jsonl.zst", prefixes=folder / "prefixes.jsonl.zst"
        )
        if made.completions.is_file():
            return made
        chains, block = self._chains(cell, chain), self.flow.blocks.probe[probe]
        cut_prefixes(
            PrefixesJob(probe=block, code_digest=stage_digest("prefixes", block.rules())),
            chains=chains,
            out=made.prefixes,
        )
        job = CompletionsJob(
            probe=block, engine=self.flow.study.engine, code_digest=stage_digest("completions")
        )
        files = {
            "model": self.results / f"inputs/{cell.split('/', maxsplit=1)[0]}.model.json",
            "chains": chains,
            "prefixes": made.prefixes,
            "out": made.completions,
        }
        blocks = self.flow.blocks.probe
        source = stored_probe(self.flow.protocols, blocks, chain=chain, probe=probe)
        stored = self._probed(cell, chain, source) if source else None
        if source and stored and derivable(block, blocks[source]) == "all":
            derive_completions(job, stored=stored, **files)
        else:
            engine = self._engine(f"{chain} {probe}")
            sample_completions(job, stored=stored, engine=engine, **files)
        return made

    def _score(self, cell: str, out: Path, scoring: str) -> None:
        probe = out.parents[1]
        made = self._probed(cell, probe.parent.name, probe.name)
        block = self.flow.blocks.scoring[scoring]
        score(
            ScoreJob(cell=cell, scoring=block, code_digest=stage_digest("score", block.rules())),
            chains=probe.parent / "chains.jsonl.zst",
            prefixes=made.prefixes,
            completions=made.completions,
            out=out,
        )

    def _engine(self, what: str):
        asked = self.asked

        class Counting(ScriptedBackend):
            def add(self, request: Request) -> None:
                asked[what] += 1
                super().add(request)

        def made(settings: EngineSettings, folder: Path) -> Engine:
            return Engine(lambda: Counting(folder), settings)

        return made


def local_model(folder: Path) -> dict[str, str]:
    model = folder / "model"
    if not model.exists():
        model_folder(model)
        (model / "model.safetensors").write_bytes(b"weights")
    return {"source": "local", "path": str(model)}


def local_dataset(folder: Path) -> dict[str, str]:
    data = folder / "sums.jsonl"
    lines = (
        f'{{"question": "What is {n} and {n + 1}?", "answer": "{n % 3 + 1}"}}\n'
        for n in range(QUESTIONS)
    )
    data.write_text("".join(lines), encoding="utf-8")
    return {
        "source": "local",
        "path": str(data),
        "sha256": sha256_file(data),
        "answer": "number",
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("registered")


@pytest.fixture(scope="module")
def default(folder: Path) -> Made:
    """config/study.yaml, finished."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        made = Made(folder, "study")
        made.results = folder / made.flow.results
        made.run()
    return made


@pytest.fixture(scope="module")
def left_undone(default: Made, folder: Path) -> set[tuple[str, str, str]]:
    """What the default study leaves, before the dependence study goes on in its folder."""
    return default.not_run()


@pytest.fixture(scope="module")
def dependence(default: Made, left_undone: object, folder: Path) -> Made:
    """config/dependence.yaml, in the results folder of the default study."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        made = Made(folder, "dependence")
        made.results = folder / made.flow.results
        made.run()
    return made


def test_the_default_study_leaves_only_what_is_said(
    left_undone: set[tuple[str, str, str]],
) -> None:
    """E11 without a judge, the variants that need new chains, and what has a table of its own."""
    assert {(name, quantity) for name, quantity, _ in left_undone} == {
        ("E11", "consistency"),
        *ACROSS,
        *(("E13", f"accuracy_gap_pp[{name}]") for name in NEW_CHAINS),
    }
    reasons = {reason for name, _, reason in left_undone if name == "E13"}
    assert reasons == {"needs new chains; run config/dependence.yaml, or name it in `variants`"}


def test_the_dependence_study_runs_every_registered_variant(dependence: Made) -> None:
    left = {(name, quantity) for name, quantity, _ in dependence.not_run()}
    assert left == {("E11", "consistency"), *ACROSS}


def test_every_cell_has_its_place_in_the_map_of_the_null(default: Made) -> None:
    """E12 without any variant: one row in each of the eight cells."""
    rows = [row for row in read_rows(default.results / "estimates.csv") if row.id == "E12"]
    assert [row.cell for row in rows] == default.flow.study.cells
    assert len(rows) == CELLS


def test_what_variants_share_is_asked_for_once(default: Made) -> None:
    """One request per chain; two caps and an outcome ask for nothing, a segmentation for what no
    earlier prefix of the same question has asked."""
    asked = default.asked
    assert asked["registered chains"] == CELLS * QUESTIONS
    assert not {f"registered {name}" for name in ("cap_16", "cap_4")} & set(asked)
    assert asked["registered registered"] > 0
    # no scripted chain has more than six units: no cap of eight leaves anything out
    assert asked["registered cap_none"] == asked["registered cap_merge"] == 0


def test_the_dependence_study_asks_for_its_new_chains_alone(
    default: Made, dependence: Made
) -> None:
    """The default study's files stay; each new chain block asks once per question and prefix."""
    assert {name.partition(" ")[0] for name in dependence.asked} == set(NEW_CHAINS)
    for name in NEW_CHAINS:
        assert dependence.asked[f"{name} chains"] == CELLS * QUESTIONS


def test_missed_nulls_are_counted_over_the_eight_cells(default: Made) -> None:
    table = read_table(default.results / "comparison.csv")
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    (row,) = [one for one in rows if one["quantity"] == "conditions_missing_the_null"]
    assert row["published"] == "6.0"
    assert 0 <= float(row["ours"]) <= CELLS
    assert row["difference_note"].endswith(f"of the {CELLS} registered cells run")


def test_the_report_has_all_seven_tables_of_the_paper(default: Made) -> None:
    made = sorted(path.stem for path in (default.results / "tables/paper").glob("*.csv"))
    assert [name[0] for name in made] == list("1234567")
