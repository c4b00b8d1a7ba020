"""E7 against plain loops."""

from typing import get_args

import numpy as np
import pytest
from scipy.stats import entropy as scipy_entropy

from cot_entropy.plan.entries.no_answer import NoAnswer
from cot_entropy.protocol import scoring
from cot_entropy.stats.estimators.no_answer import estimate

from .simulated import M, by_quantity, entry_of, first_of_majority, random_rows, rises

RULES = get_args(scoring.NoAnswer)
EXCLUSIONS = ["none", "empty_last_prefix", "any_missing_answer"]
ENTRY = entry_of(NoAnswer, "E7", "no_answer", rules=list(RULES), exclusions=EXCLUSIONS)


def run(cell, settings):
    return by_quantity(estimate(cell, ENTRY, settings))


def relabelled(answers, rule):
    """Answers as the rule sees them: dropped, or each missing one a class of its own."""
    if all(answer == -1 for answer in answers):
        return []
    if rule == "drop":
        return [answer for answer in answers if answer != -1]
    if rule == "singleton":
        return [-10 - i if answer == -1 else answer for i, answer in enumerate(answers)]
    return answers


def expected(rows, rule, keep):
    groups = {True: [], False: []}
    for row in rows:
        seen = [relabelled(answers, rule) for answers in row["answer_clusters"]]
        entropies = [
            round(float(scipy_entropy(np.unique(s, return_counts=True)[1])), 9) if s else None
            for s in seen
        ]
        count = rises(entropies)
        if count is not None and keep(row):
            right = bool(seen[-1]) and seen[-1][first_of_majority(seen[-1])] == 0
            groups[count == 0].append(right)
    return groups


KEEP = {
    "none": lambda row: True,
    "empty_last_prefix": lambda row: row["completions_empty"][-1] < M,
    "any_missing_answer": lambda row: sum(row["answers_missing"]) == 0,
}


@pytest.mark.parametrize("rule", list(RULES))
@pytest.mark.parametrize("exclusion", EXCLUSIONS)
def test_gap_by_rule_and_exclusion_equals_a_loop(make_cell, settings, rule, exclusion):
    """Entropies, flag and majority follow the rule; excluded chains are left out."""
    rows = random_rows(150, seed=6)
    groups = expected(rows, rule, KEEP[exclusion])
    label = rule if exclusion == "none" else f"{rule}, without {exclusion}"
    row = run(make_cell(rows), settings)[f"accuracy_gap_pp[{label}]"]
    assert row.n_monotone == len(groups[True])
    assert row.n == len(groups[True]) + len(groups[False])
    assert row.estimate == pytest.approx(100 * (np.mean(groups[True]) - np.mean(groups[False])))


def test_the_rules_differ_on_these_data(make_cell, settings):
    """The loop test above would pass on data without missing answers: these have some."""
    found = run(make_cell(random_rows(150, seed=6)), settings)
    assert len({found[f"accuracy_gap_pp[{rule}]"].estimate for rule in RULES}) == 3


def test_left_out_questions_are_counted(make_cell, settings):
    """How many chains end in m empty completions."""
    rows = random_rows(40)
    found = run(make_cell(rows), settings)["questions[empty_last_prefix]"]
    assert found.estimate == sum(row["completions_empty"][-1] == M for row in rows)


def test_without_classes_exclusions_still_come(make_cell, settings):
    """The rules are not run; leaving chains out needs no classes."""
    found = run(make_cell(random_rows(80), without=("answer_clusters",)), settings)
    assert found["accuracy_gap_pp[drop]"].verdict == "not run"
    assert found["accuracy_gap_pp[as scored, without empty_last_prefix]"].estimate is not None
