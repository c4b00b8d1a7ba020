"""What the rules of `variants.smk` ask: the study's protocol beside its variants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cot_entropy.base.digest import stage_digest
from cot_entropy.base.errors import ConfigError
from cot_entropy.plan.model import Plan
from cot_entropy.protocol.variants import Absent, Compared, VariantsJob
from cot_entropy.study.reuse import reseeded
from cot_entropy.workflow.study import Workflow


@dataclass(frozen=True)
class Variants:
    """The variants that the study names."""

    flow: Workflow

    @property
    def job(self) -> str:
        """Compare the variants with the study's own protocol, cell by cell.

        Cells that are not selected take part where an earlier run left all of their files.
        """
        flow = self.flow
        cells = [
            cell
            for cell in flow.study.cells
            if cell in flow.study.selected
            or all(Path(path).is_file() for path in flow.cell_trajectories(cell))
        ]
        job = VariantsJob(
            protocol=flow.study.protocol,
            cells=cells,
            variants=[
                Compared(name=name, reseeded=reseeded(one, flow.registered, flow.blocks.chain))
                for name, one in flow.variants.items()
            ],
            absent=list(self._absent()),
            trajectories=[path for cell in cells for path in flow.cell_trajectories(cell)],
            code_digest=stage_digest("variants"),
        )
        return job.model_dump_json()

    @property
    def trajectories(self) -> list[str]:
        """The trajectories of the selected cells under each variant."""
        return [
            path
            for names in self.flow.variants.values()
            for path in self.flow.trajectories(self.flow.study.selected, names)
        ]

    @property
    def table(self) -> list[str]:
        """The table of the variants, where the study names any."""
        return [f"{self.flow.results}/variants.csv"] if self.flow.variants else []

    @property
    def named_table(self) -> list[str]:
        """As `table`; raises ConfigError with the plan's variants where the study names none."""
        if not self.flow.variants:
            registered = ",".join(f'"{name}"' for name in self.registered) or "..."
            known = ", ".join(self.flow.blocks.protocols)
            raise ConfigError(
                f"variants: none named; those that the plan registers: --config "
                f"variants='[{registered}]'; known: {known}"
            )
        return self.table

    @property
    def registered(self) -> list[str]:
        """The variants that the plan's E13 registers, those that the study knows."""
        known = self.flow.blocks.protocols
        return [name for name in registered_variants(self.flow.registered_plan) if name in known]

    def _absent(self) -> Iterator[Absent]:
        own = self.flow.registered.chain
        for name in registered_variants(self.flow.registered_plan):
            if name in self.flow.variants:
                continue
            found = self.flow.blocks.protocols.get(name)
            if found is None:
                reason = f"no protocol `{name}` in {self.flow.study.protocols}"
            elif found.chain != own:
                reason = "needs new chains; run config/dependence.yaml, or name it in `variants`"
            else:
                reason = "not named in the study's `variants`"
            yield Absent(name=name, reason=reason)


def registered_variants(plan: Plan) -> list[str]:
    """The variants that a plan registers, in order; none without such an entry."""
    return [
        name
        for entry in plan.exploratory
        if entry.estimator == "variants"
        for name in entry.params.variants
    ]
