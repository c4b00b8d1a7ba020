"""`cot-entropy analyse` on trajectories of the papers' own counts prints the papers' own figures."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from scipy import stats

from cot_entropy.formats.trajectories import write_trajectories

REGISTRATION = Path(__file__).parents[3] / "preregistration"
COUNTS: Final = {
    "qwen2.5-7b/gsm8k": (837, 898, 344, 421),
    "qwen2.5-7b/math500": (86, 135, 111, 365),
    "qwen2.5-7b/gsm8k-pilot": (152, 221, 37, 79),
    "mistral-7b/gsm8k-pilot": (86, 119, 68, 181),
}
"""Right and all among monotone chains, right and all among the others."""
Row = dict[str, str]


def question(cell: str, index: int, *, monotone: bool, correct: bool) -> dict[str, Any]:
    """One question with two units; a rise in the middle where it is not monotone."""
    entropies = [1.055, 0.673, 0.5] if monotone else [0.673, 0.950, 0.5]
    return {
        "cell": cell,
        "question_id": f"q{index}",
        "n_units": 2,
        "n_units_chain": 2,
        "entropies": entropies,
        "answers_missing": [0, 0, 0],
        "completions_empty": [0, 0, 0],
        "violations": 0 if monotone else 1,
        "monotone": monotone,
        "coherence": entropies[0] - entropies[-1],
        "final_entropy": entropies[-1],
        "final_confidence": 0.8,
        "majority_answer": "1",
        "majority_tied": False,
        "correct": correct,
        "chain_answer": "1",
        "chain_correct": correct,
        "chain_tokens": 100 + index % 7,
        "chain_truncated": False,
        "probe_tokens": 300,
    }


def trajectories(folder: Path, cell: str) -> Path:
    right, monotone, other_right, other = COUNTS[cell]
    path = folder / f"{cell.replace('/', '-')}.parquet"
    shapes = [(True, index < right) for index in range(monotone)]
    shapes += [(False, index < other_right) for index in range(other)]
    write_trajectories(
        path,
        [
            question(cell, index, monotone=shape, correct=correct)
            for index, (shape, correct) in enumerate(shapes)
        ],
    )
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Row]:
    """comparison.csv of the four cells, by the paper's study and quantity."""
    folder = tmp_path_factory.mktemp("counts")
    text = (REGISTRATION / "plan.yaml").read_text(encoding="utf-8")
    text = text.replace("resamples: 10000", "resamples: 100")
    (folder / "plan.yaml").write_text(text.replace("permutations: 10000", "permutations: 999"))
    shutil.copy(REGISTRATION / "published.yaml", folder)
    paths = [trajectories(folder, cell) for cell in COUNTS]
    done = subprocess.run(
        [
            *(str(Path(sys.executable).parent / "cot-entropy"), "analyse"),
            *("--plan", folder / "plan.yaml", "--out", folder / "out", *paths),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with (folder / "out/comparison.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    return {(row["study"], row["quantity"]): row for row in rows if row["study"]}


@pytest.mark.parametrize(
    ("study", "quantity", "printed"),
    [
        ("z26-full-gsm8k", "accuracy_monotone_percent", "93.2"),
        ("z26-full-gsm8k", "accuracy_non_monotone_percent", "81.7"),
        ("z26-full-gsm8k", "flag_rate_percent", "68.1"),
        ("z26-full-gsm8k", "accuracy_gap_pp", "11.5"),
        ("z26-full-math500", "accuracy_monotone_percent", "63.7"),
        ("z26-full-math500", "accuracy_non_monotone_percent", "30.4"),
        ("z26-full-math500", "flag_rate_percent", "27.0"),
        ("z26-full-math500", "accuracy_gap_pp", "33.3"),
        ("z26-full-math500", "accuracy_percent", "39.4"),
        ("z26-pilot", "accuracy_monotone_percent", "68.8"),
        ("z26-pilot", "accuracy_non_monotone_percent", "46.8"),
        ("z26-pilot", "flag_rate_percent", "73.7"),
        ("z26-pilot", "accuracy_gap_pp", "21.9"),
        ("z26-pilot", "odds_ratio", "2.50"),
        ("z26-pilot", "flag_rate_at_eps", "0.737"),
        ("z26-mistral", "accuracy_monotone_percent", "72.3"),
        ("z26-mistral", "accuracy_non_monotone_percent", "37.6"),
        ("z26-mistral", "odds_ratio", "4.33"),
    ],
)
def test_our_figure_is_the_printed_one(
    table: dict[tuple[str, str], Row], study: str, quantity: str, printed: str
) -> None:
    """To the digits that the paper prints, in the row of its study."""
    row = table[study, quantity]
    decimals = len(printed.partition(".")[2])
    assert float(row["published"]) == float(printed)
    assert f"{float(row['ours']):.{decimals}f}" == printed
    assert abs(float(row["difference"])) <= 0.5 * 10.0**-decimals + 1e-9


def test_the_pilots_p_is_flagged_as_one_sided(table: dict[tuple[str, str], Row]) -> None:
    """Fisher's two-sided p of 152/221 v 37/79 is 0.00068; the printed 0.0005 is the one-sided."""
    row = table["z26-pilot", "fisher_p"]
    counts = [[152, 69], [37, 42]]
    assert float(row["published"]) == 0.0005
    assert float(row["ours"]) == pytest.approx(stats.fisher_exact(counts).pvalue)
    assert row["check"] == "differs"
    one_sided = stats.fisher_exact(counts, alternative="greater").pvalue
    assert f"one-sided Fisher {one_sided:.2g}" in row["check_note"]


def test_each_row_names_its_cell(table: dict[tuple[str, str], Row]) -> None:
    studies = {
        "z26-full-gsm8k": "qwen2.5-7b/gsm8k",
        "z26-full-math500": "qwen2.5-7b/math500",
        "z26-pilot": "qwen2.5-7b/gsm8k-pilot",
        "z26-mistral": "mistral-7b/gsm8k-pilot",
    }
    for (study, _), row in table.items():
        if study in studies:
            assert row["cell"] == studies[study]
