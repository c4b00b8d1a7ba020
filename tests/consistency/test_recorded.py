"""What the demo's judge, a real model of 135 M parameters, said of the benchmark, kept as it was.

Every number is counted again from the stored lines by other means than the code under test.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from cot_entropy.consistency import benchmark
from cot_entropy.consistency.rates import Validated, rates
from cot_entropy.consistency.scan import read_judgements
from cot_entropy.consistency.taxonomy import SUBTYPES
from cot_entropy.consistency.validation import (
    GIVEN,
    TRUTHS,
    accuracy,
    confusion,
    on_benchmark,
    scores,
)

RECORDED = Path(__file__).with_name("smollm2-135m.jsonl")
EXPLANATION = Path(__file__).parents[2] / "docs/explanation/consistency.md"
if not RECORDED.exists():
    pytest.skip("no recorded run of the demo's judge", allow_module_level=True)
JUDGEMENTS = read_judgements(RECORDED)
LABELS = benchmark.load_labels(1)
ROWS = [json.loads(line) for line in RECORDED.read_text().splitlines()]
CLEAR = [row for row in ROWS if not LABELS[row["id"]].borderline]
TRUE = [LABELS[row["id"]].subtype or LABELS[row["id"]].label for row in CLEAR]
SAID = [row["subtype"] or row["outcome"] for row in CLEAR]


def test_the_record_is_of_version_1() -> None:
    """Every transcript as it is shipped, judged once; the ids alone lead to that version's labels."""
    shipped = {t.id: t.sha256() for t in benchmark.load_transcripts(1)}
    assert {row["id"]: row["transcript_sha256"] for row in ROWS} == shipped
    assert len(ROWS) == 60
    assert benchmark.labels_for(row["id"] for row in ROWS) == LABELS


def test_the_confusion_matrix_is_sklearns() -> None:
    """Judge errors are a column of their own."""
    table = confusion(JUDGEMENTS, LABELS)
    both = confusion_matrix(TRUE, SAID, labels=list(GIVEN))
    assert table.to_numpy().tolist() == both[: len(TRUTHS)].tolist()


def test_precision_and_recall_are_sklearns() -> None:
    """Over the items that the judge decided."""
    decided = [(t, s) for t, s in zip(TRUE, SAID, strict=True) if s != "judge_error"]
    precision, recall, _, _ = precision_recall_fscore_support(
        *zip(*decided, strict=True), labels=list(SUBTYPES), zero_division=np.nan
    )
    found = {(s.outcome, s.quantity): s.value for s in scores(JUDGEMENTS, LABELS)}
    for index, name in enumerate(SUBTYPES):
        for quantity, values in (("precision", precision), ("recall", recall)):
            value = found[name, quantity]
            expected = None if np.isnan(values[index]) else pytest.approx(values[index])
            assert value == expected, (name, quantity)


def test_intervals_are_wilsons_formula() -> None:
    """(p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n), z = 1.959964."""
    z = 1.959963984540054
    for score in scores(JUDGEMENTS, LABELS):
        if score.n:
            p, n = score.count / score.n, score.n
            middle, half = p + z**2 / (2 * n), z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
            assert score.ci_low == pytest.approx((middle - half) / (1 + z**2 / n), abs=1e-9)
            assert score.ci_high == pytest.approx((middle + half) / (1 + z**2 / n), abs=1e-9)


def test_such_a_judge_gives_no_corrected_rate() -> None:
    """Whatever it finds in the field: on mathematical items it is not better than chance."""
    known = accuracy(JUDGEMENTS, LABELS, domain="mathematical")
    beside = on_benchmark(JUDGEMENTS, LABELS, domain="mathematical")
    found = rates(
        JUDGEMENTS,
        validated=Validated(accuracy=known, domain="mathematical", on_benchmark=beside),
    )
    corrected = next(row for row in found if row.method.startswith("corrected"))
    assert (corrected.rate, corrected.ci_low, corrected.ci_high) == (None, None, None)
    assert corrected.reason


def test_the_explanation_shows_this_confusion_matrix() -> None:
    """The table in the documentation, cell by cell."""
    lines = [line for line in EXPLANATION.read_text().splitlines() if line.startswith("| ")]
    shown = {
        name.strip(): [int(cell or 0) for cell in map(str.strip, cells)]
        for line in lines
        for name, *cells in [line.strip("|").split("|")]
        if name.strip().replace(" ", "_") in TRUTHS
    }
    table = confusion(JUDGEMENTS, LABELS)
    assert shown == {
        name.replace("_", " "): [int(count) for count in table.loc[name]] for name in TRUTHS
    }


def test_the_explanation_counts_the_judge_errors() -> None:
    """In its words: so many of 60."""
    errors = sum(row["outcome"] == "judge_error" for row in ROWS)
    assert re.search(rf"no verdict on {errors} of (the )?60", EXPLANATION.read_text())
