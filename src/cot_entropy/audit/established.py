"""What an audit establishes, in three lists: by the files, only with the model, never.

Printed at the end of every audit, with what this audit did: a statement that it did not check
stands where it belongs instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cot_entropy.audit.decoded import Decoding
from cot_entropy.audit.derive import Derivation
from cot_entropy.audit.run import Run
from cot_entropy.base.strict import Strict
from cot_entropy.formats.records import Header


class Established(Strict):
    """What holds where an audit names no difference, and what it leaves open."""

    files: list[str]
    """Proven from the files."""
    model: list[str]
    """Proven only with the model, or with its tokenizer."""
    never: list[str]
    """Not provable by anybody who has only these files."""

    def lines(self) -> Iterator[str]:
        """One line each."""
        yield from (f"proven from the files: {line}" for line in self.files)
        yield from (f"proven only with the model: {line}" for line in self.model)
        yield from (f"not provable: {line}" for line in self.never)


@dataclass(frozen=True, kw_only=True)
class Done:
    """What one audit did."""

    run: Run
    derivation: Derivation
    decoding: Decoding
    again: Sequence[str]
    """What was generated again, one line per cell."""
    unshown: Sequence[str]
    """What freeze, anchors and ledger leave open."""

    def established(self) -> Established:
        """The three lists."""
        return Established(
            files=list(self._files()), model=list(self._model()), never=list(self._never())
        )

    def _files(self) -> Iterator[str]:
        run, derived = self.run, self.derivation.derived
        yield f"{len(run.manifest.files)} files are those that the run sealed; none is missing"
        yield (
            f"the generations of {len(run.cells)} cells answer the questions of their headers, in "
            "order and number, with the seeds that follow from the study's"
        )
        yield "every text ends where its budget or an end token says; every error has its numbers"
        if self.decoding.decoded:
            cells = ", ".join(self.decoding.decoded)
            yield f"texts, token ends and prompts are the decoding of their token ids: {cells}"
        yield f"{len(derived)} files follow from the stored generations, derived again"
        if run.registration.freeze is not None:
            yield "plan, config, questions, tables, locks and code are the frozen ones"
        by_hash = Counter(
            f"{top}/" if rest else top
            for name in run.manifest.files.keys() - set(derived) - _generations(run)
            for top, _, rest in [name.partition("/")]
            if top not in {"provenance", "inputs"}
        )
        if by_hash:
            counted = ", ".join(
                f"{count} files in {top}" if top.endswith("/") else top
                for top, count in sorted(by_hash.items())
            )
            yield f"by hash only: {counted}"
        yield from self.derivation.limits

    def _model(self) -> Iterator[str]:
        yield from self.again
        yield (
            "that the named model gave these tokens; only drawn questions were generated again, "
            "and other hardware or another batch may change tokens without anybody's doing"
            if self.again
            else "that the named model gave these tokens, or refused a question: generations made "
            "up by hand with consistent hashes are found by --regenerate N"
        )
        yield "that the log-probabilities are the model's"
        if self.decoding.undecoded:
            yield (
                f"that texts are what their tokens say in {', '.join(self.decoding.undecoded)}: "
                "no tokenizer at hand has the sha256 of their headers; name its folder with "
                "--tokenizer"
            )
        if self.decoding.unframed:
            files = ", ".join(self.decoding.unframed)
            yield f"that the prompts are those of the questions, which do not show in {files}"

    def _never(self) -> Iterator[str]:
        yield from self.unshown
        yield "when anything was generated, and on what: times and devices are the author's claims"
        if self.run.registration.deviations.deviations:
            yield "when the deviations were written"
        if any(header.dataset.source.startswith("hub:") for header in self._headers()):
            yield "the strata of a dataset of the hub, which its hash does not cover"

    def _headers(self) -> Iterator[Header]:
        return (header for cell in self.run.cells for header in cell.headers.values())


def _generations(run: Run) -> set[str]:
    return {name for cell in run.cells for name in cell.headers}
