r"""LaTeX as answers contain it: tidied spelling, units, brackets, top-level separators."""

from __future__ import annotations

import re
from typing import Final

_WRAPPERS: Final = re.compile(
    r"\*\*|\$|\\[()\[\]](?![A-Za-z])|\\displaystyle|\\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z])\.?"
)
_SPACES: Final = re.compile(r"\\[!,;:> ]|\\q?quad(?![A-Za-z])|~|\u00a0|\s+")
_SPELLINGS: Final = (
    (re.compile(r"\\[dtc]frac(?![A-Za-z])"), r"\\frac"),
    (re.compile(r"\\leqs?l?a?n?t?(?![A-Za-z])"), r"\\le"),
    (re.compile(r"\\geqs?l?a?n?t?(?![A-Za-z])"), r"\\ge"),
    (re.compile(r"\\neq(?![A-Za-z])"), r"\\ne"),
    (
        re.compile(r"\\(?:mbox|textbf|textit|textrm|mathrm|mathbf|operatorname|emph)(?=\s*\{)"),
        r"\\text",
    ),
    (re.compile(r"\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![A-Za-z]))|\\degree(?![A-Za-z])"), r"^\\circ"),
    (
        re.compile(
            r"\\(?:infin|infinity)(?![A-Za-z])|(?<![A-Za-z\\])(?:oo|infinity|inf)(?![A-Za-z])"
        ),
        r"\\infty",
    ),
    (re.compile(r"\\lbrace(?![A-Za-z])"), r"\\{"),
    (re.compile(r"\\rbrace(?![A-Za-z])"), r"\\}"),
    (re.compile(r"\\frac\s*([0-9a-zA-Z])\s*([0-9a-zA-Z])"), r"\\frac{\1}{\2}"),
    (re.compile(r"\\frac\s*([0-9a-zA-Z])\s*\{"), r"\\frac{\1}{"),
    (re.compile(r"(\\frac\s*\{[^{}]*\})\s*([0-9a-zA-Z])"), r"\1{\2}"),
    (re.compile(r"\\sqrt\s*([0-9a-zA-Z])"), r"\\sqrt{\1}"),
    (re.compile(r"\\(frac|sqrt)\s+(?=[{\[])"), r"\\\1"),
)
_UNITS: Final[dict[str, str]] = {
    spelling: unit
    for unit, spellings in {
        "degree": r"^\circ deg degree degrees",
        "percent": r"% \% percent",
        "dollar": "dollar dollars usd",
        "cent": "cent cents",
        "cm": "cm centimeter centimeters",
        "mm": "mm millimeter millimeters",
        "m": "m meter meters metre metres",
        "km": "km kilometer kilometers",
        "in": "in inch inches",
        "ft": "ft foot feet",
        "yd": "yd yard yards",
        "mi": "mi mile miles mph",
        "s": "sec second seconds",
        "min": "min minute minutes",
        "h": "hr hrs hour hours",
        "day": "day days",
        "week": "week weeks",
        "year": "year years",
        "kg": "kg kilogram kilograms",
        "g": "g gram grams",
        "lb": "lb lbs pound pounds",
    }.items()
    for spelling in spellings.split()
}
_AMOUNT_END: Final = r"(?P<amount>.*[0-9})\]!i\w])\s*"
_TEXT_UNIT: Final = re.compile(
    r"(?P<amount>.*?[^\s,\\].*?|.)\s*\\text\s*\{(?P<unit>[^{}]*)\}\s*(?P<power>\^\s*\{?\s*[0-9]\s*\}?)?"
)
_WORD_UNIT: Final = re.compile(
    r"(?P<amount>.*[0-9}])\s*(?P<unit>(?:(?:square|cubic|sq|cu)\.?\s+)?[A-Za-z]{2,}(?:\s+[A-Za-z]{2,})*|[mgs](?=\s*\^))\s*(?P<power>\^\s*\{?\s*[0-9]\s*\}?)?"
)
_SIGN_UNIT: Final = re.compile(r"(?P<amount>.+?)\s*(?P<unit>\^\\circ|\\?%)(?:\s*[CF](?![A-Za-z]))?")
_OPEN: Final = {"(": ")", "[": "]", "{": "}"}
_CLOSERS: Final = ")]}"


def tidy(text: str) -> str:
    """One spelling for fractions, roots, spaces, degree marks and comparison signs."""
    dollars = text.replace("\\$", "\\dollar ")
    text = _WRAPPERS.sub("", dollars)
    for pattern, spelling in _SPELLINGS:
        text = pattern.sub(spelling, text)
    return text.strip().rstrip(".,;:").strip() if text.strip() != "." else ""


def split_unit(text: str) -> tuple[str, str | None]:
    """The text without its unit, and the unit if it is one of those known by several spellings.

    Other words behind an amount (`5 apples`) say what is counted; they go without a note.
    """
    if text.startswith("\\dollar "):
        return text.removeprefix("\\dollar ").strip(), "dollar"
    if text.startswith("-\\dollar "):
        return "-" + text.removeprefix("-\\dollar ").strip(), "dollar"
    if text[:1] in {"€", "£", "¥", "₹"}:
        return text[1:].strip(), text[0]
    if sign := _SIGN_UNIT.fullmatch(text):
        return sign["amount"], _UNITS[sign["unit"]]
    for pattern in (_TEXT_UNIT, _WORD_UNIT):
        if (found := pattern.fullmatch(text)) and any(map(str.isdigit, found["amount"])):
            return found["amount"].strip(), _unit(found["unit"], found["power"])
    return text, None


def _unit(words: str, power: str | None) -> str | None:
    parts = [part.strip(".") for part in words.lower().split()]
    exponent = re.sub(r"[^0-9]", "", power or "")
    if parts and parts[0] in {"square", "sq", "cubic", "cu"}:
        exponent = "2" if parts[0][0] == "s" else "3"
        parts = parts[1:]
    unit = _UNITS.get(parts[0]) if parts else None
    return None if unit is None else unit + exponent


def strip_group(text: str) -> str:
    """Without one pair of braces around the whole (`{5}`), if they match each other."""
    while text.startswith("{") and (found := brackets("\\" + text[:-1] + "\\}")):
        text = found[1].strip()
    return text


def split_top(text: str, separator: str) -> list[str]:
    """Split at matches of `separator` outside all brackets."""
    parts, depth, start, position = [], 0, 0, 0
    pattern = re.compile(separator)
    while position < len(text):
        if depth == 0 and (found := pattern.match(text, position)) and found.end() > position:
            parts.append(text[start:position])
            start = position = found.end()
            continue
        if text[position] in _OPEN:
            depth += 1
        elif text[position] in _CLOSERS:
            depth = max(0, depth - 1)
        position += 1
    parts.append(text[start:])
    return [part.strip() for part in parts]


def brackets(text: str) -> tuple[str, str, str] | None:
    r"""Opening bracket, inside and closing bracket, where one pair spans the text; `\{` as `{`."""
    inner = text.replace("\\{", "{").replace("\\}", "}") if text.startswith("\\{") else text
    if len(inner) < 2 or inner[0] not in "([{" or inner[-1] not in _CLOSERS:
        return None
    if inner[0] == "{" and not text.startswith("\\{"):
        return None
    depth = 0
    for position, character in enumerate(inner):
        depth += (character in _OPEN) - (character in _CLOSERS)
        if depth == 0 and position < len(inner) - 1:
            return None
    return (inner[0], inner[1:-1], inner[-1]) if depth == 0 else None


def plain_words(text: str) -> str:
    r"""The text with `\text{...}` unwrapped."""
    return re.sub(r"\\text\s*\{([^{}]*)\}", r"\1", text).strip()
