"""A dataset of the Hugging Face hub, at one commit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from cot_entropy.data.load import Dataset, Names, check_sha256, first, questions_of
from cot_entropy.data.questions import questions_sha256
from cot_entropy.data.spec import FieldName, Records, Sha256

Revision = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
HubId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$")]


class HubDataset(Records):
    """A dataset of the Hugging Face hub; the revision is a commit, so that it cannot change."""

    source: Literal["hub"]
    id: HubId
    """Its name on the hub, as `openai/gsm8k`."""
    name: FieldName | None = None
    """Its configuration, as `main`."""
    split: FieldName = "test"
    """Its split."""
    revision: Revision
    """The commit."""
    sha256: Sha256
    """Hash of all its questions; a wrong one is answered by the right one."""

    @property
    def origin(self) -> str:
        """Its name on the hub."""
        return f"hub:{self.id}"


def load(spec: HubDataset, *, root: Path) -> Dataset:
    """The questions of the split, and the hash over all of them; raises DataError."""
    from cot_entropy.data.hub import hub_rows  # noqa: PLC0415 - its library takes seconds to import

    where = f"{spec.id}@{spec.revision[:12]}"
    loaded = hub_rows(
        path=spec.id, name=spec.name, split=spec.split, revision=spec.revision, where=where
    )
    rows = ((f"{where}: record {number}", row) for number, row in enumerate(loaded, start=1))
    questions = tuple(questions_of(rows, Names.of(spec)))
    sha256 = questions_sha256(questions)
    check_sha256(found=sha256, expected=spec.sha256, where=where)
    return Dataset(first(questions, spec.questions, where), sha256)
