"""The names of the answer kinds, extraction rules and equivalences (protocol section 5)."""

from cot_entropy.protocol.names import AnswerKind, Dataset, Equivalence, ExtractionRule

__all__ = ["AnswerKind", "Dataset", "Equivalence", "ExtractionRule"]
