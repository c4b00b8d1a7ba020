"""Which quantities a figure takes, and what it calls them."""

import pytest

from cot_entropy.report.figures.specs import SPECS


@pytest.mark.parametrize(
    ("estimator", "quantity", "label"),
    [
        ("signal_auroc", "auroc[final_entropy]", "final_entropy"),
        ("cost", "accuracy[self_consistency]", None),
        ("signal_auroc", "auroc_difference[final_entropy - shape_flag]", None),
        ("eps_sweep", "accuracy_gap_pp[eps=0.01]", "eps=0.01"),
        ("coupling", "accuracy_gap_pp_difference[majority - chain]", None),
        ("cost", "chain_tokens_per_question", "chain_tokens"),
        ("cost", "tokens_per_question[self-consistency, 40 chains]", "self-consistency, 40 chains"),
        ("cost", "tokens_percent_of_self_consistency[40 chains]", None),
        ("token_confidence", "ece[step 7]", "step 7"),
        ("consistency", "auroc_combined_cv_correct", "combined_cv_correct"),
        ("consistency", "auroc_combined_minus_final_entropy_correct", None),
    ],
)
def test_a_quantity_is_in_the_figure_of_its_stem(
    estimator: str, quantity: str, label: str | None
) -> None:
    """The names are those that the estimators write."""
    assert SPECS[estimator][0].label(quantity) == label


@pytest.mark.parametrize(
    ("estimator", "place", "quantity", "label"),
    [
        ("signal_auroc", 1, "auroc_difference[coherence - shape_flag]", "coherence"),
        ("cost", 1, "accuracy[self_consistency]", "self_consistency"),
        ("cost", 1, "accuracy_at_coverage_0.8[self_consistency]", None),
        ("cost", 2, "auroc[final_entropy]", "final_entropy"),
        ("consistency", 1, "accuracy_consistent_correct", "consistent_correct"),
        ("consistency", 1, "accuracy_flagged_both_chain_correct", "flagged_both_chain_correct"),
        ("consistency", 1, "accuracy_gap_pp_correct", None),
    ],
)
def test_a_further_figure_takes_its_own_quantities(
    estimator: str, place: int, quantity: str, label: str | None
) -> None:
    """One entry may have several figures."""
    assert SPECS[estimator][place].label(quantity) == label
