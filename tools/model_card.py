"""Print the model card's table from a run: accuracy, flag rate, groups, cost, for each cell.

    python -m tools.model_card results/demo/smollm2-135m-demo/wordproblems ...

Each argument is the folder of a cell, `results/<study>/<model>/<dataset>`. The table goes to
standard output; with `--into CARD` it replaces what stands between the card's markers.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import pandas as pd
import typer

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import write_text
from cot_entropy.formats.run_summary import read_summary, summary_path
from cot_entropy.formats.trajectories import read_trajectories

PROTOCOL: Final = Path("registered")
BEGIN: Final = "<!-- table from a run: begin -->"
END: Final = "<!-- table from a run: end -->"
HEADINGS: Final = (
    "model",
    "dataset",
    "questions",
    "accuracy (%)",
    "flag rate (%)",
    "monotone / not",
    "tokens per question",
    "seconds per question",
)


@dataclass(frozen=True, slots=True)
class CellFigures:
    """What the card says about one cell; shares in percent, tokens and seconds per question."""

    model: str
    dataset: str
    questions: int
    accuracy: float
    flag_rate: float
    monotone: int
    not_monotone: int
    tokens: float
    seconds: float


def cell_figures(cell: Path) -> CellFigures:
    """Read a cell's trajectories under the registered protocol and its stages' run times.

    The flag rate is over chains whose shape is defined. Raises DataError where a file is missing.
    """
    probe = cell / PROTOCOL / PROTOCOL
    frame = read_trajectories(probe / PROTOCOL / "trajectories.parquet")
    shapes = frame["monotone"].dropna()
    files = (cell / PROTOCOL / "chains.jsonl.zst", probe / "completions.jsonl.zst")
    seconds = sum(wall_seconds(path) for path in files)
    return CellFigures(
        model=cell.parent.name,
        dataset=cell.name,
        questions=len(frame),
        accuracy=100 * float(frame["correct"].mean()),
        flag_rate=100 * float(shapes.mean()),
        monotone=int(shapes.sum()),
        not_monotone=len(shapes) - int(shapes.sum()),
        tokens=float((frame["chain_tokens"] + frame["probe_tokens"]).mean()),
        seconds=seconds / len(frame),
    )


def accuracy_by_stratum(cell: Path) -> pd.DataFrame:
    """Questions and accuracy (%) per value of each part of the stratum, as `steps=2`."""
    frame = read_trajectories(cell / PROTOCOL / PROTOCOL / PROTOCOL / "trajectories.parquet")
    parts = frame.assign(part=frame["stratum"].str.split(";")).explode("part")
    table = parts.groupby("part")["correct"].agg(["size", "mean"]).reset_index()
    return table.assign(mean=100 * table["mean"].astype(float))


def wall_seconds(generation: Path) -> float:
    """Wall time of a generation stage, engine start included, from the summary beside its file."""
    summary = read_summary(generation)
    if summary is None:
        raise DataError(f"{summary_path(generation)}: no such file; run the cell first")
    if summary.attempts > 1:
        raise DataError(f"{generation}: the stage was continued; time an uninterrupted run")
    return summary.wall_seconds


def table(cells: list[CellFigures]) -> str:
    """The figures as a Markdown table."""
    rows = [HEADINGS, tuple("---" for _ in HEADINGS), *(_row(cell) for cell in cells)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def fill(card: Path, text: str) -> None:
    """Replace what stands between the card's markers; raises DataError where they are missing."""
    before, begin, rest = card.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise DataError(f"{card}: the markers of the table are missing: {BEGIN} {END}")
    write_text(card, f"{before}{BEGIN}\n{text}{END}{after}")


def _row(cell: CellFigures) -> tuple[str, ...]:
    return (
        cell.model,
        cell.dataset,
        str(cell.questions),
        f"{cell.accuracy:.1f}",
        f"{cell.flag_rate:.1f}",
        f"{cell.monotone} / {cell.not_monotone}",
        f"{cell.tokens:.0f}",
        f"{cell.seconds:.2f}",
    )


def main(cells: list[Path], into: Annotated[Path | None, typer.Option()] = None) -> None:
    """Print the table of some cells, and the accuracy by stratum; or write it into a card."""
    text = table([cell_figures(cell) for cell in cells])
    for cell in cells:
        text += f"\n{cell.parent.name} on {cell.name}, accuracy by part of the stratum:\n\n"
        text += "| part | questions | accuracy (%) |\n| --- | --- | --- |\n"
        for row in accuracy_by_stratum(cell).itertuples():
            text += f"| {row.part} | {row.size} | {row.mean:.1f} |\n"
    typer.echo(text, nl=False)
    if into is not None:
        fill(into, text)


if __name__ == "__main__":
    typer.run(main)
