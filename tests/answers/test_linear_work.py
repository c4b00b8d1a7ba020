"""Work grows linearly with the text: every regex over untrusted text, and every rule, by doubling.

Texts of 10, 40 and 160 thousand characters: what a pattern begins with, then one character over
and over, for every character class. Processor time is taken as ratios of one run. Twice doubled,
a text costs about four times the work where that is linear and sixteen times where it is
quadratic; `MANY` lies between. Work too small to be timed passes: quadratic work of that length takes seconds.
"""

from __future__ import annotations

import ast
import importlib
import re
import string
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from re import _parser as parser
from typing import Any, get_args

import pytest
from tests.answers.answer_texts import TOKENS, hostile_text, seeded

import cot_entropy
from cot_entropy.answers import AnswerKind, ExtractionRule, extract, is_cut_at_comma
from cot_entropy.answers.golds import lost_backslash, number_gold
from cot_entropy.answers.limits import MAX_LENGTH
from cot_entropy.answers.normalise import normal_form
from cot_entropy.answers.reading import read
from cot_entropy.protocol.names import EXTRACTIONS
from cot_entropy.protocol.probe import SEGMENTATIONS

LENGTHS = (10_000, 40_000, 160_000)
FLOOR_SECONDS = 0.1
MANY = 9
SOURCE = Path(cot_entropy.__file__).parent
RULES = EXTRACTIONS.names
KINDS: tuple[AnswerKind, ...] = get_args(AnswerKind)

UNBOUNDED = {
    *("answers.boxes", "answers.extract", "answers.folding", "answers.golds", "answers.normalise"),
    *(
        "answers.numbers",
        "answers.extraction.robust",
        "answers.sides",
        "generate.spans",
        "generate.prompts",
    ),
    *(f"generate.segmentation.{name}" for name in ("blank_lines", "newlines", "step_marker_only")),
    *(
        "consistency.computed",
        "consistency.dividing",
        "consistency.judge",
        "consistency.prompt",
        "consistency.rules",
    ),
    *("consistency.transcript", "data.load"),
}
BOUNDED = {
    "answers.latex": "reads texts within the registered limits",
    "answers.limits": "looks at the length first",
    "answers.rationals": "looks at the length first",
    "answers.reading": "looks at the limits first",
    "answers.styles": "reads texts within the registered limits",
    "answers.symbolic": "reads texts within the registered limits",
    "registration.anchors.osf": "matches one identifier whole",
    "registration.anchors.rfc3161": "reads a small file",
    "registration.anchors.store": "matches the names of files",
    "registration.anchors.tag": "reads a small file, and what git and gpg print of it",
}
SHORT_TEXTS = {
    "answers.extraction.robust": {"_MATH", "_SENTENCE_END", "_EMPHASIS", "_PROSE"},
    "answers.sides": {"_SPACED_NAME", "_OPERATOR_AT_END"},
}
"""Patterns that see a window: 200 characters behind a marker, 64 at the end of a side."""
OWN_TEXT = {
    "audit.page": "the report page of a run, whose size the audit bounds",
    "registration.items": "the project's lock and plan",
    "report.figures.estimated": "labels that the project writes",
    "report.figures.specs": "names that the project writes",
    "report.paper.latex": "tables that the project writes",
    "report.text": "headings that the project writes",
    "study.reuse": "paths that the project writes",
    "workflow.failures": "lines that Snakemake writes",
}
CLASSES = [*string.punctuation, *" \t\n\r0aAzé中１½\u00a0\u3000\x0c"]
PREFIXES = ["", "\\boxed{", "answer is ", "Answer:", "####", "question", "$", "x=", "1", "\\text{"]


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    for module in sorted(UNBOUNDED):
        for name, value in vars(importlib.import_module(f"cot_entropy.{module}")).items():
            used_elsewhere = name in SHORT_TEXTS.get(module, ())
            if isinstance(value, re.Pattern) and not used_elsewhere:
                yield f"{module}.{name}", value


PATTERNS = dict(patterns())


def literals(nodes: Any) -> Iterator[str]:
    """The runs of literal characters in a parsed pattern, wherever they stand."""
    run = ""
    for kind, value in nodes:
        if str(kind) == "LITERAL":
            run += chr(value)
            continue
        if run:
            yield run
        run = ""
        for part in value if isinstance(value, tuple | list) else ():
            if isinstance(part, parser.SubPattern):
                yield from literals(part)
            elif isinstance(part, list):
                for branch in part:
                    if isinstance(branch, parser.SubPattern):
                        yield from literals(branch)
    if run:
        yield run


def openings(pattern: re.Pattern[str]) -> list[str]:
    found = {run for run in literals(parser.parse(pattern.pattern, pattern.flags)) if len(run) > 1}
    return ["", "\n", "1", "a", *sorted(found, key=lambda run: (-len(run), run))[:12]]


def grows(work: Callable[[str], object], opening: str, unit: str) -> str | None:
    """The lengths between which work grew more than linearly; None where it never did."""
    spent: list[float] = []
    for length in LENGTHS:
        text = opening + unit * (length // len(unit)) + "\x00"
        start = time.process_time()
        work(text)
        spent.append(time.process_time() - start)
        if len(spent) > 1 and spent[-1] > max(FLOOR_SECONDS, MANY * spent[-2]):
            return f"{opening!r} + {unit!r} * n: {[f'{seconds:.3f}' for seconds in spent]}"
    return None


def calls(name: str) -> Callable[[str], object]:
    """How the pattern is used: from the start of a text only, or from every position."""
    module, _, own = name.rpartition(".")
    source = (SOURCE / f"{module.replace('.', '/')}.py").read_text("utf-8")
    used = set(re.findall(rf"(?<!\w){own}\.(\w+)\(", source))
    pattern = PATTERNS[name]
    if used and used <= {"fullmatch", "match"}:
        return pattern.fullmatch if used == {"fullmatch"} else pattern.match
    return finds(pattern)


def finds(pattern: re.Pattern[str]) -> Callable[[str], object]:
    return lambda text: sum(1 for _ in pattern.finditer(text))


def superlinear(work: Callable[[str], object], begins: list[str], units: list[str]) -> list[str]:
    slow = (grows(work, opening, unit) for opening in begins for unit in units)
    return [found for found in slow if found]


@pytest.mark.full
@pytest.mark.parametrize("name", PATTERNS)
def test_every_regex_with_every_character_class(name: str) -> None:
    """Behind each literal of the pattern, and behind nothing."""
    assert superlinear(calls(name), openings(PATTERNS[name]), CLASSES) == []


@pytest.mark.parametrize("name", PATTERNS)
def test_every_regex_with_its_own_literals(name: str) -> None:
    """Each literal over and over, and each behind spaces, digits, letters and line ends."""
    work, begins = calls(name), openings(PATTERNS[name])
    assert superlinear(work, begins, [" ", "0", "a", "\n"]) == []
    assert superlinear(work, [""], [begin for begin in begins if begin]) == []


RUNS: dict[str, Callable[[str], object]] = {
    **{
        f"extract {rule} {kind}": lambda text, rule=rule, kind=kind: extract(
            text, rule=rule, kind=kind
        )
        for rule in RULES
        for kind in KINDS
    },
    "normal form": lambda text: normal_form(text, kind="math"),
    "normal form of a number": lambda text: normal_form(text, kind="number"),
    "reading": read,
    "gold": number_gold,
    "lost backslash": lost_backslash,
    "cut at a comma": lambda text: is_cut_at_comma(text, "1", rule="robust", kind="number"),
    **{f"segment {name}": SEGMENTATIONS.load(name).units for name in SEGMENTATIONS.names},
}


@pytest.mark.parametrize("run", RUNS)
def test_every_rule_with_every_character_class(run: str) -> None:
    """Extraction, normal form, reading, golds and segmentation, from end to end."""
    assert superlinear(RUNS[run], PREFIXES[:1], CLASSES) == []


@pytest.mark.full
@pytest.mark.parametrize("run", RUNS)
def test_every_rule_behind_every_opening(run: str) -> None:
    """Openings of answers, and every token of the fuzz tests over and over."""
    assert superlinear(RUNS[run], PREFIXES[1:], CLASSES) == []
    assert superlinear(RUNS[run], [""], list(TOKENS)) == []


def test_a_question_without_its_mark() -> None:
    """`question` and 40,000 spaces took 23 seconds under `robust`."""
    for kind in KINDS:
        run = RUNS[f"extract robust {kind}"]
        assert grows(run, "question", " ") is None
        assert grows(run, "question", " 1 ") is None


@pytest.mark.parametrize(
    ("pattern", "opening", "unit"),
    [
        (r"question[ \t]*(?:[0-9]{1,4})?[ \t]*[:.]", "question", " "),
        ("a*b", "", "a"),
        (r"\s+$", "x", " "),
    ],
)
def test_quadratic_work_is_seen(pattern: str, opening: str, unit: str) -> None:
    """The check can fail."""
    assert grows(finds(re.compile(pattern)), opening, unit) is not None


@pytest.mark.parametrize("character", CLASSES)
def test_texts_over_the_limit_are_not_read(character: str) -> None:
    """What the patterns of the bounded modules see is at most `MAX_LENGTH` characters long."""
    text = "x" + character * MAX_LENGTH
    assert type(read(text).core).__name__ == "Unread"


def test_every_module_with_a_regex_is_listed() -> None:
    """A new one belongs among those that are doubled, or says why its texts are bounded."""
    using = {
        ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        for path in SOURCE.rglob("*.py")
        if any(_uses_regex(node) for node in ast.walk(ast.parse(path.read_text("utf-8"))))
    }
    assert using == UNBOUNDED | BOUNDED.keys() | OWN_TEXT.keys()


def _uses_regex(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
    )


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", KINDS)
def test_megabytes_of_garbage(rule: ExtractionRule, kind: AnswerKind) -> None:
    """The answer at the end of three megabytes is found."""
    garbage = hostile_text(seeded(5), tokens=40).replace("\\boxed", "").replace("{", "")
    text = garbage * (3_000_000 // len(garbage)) + "\n\nThat is 1,234 in all"
    assert extract(text, rule=rule, kind=kind) is not None
