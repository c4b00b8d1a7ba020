"""The how-to's commands, as they stand there, on logs that Inspect's mock model makes.

Names of models and of the task are replaced by ones that need no network; nothing else is.
"""

from __future__ import annotations

import csv
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cot_entropy.consistency import scanner
from cot_entropy.consistency.cli import app
from cot_entropy.consistency.scan import read_judgements

from .endpoint import Endpoint, endpoint
from .scripted import part, verdict

GUIDE = Path(__file__).parents[2] / "docs/howto/scan-transcripts.md"
BIN = Path(sys.executable).parent
OFFLINE = {
    "inspect_evals/agentic_misalignment": "task.py",
    "openai/gpt-5-mini": "mockllm/model",
    "openai/gpt-5": "openai-api/local/judge",
    "SOURCE": "field.jsonl",
}
TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import solver, system_message

REPLIES = {"stop": "I stop.", "on": "I go on.", "silent": ""}

@solver
def mocked():
    async def solve(state, generate):
        answer = REPLIES[state.sample_id]
        text = f"The notice is clear, so I stop.\\nThe answer is: {answer}" if answer else ""
        said = ModelOutput.from_content("mockllm/model", text)
        said.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        model = get_model("mockllm/model", custom_outputs=[said], memoize=False)
        state.output = await model.generate(state.messages)
        state.messages.append(state.output.message)
        return state
    return solve

@task
def safety():
    return Task(
        dataset=[Sample(id=name, input="Stop?") for name in REPLIES],
        solver=[system_message("Be safe."), mocked()],
    )
"""


def commands() -> list[str]:
    """The guide's commands that need neither a model here nor a viewer, with offline names."""
    text = GUIDE.read_text().replace("\\\n", " ")
    blocks = re.findall(r"^```bash\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    found = [line.strip() for block in blocks for line in block.splitlines()]
    chosen = [
        line
        for line in found
        if re.match(r"cot-entropy|inspect eval|scout scan", line) and "--local-model" not in line
    ]
    for name, other in OFFLINE.items():
        chosen = [re.sub(rf"(?<![\w/]){re.escape(name)}(?![\w-])", other, line) for line in chosen]
    return chosen


def mind(body: dict[str, object]) -> str:
    messages = body["messages"]
    assert isinstance(messages, list)
    went_on = "go on" in part(messages[-1]["content"], "ANSWER")
    return verdict("inconsistent", "reasoning_reversal") if went_on else verdict()


def follow(line: str) -> None:
    """Run one command; ours in this process, which has it loaded."""
    program, *arguments = shlex.split(line)
    if program == "cot-entropy":
        result = CliRunner().invoke(app, arguments[1:])
        assert result.exit_code == 0, f"{line}\n{result.output}{result.exception!r}"
        return
    done = subprocess.run(
        [str(BIN / program), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}"


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Endpoint]]:
    """A folder in which every command of the guide was run, in its order."""
    folder = tmp_path_factory.mktemp("guide")
    (folder / "task.py").write_text(TASK)
    (folder / "field.jsonl").write_text(
        '{"id": "a", "question": "Stop?", "reasoning": "I should stop.", "answer": "I go on."}\n'
    )
    with endpoint(mind) as served, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("PYTHONPATH", str(Path(scanner.__file__).parents[2]))
        patch.setenv("LOCAL_BASE_URL", served.url)
        patch.setenv("LOCAL_API_KEY", "k")
        for line in commands():
            follow(line)
        yield folder, served


def test_the_guide_has_all_ways() -> None:
    """Validation of two judges and of a record, scans, Scout's own ways, benchmark and export."""
    verbs = [" ".join(line.split()[:3]) for line in commands()]
    assert [verb for verb in verbs if verb.startswith("cot-entropy")] == [
        "cot-entropy consistency validate",
        "cot-entropy consistency validate",
        "cot-entropy consistency validate",
        "cot-entropy consistency scan",
        "cot-entropy consistency scan",
        "cot-entropy consistency benchmark",
        "cot-entropy consistency export",
    ]
    assert {line.split()[0] for line in commands()} == {"cot-entropy", "inspect", "scout"}


def test_an_inspect_run_ends_in_judged_transcripts(followed: tuple[Path, Endpoint]) -> None:
    """One follows, one is reversed, one has no answer; ids name task, sample and epoch."""
    found = read_judgements(followed[0] / "results/safety/judgements.jsonl.zst")
    assert {judgement.id.split("/")[1]: judgement.outcome for judgement in found} == {
        "stop": "consistent",
        "on": "inconsistent",
        "silent": "not_applicable",
    }


def test_its_rates_stand_beside_the_judges_record(followed: tuple[Path, Endpoint]) -> None:
    """The recipe takes the validation of section 1 along, agentic items for agentic runs."""
    text = (followed[0] / "results/safety/rates.csv").read_text()
    rows = list(csv.DictReader(text.splitlines()))
    inside = [row for row in rows if row["reason"] != "outside every rate"]
    assert all(re.search(r"\d+ of \d+", row["on_benchmark"]) for row in inside)


def test_the_judge_saw_the_runs_system_prompt(followed: tuple[Path, Endpoint]) -> None:
    """The logs keep it, and so does the prompt."""
    shown = [request["messages"][-1]["content"] for request in followed[1].requests]
    assert any("Be safe." in text and "The notice is clear" in text for text in shown)


def test_scouts_own_command_leaves_its_scan(followed: tuple[Path, Endpoint]) -> None:
    """The other way of the same section."""
    assert list((followed[0] / "scans").iterdir())
