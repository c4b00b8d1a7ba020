"""The job that makes one dataset's questions, whatever their source."""

from __future__ import annotations

from typing import Annotated

from cot_entropy.base.rules import OneOf
from cot_entropy.base.strict import Strict
from cot_entropy.data.spec import SOURCES, DatasetBase

DatasetSpec = Annotated[DatasetBase, OneOf(SOURCES, "source", "{}Dataset")]


class QuestionsJob(Strict):
    """What one dataset's questions depend on."""

    name: str
    dataset: DatasetSpec
    code_digest: str
