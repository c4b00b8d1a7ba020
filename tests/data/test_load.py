"""Loading questions: fields, hashes, and every bad input in one clear line."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import write_jsonl
from cot_entropy.data.hub import hub_rows
from cot_entropy.data.load import load
from cot_entropy.data.questions import Question, questions_sha256
from cot_entropy.data.sources.embedded import EmbeddedDataset
from cot_entropy.data.sources.hub import HubDataset
from cot_entropy.data.sources.local import LocalDataset

GSM8K = Path(__file__).parents[3] / "shared" / "data" / "gsm8k_test.jsonl"
MATH500 = GSM8K.with_name("math500_test.jsonl")


def local(folder: Path, content: str | bytes, **settings: Any) -> LocalDataset:
    data = content.encode() if isinstance(content, str) else content
    (folder / "q.jsonl").write_bytes(data)
    values = {"path": "q.jsonl", "answer": "number", "sha256": hashlib.sha256(data).hexdigest()}
    return LocalDataset(source="local", **(values | settings))


def test_records_are_numbered_from_one_without_an_id_field(tmp_path: Path) -> None:
    """Blank lines are no records."""
    spec = local(tmp_path, '{"question":"a","answer":1}\n\n{"question":"b","answer":"2"}\n')
    assert load(spec, root=tmp_path).questions == (
        Question("row-1", "a", "1"),
        Question("row-2", "b", "2"),
    )


def test_a_path_that_is_a_folder_says_so(tmp_path: Path) -> None:
    spec = local(tmp_path, "", path=".")
    with pytest.raises(DataError, match="is a folder; `path` of a local dataset names a JSON"):
        load(spec, root=tmp_path)


def test_the_fields_are_those_that_the_configuration_names(tmp_path: Path) -> None:
    """Id, question, gold and stratum from declared fields; numbers become text."""
    spec = local(
        tmp_path,
        '{"unique_id":7,"problem":" p ","answer":"x","level":3,"other":[]}',
        answer="math",
        question_field="problem",
        id_field="unique_id",
        stratum_field="level",
    )
    assert load(spec, root=tmp_path).questions == (Question("7", "p", "x", "level=3"),)


def test_the_gold_is_what_follows_the_last_marker(tmp_path: Path) -> None:
    """As GSM8K writes it."""
    line = json.dumps({"question": "q", "answer": "6 #### no\n#### 1,000"})
    spec = local(tmp_path, line, gold_marker="#### ")
    assert load(spec, root=tmp_path).questions[0].gold == "1000"


def test_the_first_so_many_questions_are_taken(tmp_path: Path) -> None:
    """The hash is still that of the whole file."""
    lines = "".join(f'{{"question":"q{i}","answer":"{i}"}}\n' for i in range(5))
    spec = local(tmp_path, lines, questions=2)
    loaded = load(spec, root=tmp_path)
    assert [item.text for item in loaded.questions] == ["q0", "q1"]
    assert loaded.sha256 == hashlib.sha256(lines.encode()).hexdigest()


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    """Its hash is that of the compressed bytes, as sha256sum prints it."""
    path = tmp_path / "q.jsonl.zst"
    write_jsonl(path, [{"question": "q", "answer": "1"}])
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    spec = LocalDataset(source="local", path=path.name, answer="number", sha256=sha256)
    assert load(spec, root=tmp_path).questions == (Question("row-1", "q", "1"),)


GOOD = '{"id":"a","question":"q","answer":"1"}\n'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id":"b","question":"q","answer":', "not a JSON line"),
        ('["b"]', "expected a JSON object, got list"),
        ('{"id":"b","question":"q"}', "no `answer`; the record's fields are `id`, `question`"),
        ('{"id":"b","question":"q","answer":null}', "`answer` is null; give it text or"),
        ('{"id":"b","question":"q","answer":" "}', "`answer` is empty"),
        ('{"id":"b","question":" \\n","answer":"1"}', "`question` is empty"),
        ('{"id":"b","answer":"1"}', "no `question`"),
        ('{"id":"a","question":"q","answer":"1"}', "id `a` occurs already at"),
        ('{"question":"q","answer":"1"}', "no `id`"),
        ('{"id":"b\\nc","question":"q","answer":"1"}', "not a printable id"),
        (f'{{"id":"{"b" * 201}","question":"q","answer":"1"}}', "at most 200 characters"),
        ('{"id":"b","question":["q"],"answer":"1"}', "`question` is neither text nor a number"),
        ('{"id":"b","question":"q","answer":true}', "`answer` is neither text nor a number"),
        ('{"id":"b","question":"q","answer":NaN}', "`answer` is neither text nor a number"),
        ('{"id":"b","question":"q \\ud800","answer":"1"}', "`question` holds half a surrogate"),
        ('{"id":"b","question":"q","answer":%s}' % ("9" * 5000), "not a JSON line"),
    ],
)
def test_a_bad_second_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    """File, line and problem, in one line."""
    spec = local(tmp_path, GOOD + line + "\n", id_field="id")
    with pytest.raises(DataError) as caught:
        load(spec, root=tmp_path)
    assert f"q.jsonl:2: {message}" in str(caught.value) or (
        "q.jsonl:2: " in str(caught.value) and message in str(caught.value)
    )
    assert "\n" not in str(caught.value)


def test_a_duplicate_id_names_both_places(tmp_path: Path) -> None:
    """The first one too."""
    with pytest.raises(DataError, match=r"q\.jsonl:2: id `a` occurs already at .*q\.jsonl:1$"):
        load(local(tmp_path, GOOD + GOOD, id_field="id"), root=tmp_path)


def test_bytes_that_are_no_utf8_are_named(tmp_path: Path) -> None:
    """No replacement characters slip into a prompt."""
    with pytest.raises(DataError, match=r"q\.jsonl:1: not a JSON line"):
        load(local(tmp_path, b'{"question":"\xff","answer":"1"}\n'), root=tmp_path)


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("145.0", "145"),
        (145.0, "145"),
        (1e16, "10000000000000000"),
        ("1e+05", "100000"),
        ("+18", "18"),
        ("12.50", "12.5"),
        ("$12.50", "12.5"),
        (r"\$12.50", "12.5"),
        ("-$5", "-5"),
        ("€1,200", "1200"),
        ("1,200", "1200"),
        ("1,234,567.80", "1234567.8"),
        (r"9{,}500", "9500"),
        ("1\u202f000", "1000"),
        ("\u221218", "-18"),
        ("１８", "18"),
        ("18.", "18"),
        (".5", "0.5"),
        ("-0.0", "0"),
        ("007", "7"),
        ("50%", "50"),
        ("18 dollars", "18"),
        ("$18$", "18"),
        ("x = 18", "18"),
        (r"\boxed{18}", "18"),
        (r"\mathbf{18}", "18"),
        ("12th", "12"),
        ("'42'", "42"),
    ],
)
def test_a_number_gold_is_read_as_a_number(tmp_path: Path, answer: object, gold: str) -> None:
    """Once, when it is loaded: a column with gaps is written as floats by pandas."""
    spec = local(tmp_path, json.dumps({"question": "q", "answer": answer}))
    assert load(spec, root=tmp_path).questions[0].gold == gold


def test_the_pinned_hash_is_over_the_golds_as_they_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that reading golds otherwise changes no registered hash."""
    monkeypatch.setattr(
        "cot_entropy.data.hub.hub_rows", lambda **_: iter([{"question": "q", "answer": "145.0"}])
    )
    sha256 = questions_sha256([Question("row-1", "q", "145.0")])
    spec = HubDataset(source="hub", id="a/b", answer="number", revision="0" * 40, sha256=sha256)
    loaded = load(spec, root=tmp_path)
    assert loaded.questions == (Question("row-1", "q", "145", written="145.0"),)
    assert questions_sha256(loaded.questions) == spec.sha256


@pytest.mark.parametrize("answer", ["3/4", r"\frac{3}{4}", "2 1/2", "½"])
def test_a_fraction_among_numbers_is_refused(tmp_path: Path, answer: str) -> None:
    """The registered rule reads integers and decimals; the advice works."""
    line = json.dumps({"question": "q", "answer": answer})
    with pytest.raises(DataError, match=r"q\.jsonl:1: .* for fractions set answer: math$"):
        load(local(tmp_path, line), root=tmp_path)
    assert load(local(tmp_path, line, answer="math"), root=tmp_path).questions[0].gold == answer


@pytest.mark.parametrize("answer", ["3,5", "1,00,000", "40_9", "18 or 20", "3 4", "3+4=7", "nan"])
def test_a_gold_that_is_not_one_number_is_refused(tmp_path: Path, answer: str) -> None:
    """A list, a decimal comma, a numeral in a base: every answer would be wrong."""
    line = json.dumps({"question": "q", "answer": answer})
    with pytest.raises(DataError, match=r"q\.jsonl:1: `answer` is no number"):
        load(local(tmp_path, line), root=tmp_path)


@pytest.mark.parametrize("kind", ["number", "math"])
def test_a_solution_in_place_of_its_gold_is_refused_with_the_way_out(
    tmp_path: Path, kind: Any
) -> None:
    """`gold_marker: ####` without quotes is a YAML comment; with them the gold is found."""
    line = json.dumps({"id": 1, "question": "How many?", "answer": "3+4=7 #### 7"})
    with pytest.raises(DataError, match=r'q\.jsonl:1: .*; set gold_marker: "####", in quotes'):
        load(local(tmp_path, line, answer=kind, gold_marker=None), root=tmp_path)
    spec = local(tmp_path, line, answer=kind, gold_marker="####")
    assert load(spec, root=tmp_path).questions[0].gold == "7"


@pytest.mark.parametrize(
    ("json_text", "escape"),
    [
        (r"\frac{1}{2}", r"\f"),
        (r"\binom{5}{2}", r"\b"),
        (r"\boxed{5}", r"\b"),
        (r"5 \times 3", r"\t"),
        (r"5 \text{ cm}", r"\t"),
        (r"\theta", r"\t"),
        (r"(3, 4\right)", r"\r"),
        (r"x \neq 3", r"\n"),
    ],
)
def test_latex_eaten_by_json_escapes_is_refused(
    tmp_path: Path, json_text: str, escape: str
) -> None:
    """A backslash that stands once in JSON is an escape: `\f` of `\frac` is a form feed."""
    line = f'{{"question":"q","answer":"{json_text}"}}'
    with pytest.raises(DataError) as caught:
        load(local(tmp_path, line, answer="math"), root=tmp_path)
    assert f"q.jsonl:1: `answer` holds the character that JSON writes `{escape}`" in str(
        caught.value
    )
    doubled = line.replace("\\", "\\\\")
    assert (
        load(local(tmp_path, doubled, answer="math"), root=tmp_path).questions[0].gold == json_text
    )


@pytest.mark.parametrize("text", ["a\tan apple", "one\nnot two", "page\x0cNext", "col\tone"])
def test_white_space_in_a_question_is_no_lost_backslash(tmp_path: Path, text: str) -> None:
    """Tabs and lines before words are prose."""
    spec = local(tmp_path, json.dumps({"question": text, "answer": "1"}))
    assert load(spec, root=tmp_path).questions[0].text == text


@pytest.mark.parametrize("answer", ["abc", "6 + 12 = 18\n#### 18"])
def test_a_gold_that_is_no_number_is_named(tmp_path: Path, answer: str) -> None:
    """Words, or a solution whose marker was not configured: every answer would be wrong."""
    line = json.dumps({"question": "q", "answer": answer})
    with pytest.raises(DataError, match=r"q\.jsonl:1: `answer` is no number"):
        load(local(tmp_path, line), root=tmp_path)


@pytest.mark.parametrize("answer", ["42", "work ####", "#### "])
def test_a_gold_without_its_marker_is_named(tmp_path: Path, answer: str) -> None:
    """No marker, or nothing after it."""
    line = json.dumps({"question": "q", "answer": answer})
    with pytest.raises(DataError, match=r"q\.jsonl:1: `answer` has no gold after `#### `"):
        load(local(tmp_path, line, gold_marker="#### "), root=tmp_path)


def test_a_wrong_hash_says_what_was_found(tmp_path: Path) -> None:
    """So that the right one can be taken from the message."""
    found = hashlib.sha256(GOOD.encode()).hexdigest()
    spec = local(tmp_path, GOOD, sha256="0" * 64)
    with pytest.raises(DataError, match=rf"q\.jsonl: sha256 is {found}, .* expects {'0' * 64}"):
        load(spec, root=tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """Before anything is read."""
    spec = local(tmp_path, GOOD, path="none.jsonl")
    with pytest.raises(DataError, match=r"none\.jsonl: no such file"):
        load(spec, root=tmp_path)


def test_an_empty_file_is_no_dataset(tmp_path: Path) -> None:
    """Not a cell of zero questions."""
    with pytest.raises(DataError, match=r"q\.jsonl: holds no question"):
        load(local(tmp_path, "\n"), root=tmp_path)


def test_more_questions_than_there_are_is_an_error(tmp_path: Path) -> None:
    """Not silently fewer."""
    with pytest.raises(DataError, match=r"`questions` asks for 2, it holds 1"):
        load(local(tmp_path, GOOD, questions=2), root=tmp_path)


def test_the_hash_of_questions_is_that_of_their_json_lines() -> None:
    """The form a reader can recompute with any tool: compact JSON, UTF-8, one line each."""
    lines = '{"id":"1","question":"ü","gold":"2"}\n{"id":"b","question":"q","gold":"x"}\n'
    questions = [Question("1", "ü", "2", "steps=1"), Question("b", "q", "x")]
    assert questions_sha256(questions) == hashlib.sha256(lines.encode()).hexdigest()


@pytest.mark.parametrize("name", ["wordproblems", "latex"])
def test_an_embedded_generator_gives_the_number_asked_for(name: Any) -> None:
    """All with a stratum, and with the hash of what was drawn."""
    spec = EmbeddedDataset(source="embedded", name=name, answer="math", questions=24, steps=(1, 2))
    loaded = load(spec, root=Path())
    assert len(loaded.questions) == 24
    assert {item.stratum.partition(";")[0] for item in loaded.questions if item.stratum} == {
        "steps=1",
        "steps=2",
    }
    assert loaded.sha256 == questions_sha256(loaded.questions)


def test_an_embedded_dataset_is_checked_where_a_hash_is_given() -> None:
    """A changed generator is seen."""
    spec = EmbeddedDataset(source="embedded", name="algebra", answer="math", sha256="0" * 64)
    with pytest.raises(DataError, match=r"embedded `algebra`: sha256 is [0-9a-f]{64}"):
        load(spec, root=Path())


@pytest.mark.skipif(not GSM8K.exists(), reason="no shared/data beside the project")
def test_gsm8k_is_read_whole() -> None:
    """1,319 golds, 14 of them with thousands commas, as the data's own notes say: read as numbers."""
    sha256 = "3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14"
    spec = LocalDataset(
        source="local", path=GSM8K.name, answer="number", sha256=sha256, gold_marker="#### "
    )
    questions = load(spec, root=GSM8K.parent).questions
    assert len(questions) == 1319
    written = [json.loads(line)["answer"].rsplit("#### ")[1] for line in GSM8K.open()]
    assert sum("," in gold for gold in written) == 14
    assert [item.gold for item in questions] == [gold.replace(",", "") for gold in written]


@pytest.mark.skipif(not MATH500.exists(), reason="no shared/data beside the project")
def test_math500_is_read_whole_with_its_levels() -> None:
    """Levels 1 to 5 hold 43, 90, 105, 128 and 134 questions, as the data's own notes say."""
    spec = LocalDataset(
        source="local",
        path=MATH500.name,
        answer="math",
        sha256="35dc41080a3680858b27fa7e0533d2d547825316fc5dafe5d316f4ccc5a06132",
        question_field="problem",
        id_field="unique_id",
        stratum_field="level",
    )
    strata = [item.stratum for item in load(spec, root=MATH500.parent).questions]
    counts = [strata.count(f"level={level}") for level in (1, 2, 3, 4, 5)]
    assert counts == [43, 90, 105, 128, 134]


def test_hub_rows_come_through_the_library_in_order(tmp_path: Path) -> None:
    """`datasets.load_dataset` on a folder laid out as a hub dataset: no network."""
    rows = [{"question": f"q{i}", "answer": str(i)} for i in (3, 1, 2)]
    (tmp_path / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    loaded = hub_rows(path=str(tmp_path), name=None, split="test", revision=None, where="w")
    assert list(loaded) == rows


def test_an_unknown_split_is_one_line(tmp_path: Path) -> None:
    """The library's own reason, then the way out."""
    (tmp_path / "test.jsonl").write_text('{"question":"q","answer":"1"}\n')
    rows = hub_rows(path=str(tmp_path), name=None, split="validation", revision=None, where="w")
    with pytest.raises(DataError, match=r'^w: Unknown split "validation"') as caught:
        next(rows)
    assert "\n" not in str(caught.value)


def test_a_hub_that_does_not_answer_says_what_would_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library's offline mode is its own answer to a hub that must not be asked."""
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path)
    spec = HubDataset(
        source="hub",
        id="cot-entropy/no-such-set",
        answer="number",
        revision="0" * 40,
        sha256="0" * 64,
    )
    with pytest.raises(DataError) as caught:
        load(spec, root=tmp_path)
    message = str(caught.value)
    assert message.startswith("cot-entropy/no-such-set@000000000000: ")
    assert "HF_TOKEN" in message
    assert "`source: local`" in message
    assert "\n" not in message
