from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, get_model

from cot_entropy.base.errors import DataError
from cot_entropy.consistency.importing import (
    answer_kind,
    read_chains,
    read_inspect_logs,
    read_transcripts,
)
from cot_entropy.consistency.transcript import Transcript
from cot_entropy.formats.records import (
    ChainRecord,
    DatasetIdentity,
    EngineIdentity,
    Header,
    ModelIdentity,
    Sample,
    write_records,
)
from cot_entropy.protocol.chain import ChainBlock
from cot_entropy.protocol.engine import EngineSettings

from .scripted import output

ROW = {"id": "a", "system_prompt": "p", "question": "q", "reasoning": "r", "answer": "x"}


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


ZEROS = "0" * 64
CELL = "model/data"


def header() -> Header:
    return Header(
        stage="chains",
        cell=CELL,
        study_seed=1,
        model=ModelIdentity(
            name="model",
            source="s",
            revision="r",
            weights_sha256=ZEROS,
            tokenizer_sha256=ZEROS,
            chat_template_sha256=ZEROS,
        ),
        dataset=DatasetIdentity(
            name="data",
            source="s",
            revision="r",
            sha256=ZEROS,
            questions_sha256=ZEROS,
            answer="number",
            questions=1,
        ),
        engine=EngineIdentity(
            name="scripted",
            version="0",
            torch="0",
            transformers="0",
            device="cpu",
            driver=None,
            cuda=None,
            settings=EngineSettings(name="scripted", device="cpu"),
        ),
        system_role="native",
        chain=ChainBlock(system_prompt="Step by step.", temperature=0.7, budget=1024),
        code_digest=ZEROS,
        inputs={},
    )


def record(
    text: str | None, *, start: str = "", finish: Literal["stop", "length"] = "stop"
) -> ChainRecord:
    sample = (
        None
        if text is None
        else Sample(text=text, token_ids=[1], logprobs=[-0.1], finish_reason=finish)
    )
    return ChainRecord(
        question_id="q1",
        question="How long?",
        gold="2",
        stratum=None,
        prompt_token_ids=[1],
        seed=1,
        chain=sample,
        token_ends=[0 if text is None else len(text)],
        response_start=start,
        error="the prompt is too long" if text is None else None,
    )


def chain(tmp_path: Path, written: ChainRecord) -> Transcript:
    """Write a chains file and read it as transcripts."""
    write_records(tmp_path / "chains.jsonl.zst", header(), [written])
    (found,) = read_chains(tmp_path / "chains.jsonl.zst")
    return found


def test_a_chain_becomes_a_transcript(tmp_path: Path) -> None:
    """System prompt from the chain block, id of the question, cell as source."""
    made = chain(tmp_path, record("From nine.\nThe answer is 2."))
    assert (made.id, made.source, made.system_prompt, made.question) == (
        "q1",
        "model/data",
        "Step by step.",
        "How long?",
    )
    assert (made.reasoning, made.answer, made.split) == ("From nine.", "The answer is 2.", "marker")


def test_a_template_that_opens_the_think_block(tmp_path: Path) -> None:
    """`response_start` belongs to the response."""
    made = chain(tmp_path, record("From nine.\n</think>\nTwo.", start="<think>\n"))
    assert (made.reasoning, made.answer, made.split) == ("From nine.", "Two.", "think_tags")


def test_a_chain_at_its_budget_is_truncated(tmp_path: Path) -> None:
    """Truncation is kept, and the last line is no answer."""
    made = chain(tmp_path, record("From nine\nto elev", finish="length"))
    assert (made.truncated, made.answer) == (True, "")


def test_a_chain_that_failed_has_neither_part(tmp_path: Path) -> None:
    """It stays in the scan, as not applicable."""
    made = chain(tmp_path, record(None))
    assert (made.reasoning, made.answer, made.split) == ("", "", "no_answer")


def test_json_lines_are_read(tmp_path: Path) -> None:
    """All five keys, the file's name as source."""
    found = read_transcripts(write(tmp_path / "t.jsonl", ROW))[0]
    assert (found.id, found.source, found.system_prompt, found.reasoning, found.answer) == (
        "a",
        "t.jsonl",
        "p",
        "r",
        "x",
    )


def test_a_transcript_without_a_reply_is_read(tmp_path: Path) -> None:
    """`answer` null is a recorded outcome, not an error."""
    found = read_transcripts(
        write(tmp_path / "t.jsonl", {"id": "a", "question": "q", "answer": None})
    )[0]
    assert (found.reasoning, found.answer) == ("", "")


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({**ROW, "respnse": "x"}, "t.jsonl:2: unknown key `respnse`"),
        ({"id": "a", "question": "q", "reasoning": "r"}, "t.jsonl:2: key `answer` is missing"),
        ({**ROW, "answer": 5}, "t.jsonl:2: key `answer` must be a string, not int"),
        ({**ROW, "question": None}, "t.jsonl:2: key `question` must be a string, not NoneType"),
        ({**ROW, "id": ""}, "t.jsonl:2: key `id` is empty"),
        ([1], "t.jsonl:2: expected a JSON object"),
        ({**ROW, "id": "z"}, "id `z` stands 2 times"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, row: Any, problem: str) -> None:
    """File, line and key."""
    with pytest.raises(DataError) as error:
        read_transcripts(write(tmp_path / "t.jsonl", {**ROW, "id": "z"}, row))
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "utf-32"])
def test_other_encodings_are_refused_with_the_line(tmp_path: Path, encoding: str) -> None:
    """Guessing an encoding would change the text that is judged."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(
        (json.dumps({**ROW, "answer": "größer"}, ensure_ascii=False) + "\n").encode(encoding)
    )
    with pytest.raises(DataError, match=r"t\.jsonl:1: not a JSON line"):
        read_transcripts(path)


@pytest.mark.parametrize(
    ("row", "parts"),
    [
        ({"answer": "<think>From nine.</think>Two."}, ("From nine.", "Two.", "think_tags")),
        (
            {"answer": "<think>From nine.</think>Two.", "reasoning": None},
            ("From nine.", "Two.", "think_tags"),
        ),
        ({"answer": "From nine.\nThe answer is 2."}, ("From nine.", "The answer is 2.", "marker")),
        ({"answer": "A\nThe answer is 2.", "reasoning": ""}, ("", "A\nThe answer is 2.", "given")),
        ({"answer": "Two.", "reasoning": "From nine."}, ("From nine.", "Two.", "given")),
    ],
)
def test_a_whole_response_as_answer_is_divided(
    tmp_path: Path, row: dict[str, Any], parts: tuple[str, str, str]
) -> None:
    """A reasoning block always; prose where the key `reasoning` is not there."""
    (found,) = read_transcripts(write(tmp_path / "t.jsonl", {"id": "a", "question": "q", **row}))
    assert (found.reasoning, found.answer, found.split) == parts


def test_a_reasoning_block_beside_reasoning_is_refused(tmp_path: Path) -> None:
    """Which of the two led to the answer is not for us to say."""
    row = {"id": "a", "question": "q", "reasoning": "r", "answer": "<think>x</think>y"}
    with pytest.raises(DataError, match=r"t\.jsonl:1: `answer` holds a reasoning block"):
        read_transcripts(write(tmp_path / "t.jsonl", row))


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    """No transcripts is a mistake, not an empty result."""
    with pytest.raises(DataError, match="no transcripts"):
        read_transcripts(write(tmp_path / "t.jsonl"))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """Named, without a traceback."""
    with pytest.raises(DataError, match="no such file"):
        read_transcripts(tmp_path / "absent.jsonl")


def test_lone_surrogates_are_kept_as_replacement_characters(tmp_path: Path) -> None:
    """JSON can escape what UTF-8 cannot hold."""
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": "a", "question": "q", "answer": "x\\ud800"}\n')
    assert read_transcripts(path)[0].answer == "x\ufffd"


def test_an_inspect_run_becomes_transcripts(tmp_path: Path) -> None:
    """From an evaluation by Inspect's mock model: system prompt, question and reply of each sample."""
    sample = InspectSample(
        id="s1", input=[ChatMessageSystem(content="Be safe."), ChatMessageUser(content="Stop?")]
    )
    model = get_model(
        "mockllm/model",
        custom_outputs=[output("The notice is clear.\nThe answer is yes."), output("")],
        memoize=False,
    )
    eval(
        Task(dataset=[sample, sample.model_copy(update={"id": "s2"})], name="safety"),
        model=model,
        log_dir=str(tmp_path),
        display="none",
        max_samples=1,
    )
    first, second = read_inspect_logs(tmp_path)
    assert (first.system_prompt, first.question, first.reasoning, first.answer) == (
        "Be safe.",
        "Stop?",
        "The notice is clear.",
        "The answer is yes.",
    )
    assert first.id.startswith("safety/s1/1/")
    assert first.source.endswith(".eval")
    assert (second.reasoning, second.answer) == ("", "")
    assert read_inspect_logs(next(tmp_path.glob("*.eval"))) == [first, second]


def test_a_folder_without_logs_is_refused(tmp_path: Path) -> None:
    """Named, with what was looked for."""
    with pytest.raises(DataError, match=r"no Inspect log \(\.eval\)"):
        read_inspect_logs(tmp_path)


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04broken"])
def test_a_broken_log_is_named(tmp_path: Path, content: bytes) -> None:
    """One line that names the file."""
    (tmp_path / "2026-01-01T00-00-00_x_y.eval").write_bytes(content)
    with pytest.raises(DataError, match=r"x_y\.eval: not a readable Inspect log"):
        read_inspect_logs(tmp_path)


def test_a_chains_file_says_what_its_answers_are(tmp_path: Path) -> None:
    """Read as numbers, 16 of the demo's formulas that cannot be compared would be consistent."""
    path = tmp_path / "chains.jsonl.zst"
    dataset = header().dataset.model_copy(update={"answer": "math"})
    write_records(path, header().model_copy(update={"dataset": dataset}), [])
    assert answer_kind(path) == "math"
    assert answer_kind(tmp_path / "transcripts.jsonl") == "number"
