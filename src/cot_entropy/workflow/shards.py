"""What the rules of `shards.smk` ask: the parts of a generation file."""

from __future__ import annotations

from dataclasses import dataclass

from cot_entropy.protocol.shard import Shard
from cot_entropy.workflow.study import Workflow

NUMBER = "{shard}"


@dataclass(frozen=True)
class Shards:
    """The study's shards, where it asks for more than one."""

    flow: Workflow

    @property
    def numbers(self) -> str:
        """A pattern of the shards' numbers."""
        return "|".join(map(str, self._numbers))

    def shard(self, number: str) -> Shard:
        """One shard."""
        return Shard(number=int(number), of=self.flow.study.shards)

    def pattern(self, whole: str) -> str:
        """The path of one shard's file, with a wildcard, beside the file of the whole cell."""
        folder, name = whole.rsplit("/", 1)
        stem, suffix = name.split(".", 1)
        return f"{folder}/{stem}.{NUMBER}-of-{self.flow.study.shards}.{suffix}"

    def files(self, whole: str) -> list[str]:
        """The files of all shards of a whole file, in order."""
        return [self.pattern(whole).replace(NUMBER, str(number)) for number in self._numbers]

    @property
    def _numbers(self) -> range:
        return range(1, self.flow.study.shards + 1)
