"""The questions stage: its header names both hashes, its lines keep what was read otherwise."""

import hashlib
import json
from pathlib import Path

from cot_entropy.base.files import read_jsonl
from cot_entropy.data.job import QuestionsJob
from cot_entropy.data.sources.local import LocalDataset
from cot_entropy.data.stage import prepare_questions


def test_the_questions_hash_is_over_the_golds_as_they_came(tmp_path: Path) -> None:
    """So that it can be computed again from the stored questions, of the hub's datasets too."""
    data = tmp_path / "q.jsonl"
    data.write_text('{"question": "a", "answer": "1,450.0"}\n{"question": "b", "answer": "2"}\n')
    spec = LocalDataset(
        source="local",
        path=str(data),
        answer="number",
        sha256=hashlib.sha256(data.read_bytes()).hexdigest(),
    )
    out = tmp_path / "q.questions.jsonl.zst"
    prepare_questions(QuestionsJob(name="q", dataset=spec, code_digest=""), out=out)
    header, first, second = (value for _, value in read_jsonl(out))
    came = [("row-1", "a", "1,450.0"), ("row-2", "b", "2")]
    lines = "".join(
        json.dumps({"id": i, "question": q, "gold": g}, separators=(",", ":")) + "\n"
        for i, q, g in came
    )
    assert header["questions_sha256"] == hashlib.sha256(lines.encode()).hexdigest()
    assert (first["gold"], first["written"]) == ("1450", "1,450.0")
    assert (second["gold"], second["written"]) == ("2", None)
