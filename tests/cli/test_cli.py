"""The installed command: verdict lines, one-line errors, exit codes."""

import csv
import errno
import json
import os
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.generation import (
    chains_job,
    model_folder,
    scripted_settings,
    write_manifest,
    write_questions,
)
from tests.stats.explore.simulated import random_rows

from cot_entropy import cli
from cot_entropy.base.errors import ConfigError, StorageError, UserError
from cot_entropy.base.files import read_jsonl, sha256_file
from cot_entropy.data.job import QuestionsJob
from cot_entropy.data.sources.local import LocalDataset
from cot_entropy.engine.base import EngineFailedError
from cot_entropy.formats.trajectories import write_trajectories
from cot_entropy.model.spec import HubModel, LocalModel, ModelJob

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from cot_entropy.cli import main; main()"]


def call(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], input=stdin, capture_output=True, text=True, check=False
    )


def refused(*arguments: str, stdin: str = "") -> str:
    """The one line on standard error of a command that must end with 2."""
    done = call(*arguments, stdin=stdin)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("error: ")
    return lines[0]


def line(**values: Any) -> str:
    return json.dumps(values) + "\n"


def test_grade_answers_in_order() -> None:
    """Contract 1: `answer` is null where none is found."""
    stdin = line(id="b", completion="It is 1,234.", gold="1234") + line(
        id="a", completion="I cannot say.", gold="5"
    )
    done = call("grade", "--dataset", "gsm8k", stdin=stdin)
    assert done.returncode == 0
    assert [json.loads(row) for row in done.stdout.splitlines()] == [
        {"id": "b", "answer": "1234", "correct": True},
        {"id": "a", "answer": None, "correct": False},
    ]


def test_grade_takes_rule_and_equivalence() -> None:
    stdin = line(id=1, completion="so \\boxed{\\frac{1}{2}}", gold="0.5")
    options = ("grade", "--dataset", "math", "--extraction", "robust")
    done = call(*options, "--equivalence", "by_value", stdin=stdin)
    assert json.loads(done.stdout)["correct"] is True


def test_grade_names_a_malformed_line_and_writes_nothing() -> None:
    stdin = line(id="a", completion="5", gold="5") + "{broken\n"
    assert "stdin:2: " in refused("grade", "--dataset", "gsm8k", stdin=stdin)


def test_bytes_that_are_no_text_are_a_malformed_line() -> None:
    """JSON is UTF-8 (RFC 8259, section 8.1)."""
    done = subprocess.run(
        [*COMMAND, "grade", "--dataset", "gsm8k"],
        input=b'{"id": "a", "completion": "\xff is 7", "gold": "7"}\n',
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error: stdin:1: not UTF-8")


def test_a_traceback_appears_only_with_debug() -> None:
    assert "Traceback" not in call("grade", "--dataset", "gsm8k", stdin="{\n").stderr
    assert "Traceback" in call("--debug", "grade", "--dataset", "gsm8k", stdin="{\n").stderr


def test_an_unknown_choice_is_named_with_those_known() -> None:
    done = call("grade", "--dataset", "gsm9k")
    assert done.returncode == 2
    assert "'gsm8k', 'math'" in done.stderr


ROW = {"question": "What is 2 and 2?", "answer": "4"}


def questions_error(tmp_path: Path, text: str, *, sha256: str | None = None) -> str:
    path = tmp_path / "data.jsonl"
    path.write_text(text)
    spec = LocalDataset(
        source="local",
        path=str(path),
        sha256=sha256 or sha256_file(path),
        answer="number",
        id_field="id" if '"id"' in text else None,
    )
    job = QuestionsJob(name="data", dataset=spec, code_digest="x")
    out = tmp_path / "questions.jsonl.zst"
    out.write_text("earlier")
    message = refused("questions", "--job", job.model_dump_json(), "--out", str(out))
    assert out.read_text() == "earlier"
    return message


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    assert "data.jsonl:2: " in questions_error(tmp_path, line(**ROW) + "{broken\n")


def test_a_missing_gold_is_named(tmp_path: Path) -> None:
    message = questions_error(tmp_path, line(**ROW) + line(question="What?"))
    assert "data.jsonl:2: no `answer`" in message


def test_a_duplicate_id_is_named(tmp_path: Path) -> None:
    message = questions_error(tmp_path, line(id="q", **ROW) + line(id="q", **ROW))
    assert "data.jsonl:2: id `q`" in message
    assert "data.jsonl:1" in message


def test_an_empty_question_is_named(tmp_path: Path) -> None:
    assert "data.jsonl:1: `question` is empty" in questions_error(
        tmp_path, line(question=" ", answer="4")
    )


def test_a_wrong_hash_says_which_was_found(tmp_path: Path) -> None:
    message = questions_error(tmp_path, line(**ROW), sha256="0" * 64)
    assert sha256_file(tmp_path / "data.jsonl") in message
    assert "0" * 64 in message


def model_error(tmp_path: Path, spec: LocalModel | HubModel) -> str:
    job = ModelJob(name="m", model=spec, code_digest="x")
    out = tmp_path / "model.json"
    return refused("model", "--job", job.model_dump_json(), "--out", str(out))


def test_a_model_without_a_chat_template_is_named(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "model", template=None)
    (folder / "model.safetensors").write_bytes(b"weights")
    assert "no chat template" in model_error(tmp_path, LocalModel(source="local", path=str(folder)))


def test_a_folder_without_weights_is_named(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "model")
    assert "no weights" in model_error(tmp_path, LocalModel(source="local", path=str(folder)))


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    spec = LocalModel(source="local", path=str(tmp_path / "none"))
    assert "no such folder" in model_error(tmp_path, spec)


def test_a_hub_that_cannot_be_reached_says_what_would_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    spec = HubModel(source="hub", id="some/model", revision="0" * 40)
    message = model_error(tmp_path, spec)
    assert "some/model" in message
    assert "source: local" in message


def test_an_estimate_is_printed_before_anything_runs() -> None:
    done = subprocess.run(
        [*COMMAND, "estimate", "--configfile", "config/study.yaml"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "qwen2.5-7b/gsm8k" in done.stdout
    assert "7,276" in done.stdout


def test_an_estimate_of_no_study_is_refused() -> None:
    assert "none.yaml: no such file" in refused("estimate", "--configfile", "none.yaml")


def chains(tmp_path: Path, texts: list[str], **settings: Any) -> list[str]:
    job = chains_job(engine=scripted_settings(**settings), code_digest="x")
    model = write_manifest(tmp_path / "model.json", model_folder(tmp_path / "model"))
    questions = write_questions(tmp_path / "questions.jsonl.zst", texts)
    return [
        *("chains", "--job", job.model_dump_json(), "--model", str(model)),
        *("--questions", str(questions), "--out", str(tmp_path / "chains.jsonl.zst")),
    ]


def test_a_prompt_longer_than_the_context_is_recorded_and_the_cell_goes_on(
    tmp_path: Path,
) -> None:
    done = call(*chains(tmp_path, ["Short?", "long " * 3000, "Short again?"]))
    assert done.returncode == 0, done.stderr
    records = [row for _, row in read_jsonl(tmp_path / "chains.jsonl.zst")][1:]
    assert [row["chain"] is None for row in records] == [False, True, False]
    assert "1024" in records[1]["error"]
    assert json.loads(done.stderr.splitlines()[-1])["questions_failed"] == 1


def test_a_results_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    """/proc takes no files from anyone, root included."""
    arguments = chains(tmp_path, ["Short?"])[:-1]
    done = call(*arguments, "/proc/results/chains.jsonl.zst")
    assert done.returncode == 4
    (message,) = done.stderr.splitlines()
    assert message.startswith("error: /proc/results/chains.attempts.jsonl: cannot be written")
    assert "permit writing there" in message


def test_no_gpu_for_a_config_that_wants_one(tmp_path: Path) -> None:
    message = refused(*chains(tmp_path, ["Short?"], name="vllm", device="cuda"))
    assert "GPU" in message or "cuda" in message


def test_the_log_survives_a_library_that_reconfigures_logging(tmp_path: Path) -> None:
    """vLLM does so when it is imported; what is said after that must still reach the file."""
    log = tmp_path / "stage.log"
    code = (
        "import logging, logging.config; from cot_entropy.cli.app import options;"
        f"options(log=__import__('pathlib').Path({str(log)!r}));"
        "logging.config.dictConfig({'version': 1, 'disable_existing_loggers': False});"
        "logging.getLogger('cot_entropy.generate.chains').info('the end')"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert log.read_text() == "the end\n"


def test_a_job_that_is_no_job_is_named() -> None:
    message = refused("questions", "--job", '{"name": 1}', "--out", "x")
    assert "--job: " in message


@pytest.mark.parametrize("group", [(), ("consistency",)], ids=["", "consistency"])
def test_every_summary_fits_its_line(group: tuple[str, ...]) -> None:
    """80 columns, where typer cuts a longer one and writes dots."""
    shown = call(*group, "--help")
    assert shown.returncode == 0
    assert "..." not in shown.stdout.split("Commands:")[1]


@pytest.mark.parametrize(
    "error", [ConfigError, EngineFailedError, StorageError], ids=lambda error: error.__name__
)
def test_the_help_says_what_exit_codes_mean(error: type[UserError]) -> None:
    words = " ".join(call("--help").stdout.split())
    assert "Exit codes: 0 done; 1 `audit` found differences;" in words
    assert "; 5 the machine or this program failed;" in words
    assert f"; {error.exit_code} " in words


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (OSError(errno.EIO, "Input/output error", "x"), 5, "x: Input/output error"),
        (OSError(errno.ENOSPC, "No space left on device", "x"), 4, "x: cannot be written"),
        (PermissionError(errno.EACCES, "Permission denied", "x"), 2, "x: Permission denied"),
        (MemoryError(), 5, "too little memory"),
        (RuntimeError("a\n\x1bb"), 5, "RuntimeError: a \x1bb; this is a fault of cot-entropy"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_failure_of_the_machine_never_ends_with_1(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    code: int,
    said: str,
) -> None:
    """1 is for differences alone."""

    def fail() -> None:
        raise error

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == code
    assert said in caplog.text


def test_a_shell_completes_verbs() -> None:
    """The protocol of the script that `--install-completion` installs for bash."""
    code = "import sys; sys.argv = ['cot-entropy']; from cot_entropy.cli import main; main()"
    environment = {"_COT_ENTROPY_COMPLETE": "complete_bash", "COMP_WORDS": "cot-entropy se"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment, "COMP_CWORD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert set(done.stdout.split()) == {"self-consistency", "sensitivity", "seal"}


def test_a_job_that_is_no_job_leaves_no_attempt(tmp_path: Path) -> None:
    """Nothing was started, so no start is noted beside the file."""
    out = tmp_path / "chains.jsonl.zst"
    files = ("--model", "m", "--questions", "q", "--out", str(out))
    assert "--job: " in refused("chains", "--job", "{}", *files)
    assert list(tmp_path.iterdir()) == []


def test_grade_says_what_it_graded() -> None:
    """On standard error: standard output holds verdicts only."""
    stdin = "".join(line(id=n, completion=text, gold="4") for n, text in enumerate(("4", "5", "?")))
    done = call("grade", "--dataset", "gsm8k", stdin=stdin)
    assert done.stderr == "graded 3 lines: 1 correct, 1 without an answer\n"


def test_grade_names_a_gold_that_nothing_equals() -> None:
    """`#### 18` is a solution's last line, no number: all answers would be wrong in silence."""
    stdin = line(id=1, completion="18", gold="18") + line(id=2, completion="18", gold="#### 18")
    done = call("grade", "--dataset", "gsm8k", stdin=stdin)
    assert "no answer can equal the gold in line 2" in done.stderr
    assert done.returncode == 0


def test_grade_says_that_it_was_given_nothing() -> None:
    """An empty file is often a mistyped one."""
    done = call("grade", "--dataset", "gsm8k")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "graded 0 lines: standard input held none\n"


def analysis(folder: Path, out: Path) -> tuple[str, ...]:
    """An analysis of 40 made-up questions by a plan with few resamples."""
    plan = yaml.safe_load((ROOT / "preregistration/plan.yaml").read_text())
    plan |= {"resamples": 100, "permutations": 100}
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan))
    write_trajectories(folder / "t.parquet", random_rows(40))
    return ("analyse", "--plan", str(folder / "plan.yaml"), "--out", str(out), "--jobs", "1",
            str(folder / "t.parquet"))  # fmt: skip


def test_analyse_says_what_it_wrote(tmp_path: Path) -> None:
    """Rows by verdict, as they stand in the table, and that none is confirmatory."""
    done = call(*analysis(tmp_path, tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    with (tmp_path / "out/verdicts.csv").open() as stream:
        words = Counter(row["verdict"] for row in csv.DictReader(stream))
    said = done.stderr.splitlines()[-1]
    assert said.startswith(f"{tmp_path / 'out'}: verdicts.csv (")
    assert all(f"{number} {word}" in said for word, number in words.items())
    assert "; none confirmatory)" in said


def test_analyse_into_a_file_is_refused_before_it_starts(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    message = refused(*analysis(tmp_path, tmp_path / "out"))
    assert message.endswith("out: is a file; name a folder")
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.parametrize(("name", "what"), [("file", "is a file"), ("none", "no such folder")])
def test_show_of_no_folder_says_what_to_give(tmp_path: Path, name: str, what: str) -> None:
    (tmp_path / "file").write_text("x")
    assert refused("show", str(tmp_path / name)).endswith(
        f"{name}: {what}; give the folder of a study, such as results/demo"
    )


@pytest.mark.parametrize("verb", ["show", "audit"])
def test_the_folder_of_all_studies_names_those_in_it(tmp_path: Path, verb: str) -> None:
    for name in ("demo", "study"):
        (tmp_path / name / "provenance").mkdir(parents=True)
    assert refused(verb, str(tmp_path)).endswith(
        f"holds studies, is none; give one: {tmp_path / 'demo'}, {tmp_path / 'study'}"
    )


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    """As some editors write one."""
    done = call(
        "grade", "--dataset", "gsm8k", stdin="\ufeff" + line(id=1, completion="4", gold="4")
    )
    assert done.returncode == 0
    assert json.loads(done.stdout) == {"id": 1, "answer": "4", "correct": True}


def test_the_audit_of_a_foreign_archive_names_the_archive(tmp_path: Path) -> None:
    """Not the scratch folder that it was unpacked into."""
    archive = tmp_path / "foreign.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("README.md", "no run")
    for arguments in ([], ["--against", str(archive)]):
        message = refused("audit", str(archive), *arguments)
        assert message.startswith(f"error: {archive}/provenance/run.json: no such file")


def test_help_looks_the_same_for_every_verb() -> None:
    """Plain text: rich's frames stand in none of them."""
    for arguments in ([], ["audit"], ["consistency"], ["consistency", "scan"]):
        done = call(*arguments, "--help")
        assert done.returncode == 0
        assert done.stdout.lstrip().startswith("Usage: ")
        assert "─" not in done.stdout
