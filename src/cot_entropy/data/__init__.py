"""Questions: generated, hand-written, from a local file or from the hub."""

from cot_entropy.data.load import Dataset, load
from cot_entropy.data.questions import Problem, Question, questions_sha256
from cot_entropy.data.spec import DatasetSpec, EmbeddedDataset, HubDataset, LocalDataset

__all__ = [
    "Dataset",
    "DatasetSpec",
    "EmbeddedDataset",
    "HubDataset",
    "LocalDataset",
    "Problem",
    "Question",
    "load",
    "questions_sha256",
]
