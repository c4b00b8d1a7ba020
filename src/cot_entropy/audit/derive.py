"""Everything after the generations made again, and compared with what is stored.

chains -> prefixes, generations -> trajectories, sensitivity tables and votes, trajectories ->
estimates and verdicts, all of them -> report: with this installation's code, into a scratch
folder, without a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from pathlib import Path

from cot_entropy.audit.findings import Finding, problem_of
from cot_entropy.audit.page import OTHER_CODE, page_findings, written_by_this_code
from cot_entropy.audit.table_diff import Table, differences, read_csv, read_parquet, summary
from cot_entropy.base.files import read_jsonl
from cot_entropy.formats.records import Header
from cot_entropy.generate.prefixes import cut_prefixes
from cot_entropy.plan.load import load_plan
from cot_entropy.protocol.baseline import BaselineJob
from cot_entropy.protocol.probe import PrefixesJob
from cot_entropy.protocol.scoring import ScoreJob, ScoringBlock, SensitivityJob
from cot_entropy.registration.items import Items
from cot_entropy.registration.provenance import CellRecord
from cot_entropy.signal.score import score
from cot_entropy.signal.sensitivity import sensitivity
from cot_entropy.stats.analyse import analyse
from cot_entropy.stats.baseline import compare_baseline
from cot_entropy.stats.row_status import Standings
from cot_entropy.study.config import Configuration

TABLES = ("verdicts.csv", "estimates.csv", "comparison.csv", "replication.csv")


@dataclass(frozen=True, kw_only=True)
class Derivation:
    """One results folder, and where to derive it again."""

    results: Path
    scratch: Path
    configuration: Configuration
    plan: Path
    standings: Standings
    items: Items
    """Registered items as the run found them, the digests of its code among them."""
    jobs: int
    """Processes that analyse cells side by side."""
    derived: list[str] = field(default_factory=list)
    """Files that were made again, by path below the results."""
    limits: list[str] = field(default_factory=list)
    """What could not be made again, and why."""

    def findings(self, cells: Sequence[CellRecord]) -> Iterator[Finding]:
        """Every derived file whose content is not what is stored."""
        for cell in cells:
            for name, header in cell.headers.items():
                if header.stage == "prefixes":
                    yield from self._compared(name, partial(self._prefixes, name, header))
                if header.stage == "completions":
                    yield from self._scored(cell.cell, name)
                if header.stage == "self_consistency":
                    yield from self._voted(cell.cell, name)
        yield from self._analysed()
        yield from self._reported()

    def _scored(self, cell: str, completions: str) -> Iterator[Finding]:
        probe = completions.rsplit("/", 1)[0]
        for scoring in self.configuration.protocols.scoring:
            name = f"{probe}/{scoring}/trajectories.parquet"
            if (self.results / name).is_file():
                yield from self._compared(
                    name, partial(self._trajectories, cell, probe, name, scoring)
                )
        name = f"{probe}/sensitivity.csv"
        if (self.results / name).is_file():
            yield from self._compared(name, partial(self._sensitivity, cell, probe, name))

    def _voted(self, cell: str, sampled: str) -> Iterator[Finding]:
        name = sampled.replace(".jsonl.zst", ".csv")
        if (self.results / name).is_file():
            yield from self._compared(name, partial(self._baseline, cell, sampled, name))

    def _compared(self, name: str, derive: Callable[[], str]) -> Iterator[Finding]:
        self.derived.append(name)
        if problem := problem_of(derive):
            short = problem.replace(f"{self.results}/", "").replace(f"{self.scratch}/", "")
            yield Finding(check="derivation", subject=name, detail=short)

    def _prefixes(self, name: str, header: Header) -> str:
        if header.probe is None:
            return "its header has no probe block"
        chains = self.results / name.rsplit("/", 2)[0] / "chains.jsonl.zst"
        job = PrefixesJob(probe=header.probe, code_digest=header.code_digest)
        again = self.scratch / name
        cut_prefixes(job, chains=chains, out=again)
        pairs = zip_longest(read_jsonl(self.results / name), read_jsonl(again))
        for number, (stored, derived) in enumerate(pairs, start=1):
            if stored != derived:
                return f"line {number} is not what its chains give"
        return ""

    def _trajectories(self, cell: str, probe: str, name: str, scoring: str) -> str:
        block = self.configuration.protocols.scoring[scoring]
        again = self.scratch / name
        score(
            ScoreJob(cell=cell, scoring=block, code_digest=""),
            **self._generations(probe),
            out=again,
        )
        return _differ(read_parquet(self.results / name), read_parquet(again))

    def _sensitivity(self, cell: str, probe: str, name: str) -> str:
        again = self.scratch / name
        sensitivity(
            SensitivityJob(cell=cell, scoring=self._registered_scoring, code_digest=""),
            **self._generations(probe),
            out=again,
        )
        return _differ(read_csv(self.results / name), read_csv(again))

    def _baseline(self, cell: str, sampled: str, name: str) -> str:
        path, again = self.results / sampled, self.scratch / name
        trajectories = registered_trajectories(self.configuration, self.results, [cell])
        if not trajectories:
            return "its cell has no trajectories"
        compare_baseline(
            BaselineJob(cell=cell, scoring=self._registered_scoring, code_digest=""),
            chains=path.with_name("chains.jsonl.zst"),
            self_consistency=path,
            trajectories=trajectories[0],
            plan=self.plan,
            out=again,
        )
        return _differ(read_csv(self.results / name), read_csv(again))

    @property
    def _registered_scoring(self) -> ScoringBlock:
        study, protocols = self.configuration.study, self.configuration.protocols
        return protocols.scoring[protocols.protocols[study.protocol].scoring]

    def _generations(self, probe: str) -> dict[str, Path]:
        folder = self.results / probe
        return {
            "chains": folder.parent / "chains.jsonl.zst",
            "prefixes": folder / "prefixes.jsonl.zst",
            "completions": folder / "completions.jsonl.zst",
        }

    def _analysed(self) -> Iterator[Finding]:
        if problem := problem_of(self._tables):
            short = problem.replace(f"{self.results}/", "")
            yield Finding(check="derivation", subject=TABLES[0], detail=short)
            return
        for name in TABLES:
            if not (self.results / name).is_file() and not (self.scratch / name).is_file():
                continue
            yield from self._compared(name, partial(self._table, name))

    def _reported(self) -> Iterator[Finding]:
        if not written_by_this_code(self.items, load_plan(self.plan).plan):
            self.limits.append(OTHER_CODE)
            return
        yield from page_findings(
            self.results,
            plan=self.plan,
            scratch=self.scratch / "report",
            done=self.derived.append,
        )

    def _tables(self) -> str:
        analyse(
            self.plan,
            registered_trajectories(self.configuration, self.results),
            self.scratch,
            standings=self.standings,
            variants=self._variants,
            jobs=self.jobs,
        )
        return ""

    @property
    def _variants(self) -> Path | None:
        path = self.results / "variants.csv"
        return path if path.is_file() and self.configuration.study.variants else None

    def _table(self, name: str) -> str:
        return _differ(read_csv(self.results / name), read_csv(self.scratch / name))


def registered_trajectories(
    configuration: Configuration, results: Path, cells: Sequence[str] | None = None
) -> list[Path]:
    """The trajectories that an analysis of a study rests on, in the order of its config.

    Those of all cells, or of `cells`; of a cell that has none, nothing.
    """
    names = configuration.protocols.protocols[configuration.study.protocol]
    below = f"{names.chain}/{names.probe}/{names.scoring}/trajectories.parquet"
    paths = (results / cell / below for cell in cells or configuration.study.cells)
    return [path for path in paths if path.is_file()]


def _differ(stored: Table, derived: Table) -> str:
    found = list(differences(stored, derived))
    return f"stored v derived again: {summary(found)}" if found else ""
