"""Which answer a text gives, and when two answers are the same (protocol sections 2 and 5).

May import `base` and `protocol`.
"""

from cot_entropy.answers.clusters import Clusters, cluster
from cot_entropy.answers.extract import extract, is_cut_at_comma
from cot_entropy.answers.grade_lines import KINDS, grade_lines
from cot_entropy.answers.grading import Grade, grade_answer
from cot_entropy.answers.kinds import AnswerKind, Dataset, Equivalence, ExtractionRule

__all__ = [
    "KINDS",
    "AnswerKind",
    "Clusters",
    "Dataset",
    "Equivalence",
    "ExtractionRule",
    "Grade",
    "cluster",
    "extract",
    "grade_answer",
    "grade_lines",
    "is_cut_at_comma",
]
