"""E10: is the model's own token probability calibrated, and does that change along the chain?

A completion's confidence is exp(mean token log-probability). Its expected calibration error (Guo
et al. 2017) is the mean over equal-width bins, (b - 1) / B < confidence <= b / B, of
|accuracy - mean confidence|, weighted by the completions in the bin. By step depth k, over the
completions of prefix k, as Z26 does.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from cot_entropy.plan.entries.token_confidence import TokenConfidence
from cot_entropy.stats.cells import Cell, Settings, Values
from cot_entropy.stats.explore.bootstrap import Rows, Weights, bootstrap, ratio
from cot_entropy.stats.explore.columns import padded_samples, unusable
from cot_entropy.stats.rows import Estimate

COLUMNS: Final = ("completion_mean_logprobs", "samples_correct")


def estimate(cell: Cell, entry: TokenConfidence, settings: Settings) -> list[Estimate]:
    """`ece[step k]` for each depth k; empty completions have no confidence and are left out."""
    rows = Rows(entry=entry, cell=cell)
    if reason := unusable(COLUMNS, cell, settings.m):
        return [rows.not_run("ece", reason)]
    confidence = np.exp(padded_samples(cell.frame[COLUMNS[0]], settings.m))
    right = padded_samples(cell.frame[COLUMNS[1]], settings.m)
    if confidence.shape != right.shape:
        return [rows.not_run("ece", "the two columns differ in their number of prefixes")]
    valid = ~np.isnan(confidence) & ~np.isnan(right)
    bins = entry.params.bins
    depths = valid.shape[1]
    excess = _excess(confidence - right, confidence, valid, bins)
    number = valid.sum(axis=2).T.astype(np.float64)

    def statistic(weights: Weights) -> Values:
        by_bin = (excess @ weights).reshape(depths, bins, -1)
        return ratio(np.abs(by_bin).sum(axis=1), number @ weights)

    return [
        rows.row(
            f"ece[step {depth}]",
            value,
            n=int(valid[:, depth].any(axis=1).sum()),
            reason=f"{int(number[depth].sum())} completions",
            undefined="no completion with a confidence at this step",
        )
        for depth, value in enumerate(bootstrap(cell, settings, statistic))
    ]


def _excess(difference: Values, confidence: Values, valid: Values, bins: int) -> Values:
    """Sums of confidence less outcome per depth, bin and question, `(K * bins, n)`."""
    n, depths, _ = difference.shape
    found = np.zeros((depths, bins, n))
    question, depth, sample = np.nonzero(valid)
    chosen = confidence[question, depth, sample]
    place = np.clip(np.ceil(chosen * bins) - 1, 0, bins - 1).astype(np.int64)
    np.add.at(found, (depth, place, question), difference[question, depth, sample])
    return found.reshape(depths * bins, n)
