"""Effects that the scripted engine plants, one per protocol choice, come back in variants.csv.

The real stages run under the shipped blocks; every expected number is counted from the cases.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import stdev
from typing import Final

import pytest
import yaml
from scipy.stats import spearmanr
from tests.generation import byte_level_tokenizer, model_folder, scripted_settings, write_manifest
from tests.planted import CELL, GROUPS, STUDY_SEED, PlantedBackend, answer, question_text

from cot_entropy.base.files import write_jsonl
from cot_entropy.engine.stream import Engine
from cot_entropy.formats.inputs import DatasetHeader, Question
from cot_entropy.generate.chains import generate_chains
from cot_entropy.generate.completions import sample_completions
from cot_entropy.generate.prefixes import cut_prefixes
from cot_entropy.protocol.chain import ChainsJob
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.protocol.probe import CompletionsJob, PrefixesJob
from cot_entropy.protocol.scoring import ScoreJob
from cot_entropy.protocol.variants import Compared, VariantsJob
from cot_entropy.signal.score import score
from cot_entropy.stats.variants import compare_variants
from cot_entropy.study.config import Configuration, read_configuration
from cot_entropy.study.reuse import reseeded

ROOT = Path(__file__).parents[2]
N: Final = len(GROUPS)

RIGHT: Final = frozenset(
    {
        *("neutral", "long", "lines", "steps", "six", "wordy", "small_rise", "large_rise"),
        *("inherit", "boxed", "first_run", "two_runs"),
    }
)
"""Cases whose majority is right under the registered protocol."""
RISING: Final = frozenset({"rising", "small_rise", "large_rise", "silent"})
"""Cases with one violation there."""
SHAPELESS: Final = frozenset({"wordier"})
"""Cases without an answer anywhere there."""


@dataclass(frozen=True, kw_only=True)
class Moved:
    """The cases that a variant moves: to right or wrong, to a rise or none, to no shape or one."""

    right: str = ""
    wrong: str = ""
    rising: str = ""
    falling: str = ""
    shaped: str = ""
    shapeless: str = ""

    def outcomes(self) -> frozenset[str]:
        return (RIGHT | set(self.right.split())) - set(self.wrong.split())

    def rises(self) -> frozenset[str]:
        return (RISING | set(self.rising.split())) - set(self.falling.split())

    def undefined(self) -> frozenset[str]:
        return (SHAPELESS | set(self.shapeless.split())) - set(self.shaped.split())


NOTHING: Final = Moved()
MOVED: Final = {
    "registered": NOTHING,
    # token budget: the answer stands after 600 tokens, after 1100
    "budget_512": Moved(wrong="long"),
    "budget_2048": Moved(right="longer"),
    "temperature_0.1": Moved(right="cool"),
    # samples disagree after the first line, after the first step
    "newlines": Moved(rising="lines"),
    "step_marker": Moved(rising="steps"),
    # and a chain without a marker is one unit, its twelfth paragraph included
    "step_marker_only": Moved(rising="steps", right="twelve"),
    # the answer is the twelfth unit, the sixth
    "cap_merge": Moved(right="twelve"),
    "cap_none": Moved(right="twelve"),
    "cap_16": Moved(right="twelve"),
    "cap_4": Moved(wrong="six"),
    # the answer stands after 100 tokens of every completion, after 200
    "completion_64": Moved(wrong="wordy", shapeless="wordy"),
    "completion_300": Moved(right="wordier", shaped="wordier"),
    "forced_answer": Moved(right="wordier", shaped="wordier"),
    # majorities of the first 3, 10 and 20; of the first 3, {2,2,1} and {2,1,1,1} are one partition
    "m_3": Moved(right="three", falling="large_rise"),
    "m_10": Moved(right="ten"),
    "m_20": Moved(right="twenty"),
    "completion_only": Moved(wrong="inherit"),
    "extraction_robust": Moved(right="invented"),
    "extraction_zhao": Moved(wrong="boxed"),
    "by_value": Moved(right="quarter"),
    "robust": Moved(right="invented quarter"),
    # two of five answer, and rightly
    "no_answer_drop": Moved(right="silent", falling="silent"),
    "no_answer_singleton": Moved(right="silent"),
    # chains that end in 1 though their majority does not, and one that has no answer
    "chain_outcome": Moved(right="stubborn twelve", wrong="wordy"),
    # rises of 0.1046 and 0.277 nats; with m = 5 there is none between 0 and 0.1046
    "eps_0": NOTHING,
    "eps_0.05": NOTHING,
    "eps_0.1": NOTHING,
    "eps_0.2": Moved(falling="small_rise"),
    "eps_0.5": Moved(falling="small_rise large_rise"),
    "seed_1": Moved(wrong="first_run"),
    "seed_2": Moved(wrong="first_run two_runs"),
}

Row = dict[str, str]
Table = dict[tuple[str, str], Row]


@pytest.fixture(scope="module")
def shipped() -> Configuration:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return read_configuration(ROOT / "config/demo.yaml")


@pytest.fixture(scope="module")
def table(shipped: Configuration, tmp_path_factory: pytest.TempPathFactory) -> Table:
    """variants.csv of every shipped variant but Z26's, by variant and quantity."""
    folder = tmp_path_factory.mktemp("planted")
    plan = yaml.safe_load((ROOT / "preregistration/plan.yaml").read_text(encoding="utf-8"))
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan | {"resamples": 100}), encoding="utf-8")
    run = Planted(folder, shipped)
    known = shipped.protocols.protocols
    names = [name for name in MOVED if name != "registered"]
    job = VariantsJob(
        protocol="registered",
        cells=[CELL],
        variants=[
            Compared(
                name=name,
                reseeded=reseeded(known[name], known["registered"], shipped.protocols.chain),
            )
            for name in names
        ],
        trajectories=[str(run.trajectories(name)) for name in MOVED],
        code_digest="v",
    )
    compare_variants(job, plan=folder / "plan.yaml", out=folder / "variants.csv")
    with (folder / "variants.csv").open(encoding="utf-8") as stream:
        return {
            (row["variant"], row["quantity"].split("[")[0]): row for row in csv.DictReader(stream)
        }


class Planted:
    """The stages on the planted engine, each file made once."""

    def __init__(self, folder: Path, shipped: Configuration) -> None:
        self.folder = folder
        self.blocks = shipped.protocols
        self.model = write_manifest(folder / "model.json", model_folder(folder / "model"))
        self.questions = folder / "questions.jsonl.zst"
        header = DatasetHeader(
            name="planted",
            source="local",
            revision="r1",
            sha256="0" * 64,
            questions_sha256="0" * 64,
            answer="math",
            questions=N,
        )
        rows = [
            Question(id=name, text=question_text(name), gold=group.gold)
            for name, group in GROUPS.items()
        ]
        write_jsonl(self.questions, [one.model_dump(mode="json") for one in (header, *rows)])
        self.chains = cache(self._chains)
        self.probed = cache(self._probed)

    def trajectories(self, protocol: str) -> Path:
        names = self.blocks.protocols[protocol]
        prefixes, completions = self.probed(names.chain, names.probe)
        out = self.folder / f"{protocol}.parquet"
        block = self.blocks.scoring[names.scoring]
        score(
            ScoreJob(cell=CELL, scoring=block, code_digest="s"),
            chains=self.chains(names.chain),
            prefixes=prefixes,
            completions=completions,
            out=out,
        )
        return out

    def _chains(self, name: str) -> Path:
        out = self.folder / f"{name}.chains.jsonl.zst"
        job = ChainsJob(
            cell=CELL,
            study_seed=STUDY_SEED,
            chain=self.blocks.chain[name],
            engine=scripted_settings(max_model_len=4096),
            code_digest="c",
        )
        generate_chains(job, model=self.model, questions=self.questions, out=out, engine=_engine)
        return out

    def _probed(self, chain: str, name: str) -> tuple[Path, Path]:
        probe, chains = self.blocks.probe[name], self.chains(chain)
        prefixes, completions = (
            self.folder / f"{chain}.{name}.{kind}.jsonl.zst" for kind in ("prefixes", "completions")
        )
        cut_prefixes(PrefixesJob(probe=probe, code_digest="p"), chains=chains, out=prefixes)
        job = CompletionsJob(
            probe=probe, engine=scripted_settings(max_model_len=4096), code_digest="k"
        )
        sample_completions(
            job,
            model=self.model,
            chains=chains,
            prefixes=prefixes,
            out=completions,
            engine=_engine,
        )
        return prefixes, completions


def _engine(settings: EngineSettings, folder: Path) -> Engine:
    return Engine(lambda: PlantedBackend(folder), settings)


def number(row: Row, column: str = "estimate") -> float:
    return float(row[column])


def test_every_shipped_variant_but_z26_has_a_planted_effect(shipped: Configuration) -> None:
    assert set(MOVED) == {one for one in shipped.protocols.protocols if not one.startswith("zhao")}


@pytest.mark.parametrize("variant", MOVED)
def test_the_planted_accuracy_is_recovered(table: Table, variant: str) -> None:
    """Cases that are right, of all; the difference is what the variant moves, and no more."""
    row = table[variant, "accuracy"]
    assert number(row) == pytest.approx(len(MOVED[variant].outcomes()) / N)
    if variant != "registered":
        moved = len(MOVED[variant].outcomes()) - len(RIGHT)
        assert number(row, "difference") == pytest.approx(moved / N)
        assert number(row, "difference_low") <= moved / N <= number(row, "difference_high")


@pytest.mark.parametrize("variant", MOVED)
def test_the_planted_flag_rate_is_recovered(table: Table, variant: str) -> None:
    """Monotone cases, of those with a shape."""
    moved = MOVED[variant]
    shaped = N - len(moved.undefined())
    found = number(table[variant, "flag_rate"])
    assert found == pytest.approx((shaped - len(moved.rises())) / shaped)


@pytest.mark.parametrize("variant", MOVED)
def test_the_planted_gap_is_recovered(table: Table, variant: str) -> None:
    """Share of right cases among the monotone less that among the others, percentage points."""
    moved = MOVED[variant]
    others = moved.rises()
    monotone = GROUPS.keys() - others - moved.undefined()
    shares = [len(moved.outcomes() & group) / len(group) for group in (monotone, others)]
    found = number(table[variant, "accuracy_gap_pp"])
    assert found == pytest.approx(100 * (shares[0] - shares[1]))


@pytest.mark.parametrize("variant", MOVED)
def test_the_planted_rank_correlation_is_recovered(table: Table, variant: str) -> None:
    """scipy's rho of one violation or none with the outcome, over the cases with a shape."""
    moved = MOVED[variant]
    shaped = sorted(GROUPS.keys() - moved.undefined())
    rho = spearmanr(
        [name in moved.rises() for name in shaped], [name in moved.outcomes() for name in shaped]
    ).statistic
    assert number(table[variant, "rho_violations"]) == pytest.approx(rho)


@pytest.mark.parametrize("variant", ["eps_0", "eps_0.05", "eps_0.1"])
def test_small_eps_changes_nothing_with_five_samples(table: Table, variant: str) -> None:
    """Arithmetic: no rise is smaller than 0.1046 nats. Every difference is 0, interval included."""
    rows = [row for (name, _), row in table.items() if name == variant]
    assert len(rows) == 7
    for row in rows:
        assert {row[column] for column in ("difference", "difference_low", "difference_high")} == {
            "0.0"
        }


def test_tokens_that_a_completion_budget_saves_are_counted(table: Table) -> None:
    """Three prefixes of five: `wordy` stopped by itself, `wordier` at 150 tokens; now both at 64."""
    whole = 100 + len(byte_level_tokenizer().encode(answer(1)).ids) + 1
    saved = 3 * 5 * (whole - 64 + 150 - 64)
    row = table["completion_64", "tokens_per_question"]
    assert number(row, "difference") == pytest.approx(-saved / N)


def test_the_spread_between_decoding_runs_stands_beside_every_interval(table: Table) -> None:
    """One case less in the second run, two in the third: a standard deviation of one case."""
    count = len(RIGHT)
    expected = stdev([count / N, (count - 1) / N, (count - 2) / N])
    assert expected == pytest.approx(1 / N)
    for (variant, quantity), row in table.items():
        assert row["between_seed_sd"] != "", (variant, quantity)
        if quantity == "accuracy":
            assert number(row, "between_seed_sd") == pytest.approx(expected)


def test_the_map_of_the_magnitude_null_covers_every_variant(table: Table) -> None:
    """E12: rho(C) with its interval and a word under each protocol."""
    for variant in MOVED:
        row = table[variant, "rho_coherence"]
        assert row["id"] == "E12"
        assert row["reason"].startswith(("null holds", "null does not hold", "undecided"))
        assert number(row, "ci_low") <= number(row) <= number(row, "ci_high")
