"""What the rules of `analyse.smk` ask: the tables behind verdicts and report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cot_entropy.base.files import sha256_file
from cot_entropy.workflow.study import Workflow


@dataclass(frozen=True)
class Analyse:
    """What the study's statistics and its report read."""

    flow: Workflow

    @property
    def trajectories(self) -> list[str]:
        """The selected cells' trajectories, and those an earlier run left of the other cells.

        The others are analysed and never rerun; all stand in the order of the config.
        """
        selected = set(self.flow.selected_trajectories)
        every = self.flow.trajectories(self.flow.study.cells)
        return [path for path in every if path in selected or Path(path).is_file()]

    @property
    def optional_tables(self) -> dict[str, str]:
        """What the report shows where it is there, by path, with its hash."""
        folder = Path(self.flow.results)
        patterns = ("calibration/*.csv", "consistency/**/*.csv", "consistency/*/*/*/*.jsonl.zst")
        found = [path for pattern in patterns for path in folder.glob(pattern)]
        found += self.flow.registered_calibration
        return {str(path): sha256_file(path) for path in sorted(found)}
