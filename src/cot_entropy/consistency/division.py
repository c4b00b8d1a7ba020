"""Where the answer of an undivided response begins, as the judge reads it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from cot_entropy.consistency.transcript import Transcript


class Division(BaseModel):
    """The judge's reply: the first words of the answer, empty where no reasoning comes before."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    answer_begins: str


def divide(transcript: Transcript, begins: str) -> Transcript:
    """The transcript divided where these words stand for the last time.

    Unchanged, and so still `undivided`, where they do not stand in the response. Where nothing
    stands before them, or where they are empty, the response is an answer without reasoning.
    """
    words = " ".join(begins.split())
    if not words:
        return transcript.model_copy(update={"split": "judge"})
    at = _find_last(transcript.answer, words)
    if at < 0:
        return transcript
    reasoning, answer = transcript.answer[:at].strip(), transcript.answer[at:].strip()
    steps = transcript.steps
    if steps:
        told = steps[-1]
        parted = (
            told.model_copy(update={"kind": "reasoning", "text": reasoning}),
            told.model_copy(update={"text": answer}),
        )
        steps = (*steps[:-1], *parted)
    return transcript.model_copy(
        update={"reasoning": reasoning, "answer": answer, "split": "judge", "steps": steps}
    )


def _find_last(text: str, words: str) -> int:
    """The last place where `words` begin in `text`, whatever white space is between; -1 if none."""
    places = [0]
    flat: list[str] = []
    position = 0
    for word in text.split():
        position = text.index(word, position)
        flat.append(word)
        places.append(position)
        position += len(word)
    joined = " ".join(flat)
    at = joined.rfind(words)
    if at < 0:
        return -1
    before = joined[:at].count(" ")
    inside = at - (joined.rfind(" ", 0, at) + 1)
    return places[before + 1] + inside
