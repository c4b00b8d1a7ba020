"""Authors, OSF and auditor in three folders, from `register` to `audit --registered`.

The authors register, generate and hand over an archive; OSF, a server on this machine, keeps what
was uploaded, sets its date and gives it as a zip; the auditor has the archive, the zip and OSF's
address, and nothing of the authors' folder. One author is honest. Each of the others registers
the same, and then does otherwise; what the auditor reads names the value.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from tests.osf_server import Osf, Registration, osf_server
from tests.projects import commit, forget_digests, make_project
from tests.runs import CONFIG, RESULTS, finish, run_tiny, write_tiny_study

from cot_entropy.audit.archive import archive
from cot_entropy.audit.audit import audit
from cot_entropy.audit.audit_report import AuditReport
from cot_entropy.registration.anchors.add import add_osf
from cot_entropy.registration.anchors.check import frozen_at
from cot_entropy.registration.bundle import write_bundle
from cot_entropy.registration.freeze import freeze
from cot_entropy.study.config import read_configuration

PLAN = Path("preregistration/plan.yaml")
FREEZE = Path("preregistration/freeze.json")


@dataclass(frozen=True)
class World:
    """Three folders, and OSF's address."""

    author: Path
    osf_folder: Path
    auditor: Path
    osf: Osf

    def upload(self, *, after: timedelta = timedelta()) -> None:
        """Upload the bundle; OSF dates it now, or that much later."""
        bundle = self.author / "upload"
        write_bundle(CONFIG, bundle)
        files = {path.name: path.read_bytes() for path in bundle.iterdir()}
        shutil.rmtree(bundle)
        when = datetime.now(UTC) + after
        self.osf.registrations["abcde"] = Registration(
            files, date_registered=f"{when:%Y-%m-%dT%H:%M:%S.%f}"
        )
        with zipfile.ZipFile(self.osf_folder / "abcde.zip", "w") as packed:
            for name, content in files.items():
                packed.writestr(f"Archive of OSF Storage/{name}", content)

    def register(self) -> None:
        """What `freeze`, `register` and OSF's buttons do, and `anchor osf` after them."""
        freeze(CONFIG)
        commit(self.author)
        self.upload()
        add_osf(frozen_at(FREEZE), "abcde", api=self.osf.api)
        commit(self.author)

    def hand_over(self) -> None:
        """The auditor gets the archive, and downloads the registration."""
        archive(RESULTS, self.auditor / "run.zip")
        shutil.copyfile(self.osf_folder / "abcde.zip", self.auditor / "osf.zip")

    def audited(self) -> AuditReport:
        """The auditor's own reading, in the auditor's own folder."""
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.auditor)
            return audit(Path("run.zip"), registered=Path("osf.zip"), online=self.osf.api, jobs=1)


@contextmanager
def world(root: Path) -> Iterator[World]:
    """The folders, with the authors' project as the working folder."""
    for name in ("osf", "auditor"):
        (root / name).mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch, osf_server() as osf:
        author = make_project(root / "author", patch)
        write_tiny_study(author, baselines={})
        commit(author)
        yield World(author, root / "osf", root / "auditor", osf)
    forget_digests()


def edit_plan(change: Callable[[dict], None]) -> None:  # type: ignore[type-arg]
    values = yaml.safe_load(PLAN.read_text())
    change(values)
    PLAN.write_text(yaml.safe_dump(values, sort_keys=False))


def edit_study(**changes: object) -> None:
    CONFIG.write_text(yaml.safe_dump({**yaml.safe_load(CONFIG.read_text()), **changes}))


def freeze_again(root: Path) -> None:
    """Make a freeze of what is there now, as if it had been the first, without a reason."""
    FREEZE.unlink()
    shutil.rmtree("preregistration/anchors")
    commit(root)
    forget_digests()
    freeze(CONFIG)
    commit(root)


def differences(report: AuditReport) -> dict[str, str]:
    return {one.subject: one.detail for one in report.findings if one.check == "registered"}


def test_an_honest_author_passes(tmp_path: Path) -> None:
    """Confirmatory by the copy from OSF, dated by OSF itself, and nothing differs."""
    with world(tmp_path) as play:
        play.register()
        run_tiny()
        play.hand_over()
        report = play.audited()
    assert report.findings == []
    assert report.exit_code == 0
    assert report.confirmatory_rows > 0
    assert report.registered == "osf.zip"
    assert report.anchors[0].startswith("anchors/1.osf.json: verified: osf.io/abcde, registered")
    assert "unanchored" not in "\n".join(report.lines())


def moved_bound() -> None:
    """H1 would be refuted; with the bound at -90 percentage points nothing can be."""
    edit_plan(lambda plan: plan["hypotheses"][0]["bounds"].update(threshold=-90.0))


def other_seed() -> None:
    """The seed under which the numbers looked best."""
    edit_study(seed=7)


def dropped_hypothesis() -> None:
    """H3 did not come out."""
    edit_plan(lambda plan: plan["hypotheses"].pop(2))


def other_threshold() -> None:
    """A wider eps flags more chains as monotone."""
    edit_plan(lambda plan: plan.update(eps=0.2))
    protocols = Path("config/protocols.yaml")
    values = yaml.safe_load(protocols.read_text())
    values["scoring"]["registered"]["eps"] = 0.2
    protocols.write_text(yaml.safe_dump(values, sort_keys=False))


@pytest.mark.parametrize(
    ("cheat", "subject", "detail"),
    [
        (moved_bound, "H1.bounds.threshold", "0 -> -90"),
        (other_seed, "config/seed", "11 -> 7"),
        (dropped_hypothesis, "H3", "registered -> not there"),
        (other_threshold, "config/scoring.eps", "0.01 -> 0.2"),
    ],
    ids=["bound", "seed", "hypothesis", "threshold"],
)
def test_an_author_who_changes_what_was_registered_is_found_by_value(
    cheat: Callable[[], None], subject: str, detail: str, tmp_path: Path
) -> None:
    """The forged freeze fits the forged run in every hash; only OSF's copy says otherwise."""
    with world(tmp_path) as play:
        play.register()
        cheat()
        freeze_again(play.author)
        run_tiny()
        play.hand_over()
        report = play.audited()
    found = differences(report)
    assert found[subject] == detail
    assert "freeze.frozen_at" in found or "freeze.commit" in found
    assert report.exit_code == 1
    rows = {line.id: line.registered for line in report.entries}
    assert rows["H2"] == "as frozen"
    assert rows["H1"] == ("changed" if subject.startswith("H1") else "as frozen")
    assert report.demoted_rows > 0 or subject == "H3"


def test_an_author_who_registers_after_the_results_is_found_by_the_dates(tmp_path: Path) -> None:
    """OSF's date is not theirs to choose; their own clock says when generation began."""
    with world(tmp_path) as play:
        freeze(CONFIG)
        commit(play.author)
        run_tiny()
        play.upload(after=timedelta(hours=1))
        add_osf(frozen_at(FREEZE), "abcde", api=play.osf.api)
        run_tiny_again()
        play.hand_over()
        report = play.audited()
    late = [one for one in report.findings if one.check == "anchors"]
    assert len(late) == 4  # chains and completions of two cells
    date = play.osf.registrations["abcde"].date_registered[:19]
    assert all(f"the freeze is dated {date}Z" in one.detail for one in late)
    assert report.exit_code == 1


def run_tiny_again() -> None:
    """Record, analyse and seal with the anchor beside the freeze; nothing is generated again."""
    finish(read_configuration(CONFIG), RESULTS)
