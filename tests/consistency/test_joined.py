"""E11 against plain counting, scikit-learn and scipy on simulated cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import fisher_exact
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from cot_entropy.consistency.joined import estimate
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.transcript import Transcript
from cot_entropy.formats.trajectories import write_trajectories
from cot_entropy.plan.entries.consistency import Consistency
from cot_entropy.stats.cells import Cell, Settings, read_cell
from cot_entropy.stats.rows import Estimate

from .labelled import judged

SETTINGS = Settings(resamples=200, seed=3, level=0.95, eps=0.01, m=5)
ENTRY = Consistency.model_validate(
    {
        "id": "E11",
        "title": "t",
        "population": "all",
        "source": "ours",
        "prior_data": "none",
        "estimator": "consistency",
        "params": {"against": ["correct", "shape_flag", "violations", "final_entropy"], "folds": 5},
    }
)


def question(
    n: int, *, violations: int | None, entropy: float, right: bool, chain_right: bool
) -> dict[str, Any]:
    return {
        "cell": "model/data",
        "question_id": f"q{n}",
        "n_units": 2,
        "n_units_chain": 2,
        "entropies": [1.0, 0.9, entropy],
        "answers_missing": [0, 0, 0],
        "completions_empty": [0, 0, 0],
        "violations": violations,
        "monotone": None if violations is None else violations == 0,
        "coherence": 1.0 - entropy,
        "final_entropy": entropy,
        "final_confidence": 0.6,
        "majority_answer": "1",
        "majority_tied": False,
        "correct": right,
        "chain_answer": "1",
        "chain_correct": chain_right,
        "chain_tokens": 50,
        "chain_truncated": False,
        "probe_tokens": 100,
    }


def cell_of(rows: list[dict[str, Any]], tmp_path: Path) -> Cell:
    write_trajectories(tmp_path / "t.parquet", rows)
    return read_cell(tmp_path / "t.parquet")


def labelled(outcomes: list[str]) -> dict[str, Judgement]:
    return {
        f"q{n}": judged(
            Transcript(id=f"q{n}", source="model/data", question="q", reasoning="r", answer="a"),
            outcome,
        )
        for n, outcome in enumerate(outcomes)
    }


@pytest.fixture
def simulated(tmp_path: Path) -> tuple[Cell, dict[str, Judgement]]:
    """240 questions: the label says more about the outcome than chance, the entropy too, apart."""
    rng = np.random.default_rng(0)
    rows, outcomes = [], []
    for n in range(240):
        right = bool(rng.random() < 0.6)
        rows.append(
            question(
                n,
                violations=int(rng.poisson(0.5 if right else 1.0)) if n % 40 else None,
                entropy=float(
                    rng.choice([0.0, 0.5, 0.95], p=[0.6, 0.3, 0.1] if right else [0.3, 0.3, 0.4])
                ),
                right=right,
                chain_right=bool(right ^ (rng.random() < 0.1)),
            )
        )
        flagged = rng.random() < (0.15 if right else 0.5)
        outcomes.append("reasoning_reversal" if flagged else "consistent")
    outcomes[7], outcomes[8], outcomes[9] = "judge_error", "not_applicable", "judge_error"
    return cell_of(rows, tmp_path), {k: v for k, v in labelled(outcomes).items() if k != "q10"}


def by_name(rows: list[Estimate]) -> dict[str, Estimate]:
    found = {row.quantity: row for row in rows}
    assert len(found) == len(rows)
    return found


def test_every_question_is_counted_once(simulated: tuple[Cell, dict[str, Judgement]]) -> None:
    """Failures, inapplicable and unscanned chains stand in rows of their own."""
    cell, judgements = simulated
    found = by_name(estimate(cell, ENTRY, SETTINGS, judgements=judgements))
    counts = {
        name: found[f"n_{name}"].estimate
        for name in ("consistent", "inconsistent", "not_applicable", "judge_error", "not_scanned")
    }
    assert (counts["judge_error"], counts["not_applicable"], counts["not_scanned"]) == (2, 1, 1)
    assert sum(value or 0 for value in counts.values()) == 240


def test_all_rows_are_exploratory_e11(simulated: tuple[Cell, dict[str, Judgement]]) -> None:
    """Nothing here can support or refute a hypothesis."""
    cell, judgements = simulated
    rows = estimate(cell, ENTRY, SETTINGS, judgements=judgements)
    assert {(row.id, row.cell, row.kind) for row in rows} == {("E11", "model/data", "exploratory")}
    assert {row.verdict for row in rows} <= {None, "not assessable"}


def test_the_accuracy_gap_by_counting(simulated: tuple[Cell, dict[str, Judgement]]) -> None:
    """Accuracy of consistent less inconsistent chains, percentage points, and Fisher's test."""
    cell, judgements = simulated
    frame = cell.frame.set_index("question_id")
    groups = {
        name: [bool(frame.loc[q, "correct"]) for q, j in judgements.items() if j.outcome == name]
        for name in ("consistent", "inconsistent")
    }
    found = by_name(estimate(cell, ENTRY, SETTINGS, judgements=judgements))[
        "accuracy_gap_pp_correct"
    ]
    kept, flagged = (groups[name] for name in ("consistent", "inconsistent"))
    assert found.estimate == pytest.approx(100 * (np.mean(kept) - np.mean(flagged)))
    table = [[sum(g), len(g) - sum(g)] for g in (kept, flagged)]
    assert found.p_value == pytest.approx(fisher_exact(np.array(table)).pvalue)
    assert found.ci_low is not None
    assert found.ci_high is not None
    assert found.estimate is not None
    assert 0 < found.ci_low < found.estimate < found.ci_high


def test_kappa_of_the_flags_is_sklearns(simulated: tuple[Cell, dict[str, Judgement]]) -> None:
    """Only chains with a defined shape and a verdict."""
    cell, judgements = simulated
    frame = cell.frame.set_index("question_id")
    decided = [
        q
        for q, j in judgements.items()
        if j.outcome in {"consistent", "inconsistent"} and not frame["monotone"].isna()[q]
    ]
    label = [judgements[q].outcome == "inconsistent" for q in decided]
    shape = [not bool(frame.loc[q, "monotone"]) for q in decided]
    found = by_name(estimate(cell, ENTRY, SETTINGS, judgements=judgements))[
        "kappa_inconsistent_non_monotone"
    ]
    assert found.estimate == pytest.approx(cohen_kappa_score(label, shape))
    assert found.n == len(decided)


@pytest.mark.parametrize("signal", ["violations", "final_entropy"])
def test_the_signals_rank_of_inconsistency_is_sklearns_auroc(
    simulated: tuple[Cell, dict[str, Judgement]], signal: str
) -> None:
    """P(signal higher in an inconsistent chain)."""
    cell, judgements = simulated
    frame = cell.frame.set_index("question_id")[signal].dropna()
    decided = [
        q
        for q, j in judgements.items()
        if j.outcome in {"consistent", "inconsistent"} and q in frame.index
    ]
    label = [judgements[q].outcome == "inconsistent" for q in decided]
    found = by_name(estimate(cell, ENTRY, SETTINGS, judgements=judgements))[
        f"auroc_{signal}_for_inconsistent"
    ]
    assert found.estimate == pytest.approx(roc_auc_score(label, frame[decided].astype(float)))


def test_quadrants_by_hand(tmp_path: Path) -> None:
    """Both 1 of 2, shape only 1 of 1, consistency only 0 of 1, neither 2 of 3."""
    plan = [
        (1, "reasoning_reversal", True),
        (2, "reasoning_reversal", False),
        (1, "consistent", True),
        (0, "apparent_confusion", False),
        (0, "consistent", True),
        (0, "consistent", True),
        (0, "consistent", False),
    ]
    rows = [
        question(n, violations=v, entropy=0.5, right=right, chain_right=right)
        for n, (v, _, right) in enumerate(plan)
    ]
    found = by_name(
        estimate(
            cell_of(rows, tmp_path),
            ENTRY,
            SETTINGS,
            judgements=labelled([label for _, label, _ in plan]),
        )
    )
    got = {
        name: (
            found[f"accuracy_flagged_{name}_correct"].n_correct,
            found[f"accuracy_flagged_{name}_correct"].n,
        )
        for name in ("both", "shape_only", "consistency_only", "neither")
    }
    assert got == {
        "both": (1, 2),
        "shape_only": (1, 1),
        "consistency_only": (0, 1),
        "neither": (2, 3),
    }


def test_single_aurocs_are_sklearns(simulated: tuple[Cell, dict[str, Judgement]]) -> None:
    """Each signal alone, for a wrong answer."""
    cell, judgements = simulated
    frame = cell.frame.set_index("question_id")
    decided = [q for q, j in judgements.items() if j.outcome in {"consistent", "inconsistent"}]
    wrong = [not bool(frame.loc[q, "correct"]) for q in decided]
    found = by_name(estimate(cell, ENTRY, SETTINGS, judgements=judgements))
    assert found["auroc_wrong_final_entropy_correct"].estimate == pytest.approx(
        roc_auc_score(wrong, frame.loc[decided, "final_entropy"].astype(float))
    )
    label = [float(judgements[q].outcome == "inconsistent") for q in decided]
    assert found["auroc_wrong_inconsistent_correct"].estimate == pytest.approx(
        roc_auc_score(wrong, label)
    )


def test_combining_two_informative_signals_helps(
    simulated: tuple[Cell, dict[str, Judgement]],
) -> None:
    """Here the label was drawn apart from the entropy given the outcome, so it adds to it."""
    cell, judgements = simulated
    found = by_name(estimate(cell, ENTRY, SETTINGS, judgements=judgements))[
        "auroc_wrong_combined_minus_final_entropy_correct"
    ]
    assert found.ci_low is not None
    assert found.ci_low > 0


def test_an_uninformative_label_adds_nothing(tmp_path: Path) -> None:
    """Labels drawn by a coin: the cross-validated gain is at most two points of AUROC."""
    rng = np.random.default_rng(1)
    rows, outcomes = [], []
    for n in range(400):
        right = bool(rng.random() < 0.5)
        rows.append(
            question(
                n,
                violations=0,
                entropy=float(rng.normal(0.8 if not right else 0.4, 0.3) ** 2),
                right=right,
                chain_right=right,
            )
        )
        outcomes.append("consistent" if rng.random() < 0.5 else "reasoning_reversal")
    found = by_name(
        estimate(cell_of(rows, tmp_path), ENTRY, SETTINGS, judgements=labelled(outcomes))
    )["auroc_wrong_combined_minus_final_entropy_correct"]
    assert found.estimate is not None
    assert found.estimate < 0.02


def test_too_few_of_one_outcome_is_not_assessable(tmp_path: Path) -> None:
    """Four wrong answers cannot be spread over five folds."""
    rows = [
        question(n, violations=0, entropy=0.5, right=n >= 4, chain_right=n >= 4) for n in range(30)
    ]
    found = by_name(
        estimate(cell_of(rows, tmp_path), ENTRY, SETTINGS, judgements=labelled(["consistent"] * 30))
    )
    row = found["auroc_wrong_combined_cv_correct"]
    assert (row.estimate, row.verdict) == (None, "not assessable")
    assert "4 decided chains of the rarer outcome" in row.reason


def test_one_label_throughout_is_not_assessable(tmp_path: Path) -> None:
    """Without an inconsistent chain there is no gap, and no zero in its place."""
    rows = [
        question(n, violations=n % 2, entropy=0.5, right=n % 3 > 0, chain_right=True)
        for n in range(30)
    ]
    found = by_name(
        estimate(cell_of(rows, tmp_path), ENTRY, SETTINGS, judgements=labelled(["consistent"] * 30))
    )
    for name in (
        "accuracy_gap_pp_correct",
        "auroc_violations_for_inconsistent",
        "accuracy_flagged_both_correct",
    ):
        assert (found[name].estimate, found[name].verdict) == (None, "not assessable")


def test_no_judgement_at_all(tmp_path: Path) -> None:
    """Every chain is counted as not scanned and nothing is estimated."""
    rows = [
        question(n, violations=0, entropy=0.5, right=n % 2 > 0, chain_right=True) for n in range(20)
    ]
    found = by_name(estimate(cell_of(rows, tmp_path), ENTRY, SETTINGS, judgements={}))
    assert found["n_not_scanned"].estimate == 20
    assert {row.estimate for name, row in found.items() if not name.startswith("n_")} == {None}


def test_only_what_the_plan_names_is_estimated(
    simulated: tuple[Cell, dict[str, Judgement]],
) -> None:
    """`against` is the plan's choice."""
    cell, judgements = simulated
    entry = ENTRY.model_copy(
        update={"params": ENTRY.params.model_copy(update={"against": ["violations"]})}
    )
    names = {row.quantity for row in estimate(cell, entry, SETTINGS, judgements=judgements)}
    assert {name for name in names if not name.startswith("n_")} == {
        "auroc_violations_for_inconsistent"
    }


def test_the_order_of_questions_does_not_matter_for_estimates(
    simulated: tuple[Cell, dict[str, Judgement]],
) -> None:
    """Judgements are joined by id, not by place."""
    cell, judgements = simulated
    shuffled = dict(sorted(judgements.items(), reverse=True))
    first = estimate(cell, ENTRY, SETTINGS, judgements=judgements)
    assert estimate(cell, ENTRY, SETTINGS, judgements=shuffled) == first
