"""An estimate as it is printed."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cot_entropy.estimate.figures import Amounts, Estimate

MIB = 2**20


def render(found: Estimate) -> RenderableType:
    """Cells and their sum; predicted against actual where files are finished; notes, warnings."""
    speeds = ", ".join(f"{name} {speed:,.0f}" for name, speed in found.tokens_per_second.items())
    parts: list[RenderableType] = [
        _cells(found),
        Text(
            f"On {found.device}, at assumed generated tokens/s: {speeds}. Engine starts are "
            f"{_share(found.total.start_hours, found.total.hours)} of the hours. On disk at most "
            f"{_mib(found.disk_bytes)} at a time."
        ),
    ]
    if len(found.protocols) > 1:
        parts.append(_protocols(found))
    if any(one.actual for one in found.files):
        parts.append(_files(found))
    notes: dict[str, list[str]] = {}
    for cell in found.cells:
        for note in cell.notes:
            notes.setdefault(note, []).append(cell.cell)
    every = len(found.cells)
    parts.append(
        Text(
            "\n".join(
                f"{note} ({'all cells' if len(cells) == every else ', '.join(cells)})"
                for note, cells in notes.items()
            )
        )
    )
    parts += [Text(f"warning: {warning}") for warning in found.warnings]
    return Group(*parts)


def _cells(found: Estimate) -> Table:
    table = Table(
        title=f"{found.study}: predicted",
        caption="tokens: mean prompt, generated in all, prompts computed (not reused) in all",
    )
    table.add_column("cell", overflow="fold")
    for name in ("questions", "prompt", "requests", "generated", "computed", "disk", "memory"):
        table.add_column(name, justify="right")
    table.add_column("hours", justify="right")
    for cell in found.cells:
        table.add_row(
            cell.cell,
            f"{cell.questions:,}",
            f"{cell.prompt_tokens}",
            *_amounts(cell.predicted),
            _mib(cell.storage_bytes),
            f"{cell.device_gib:.1f} GiB",
            f"{cell.predicted.hours:.2f}",
        )
    table.add_section()
    table.add_row(
        "in all",
        f"{sum(cell.questions for cell in found.cells):,}",
        "",
        *_amounts(found.total),
        _mib(found.storage_bytes),
        "",
        f"{found.total.hours:.2f}",
    )
    return table


def _protocols(found: Estimate) -> Table:
    table = Table(
        title="what each protocol adds",
        caption="0: taken from stored generations; in part stored ones are counted whole",
    )
    table.add_column("protocol", overflow="fold")
    for name in ("requests", "generated", "computed", "hours"):
        table.add_column(name, justify="right")
    for one in found.protocols:
        table.add_row(one.protocol, *_amounts(one.predicted), f"{one.predicted.hours:.2f}")
    return table


def _files(found: Estimate) -> Table:
    table = Table(title="predicted against actual (actual / predicted)")
    table.add_column("file", overflow="fold")
    for name in ("generated tokens", "prompt tokens computed", "hours"):
        table.add_column(name, justify="right")
    for one in found.files:
        if one.actual is None:
            continue
        before, after = one.predicted, one.actual
        table.add_row(
            one.path,
            _ratio(before.generated_tokens, after.generated_tokens, ",.0f"),
            _ratio(before.prompt_tokens_computed, after.prompt_tokens_computed, ",.0f"),
            _ratio(before.hours, after.hours, ".3f"),
        )
    return table


def _amounts(one: Amounts) -> tuple[str, str, str]:
    return (
        f"{one.requests:,}",
        f"{one.generated_tokens:,}",
        f"{one.prompt_tokens_computed:,}",
    )


def _ratio(before: float, after: float, form: str) -> str:
    return f"{before:{form}} -> {after:{form}} ({_times(after, before)})"


def _times(after: float, before: float) -> str:
    return f"{after / before:.2f}" if before else "-"


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def _mib(count: float) -> str:
    return f"{count / MIB:,.0f} MiB"
