"""The confusion matrix as a picture."""

from __future__ import annotations

import io
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

from cot_entropy.base.files import atomic
from cot_entropy.consistency.taxonomy import not_faithfulness


def draw_confusion(table: pd.DataFrame, path: Path, *, judge: str) -> None:
    """Draw counts by labelled and given outcome as SVG; same table, same bytes."""
    with mpl.rc_context({"svg.hashsalt": "cot-entropy", "svg.fonttype": "none"}):
        figure = Figure(figsize=(9, 6.5), layout="constrained")
        axes = figure.add_subplot()
        axes.imshow(table.to_numpy(), cmap="Blues", vmin=0, aspect="auto")
        half = table.to_numpy().max() / 2
        for row, counts in enumerate(table.to_numpy()):
            for column, count in enumerate(counts):
                if count:
                    colour = "white" if count > half else "black"
                    axes.text(column, row, str(count), ha="center", va="center", color=colour)
        names = [[str(name).replace("_", " ") for name in axis] for axis in table.axes]
        axes.set_xticks(range(table.shape[1]), names[1], rotation=35, ha="right")
        axes.set_yticks(range(table.shape[0]), names[0])
        axes.set_xlabel("given by the judge")
        axes.set_ylabel("labelled")
        axes.set_title(f"Judge {judge}, clear benchmark items")
        figure.text(0.01, -0.03, not_faithfulness(), fontsize=8)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None}, bbox_inches="tight")
    with atomic(path) as stream:
        stream.write(buffer.getvalue())
