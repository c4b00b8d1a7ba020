"""What the rules of `provenance.smk` ask: what a run writes down about itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cot_entropy.registration.anchors.store import FOLDER as ANCHORS
from cot_entropy.registration.provenance import cell_path, run_job
from cot_entropy.workflow.study import Workflow


@dataclass(frozen=True)
class Provenance:
    """The records of the run and of its cells."""

    flow: Workflow

    @property
    def run_job(self) -> str:
        """Record the run: its configuration, and the code of every stage."""
        return run_job(self.flow.configuration).model_dump_json()

    @property
    def registration_files(self) -> list[str]:
        """What stands beside the plan: freeze, deviations, differences, published, calibration."""
        folder = Path(self.flow.plan).parent
        beside = [path for path in folder.iterdir() if path.suffix in {".yaml", ".json"}]
        beside += (folder / ANCHORS).glob("*")
        return sorted(map(str, [*beside, *self.flow.registered_calibration]))

    def cell_record(self, cell: str) -> str:
        """The provenance of one cell."""
        return str(cell_path(Path(self.flow.results), cell))

    @property
    def cell_records(self) -> list[str]:
        """The provenance of the selected cells."""
        return [self.cell_record(cell) for cell in self.flow.study.selected]
