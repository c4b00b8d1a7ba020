r"""LaTeX as answers contain it: tidied spelling, units, brackets, top-level separators."""

from __future__ import annotations

import re
from typing import Final

from cot_entropy.answers.styles import unstyled

_WRAPPERS: Final = re.compile(
    r"\*\*|\$|(?<!\\)\\[()\[\]]"
    r"|\\(?:left|right|[bB]ig{1,2}[lr]?)(?![A-Za-z])\.?"
)
_SPACES: Final = re.compile(r"(?<!\\)\\[,;:> ]|\\q?quad(?![A-Za-z])|~|\s+")
_DIGIT_SEPARATOR: Final = re.compile(r"(?<=[0-9])(?:\{,\}|,?\\[!,]\s?|\u00a0)(?=[0-9]{3}(?![0-9]))")
_SPELLINGS: Final = tuple(
    (re.compile(pattern), spelling)
    for pattern, spelling in (
        (r"\\[dtc]frac(?![A-Za-z])", r"\\frac"),
        (r"\\(?:leq|leqslant|leqq)(?![A-Za-z])", r"\\le"),
        (r"\\(?:geq|geqslant|geqq)(?![A-Za-z])", r"\\ge"),
        (r"\\neq(?![A-Za-z])", r"\\ne"),
        (r"\\textsuperscript(?=\s*\{)", "^"),
        (r"\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![A-Za-z]))|\\degree(?![A-Za-z])", r"^\\circ"),
        (r"\\infin(?:ity)?(?![A-Za-z])|(?<![A-Za-z\\])(?:oo|infinity|inf)(?![A-Za-z])", r"\\infty"),
        (r"\\lbrace(?![A-Za-z])", r"\\{"),
        (r"\\rbrace(?![A-Za-z])", r"\\}"),
        (r"\\(frac|sqrt)\s+", r"\\\1"),
        (r"\\frac([0-9])\s*([0-9a-z])", r"\\frac{\1}{\2}"),
        (r"\\frac([0-9])\s*\{", r"\\frac{\1}{"),
        (r"(\\frac\{[^{}]*\})\s*([0-9])", r"\1{\2}"),
        (r"\\sqrt([0-9a-z])", r"\\sqrt{\1}"),
        (r"\\log_\s*([0-9a-z])", r"\\log_{\1}"),
    )
)
_UNITS: Final[dict[str, str]] = {
    spelling: unit
    for unit, spellings in {
        "degree": r"^\circ deg degree degrees",
        "percent": r"% \% percent",
        "dollar": "dollar dollars usd",
        "cent": "cent cents",
        "cm": "cm centimeter centimeters centimetre centimetres",
        "mm": "mm millimeter millimeters millimetre millimetres",
        "m": "m meter meters metre metres",
        "km": "km kilometer kilometers kilometre kilometres",
        "in": "in inch inches",
        "ft": "ft foot feet",
        "yd": "yd yard yards",
        "mi": "mi mile miles",
        "mi per h": "mph",
        "s": "s sec second seconds",
        "min": "min minute minutes",
        "h": "h hr hrs hour hours",
        "day": "day days",
        "week": "week weeks",
        "year": "year years",
        "kg": "kg kilogram kilograms",
        "g": "g gram grams",
        "lb": "lb lbs pound pounds",
        "oz": "oz ounce ounces",
        "t": "ton tons tonne tonnes",
        "l": "l liter liters litre litres",
        "ml": "ml milliliter milliliters millilitre millilitres",
        "gal": "gal gallon gallons",
        "qt": "qt quart quarts",
        "pt": "pint pints",
        "rad": "rad radian radians",
    }.items()
    for spelling in spellings.split()
}
_POWER: Final = r"\s*(?P<power>\^\s*\{?\s*[0-9]\s*\}?)?"
_TEXT_UNIT: Final = re.compile(rf"(?P<amount>.+)\\text\s*\{{(?P<unit>[^{{}}]*)\}}{_POWER}")
_WORD_UNIT: Final = re.compile(
    r"(?P<amount>.*[0-9})])(?P<gap>\s*)(?P<unit>(?:(?:square|cubic|sq|cu)\.?\s+)?[A-Za-z]{2,}"
    rf"(?:\s+[A-Za-z]{{2,}})*){_POWER}"
)
_SIGN_UNIT: Final = re.compile(r"(?P<amount>.+?)\s*(?P<unit>\^\\circ|\\?%)")
_UNIT_WORD: Final = re.compile(r"(?<![A-Za-z\\])[A-Za-z]{2,}|\^\\circ|\\?%")
_COUNTABLE: Final = re.compile(r"[0-9]|\\(?:frac|sqrt|pi)")
_MATH_WORDS: Final = frozenset({"sqrt", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh"})
_TEXT: Final = re.compile(r"\\text\s*\{([^{}]*)\}")
_ARTICLE: Final = re.compile(r"^(?:an?|the) (?=[a-z]{2})", re.IGNORECASE)
_OPENING: Final = "([{"
_CLOSING: Final = ")]}"


def tidy(text: str) -> str:
    """One spelling for fractions, roots, spaces, thousands, degree marks and comparisons."""
    text = _DIGIT_SEPARATOR.sub("", text.replace("\\$", "\\dollar "))
    text = unstyled(_SPACES.sub(" ", _WRAPPERS.sub("", text).replace("\\!", "")))
    for pattern, spelling in _SPELLINGS:
        text = pattern.sub(spelling, text)
    return text.strip().rstrip(".,;:").strip()


def split_unit(text: str) -> tuple[str, str | None]:
    """The text without its unit, and the unit if it is one of those known by several spellings.

    Other words behind an amount (`5 apples`) say what is counted; they go without a note.
    """
    if "\\dollar" in text:
        return text.replace("\\dollar", "", 1).replace("- ", "-").strip(), "dollar"
    if text[:1] in {"€", "£", "¥", "₹"}:
        return text[1:].strip(), text[0]
    if sign := _SIGN_UNIT.fullmatch(text):
        return sign["amount"], _UNITS[sign["unit"]]
    if (found := _TEXT_UNIT.fullmatch(text)) and _COUNTABLE.search(found["amount"]):
        return found["amount"].strip(), _unit(found["unit"], found["power"])
    if (found := _WORD_UNIT.fullmatch(text)) and _is_unit(found["unit"], found["gap"]):
        return found["amount"].strip(), _unit(found["unit"], found["power"])
    return text, None


def units(text: str) -> list[str]:
    """The known units that a text names in words or signs, in order, each by its one name."""
    return [_UNITS[word] for word in _UNIT_WORD.findall(text) if word in _UNITS]


def strip_group(text: str) -> str:
    """Without the pairs of braces around the whole (`{5}`)."""
    text = text.strip()
    while text.startswith("{") and text.endswith("}") and _spans(text):
        text = text[1:-1].strip()
    return text


def split_top(text: str, separator: re.Pattern[str]) -> list[str]:
    """Split at matches of `separator` outside all brackets; no empty parts."""
    return split_joined(text, separator)[0]


def split_joined(text: str, separator: re.Pattern[str]) -> tuple[list[str], list[re.Match[str]]]:
    """The parts that `split_top` gives, and the separators, those beside empty parts included."""
    parts, found, depth, start, position = [], [], 0, 0, 0
    while position < len(text):
        match = separator.match(text, position) if depth == 0 else None
        if match:
            found.append(match)
            parts.append(text[start:position])
            start = position = match.end()
            continue
        depth += (text[position] in _OPENING) - (text[position] in _CLOSING and depth > 0)
        position += 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()], found


def brackets(text: str) -> tuple[str, str, str] | None:
    r"""Opening bracket, inside and closing bracket, where one pair spans the text; `\{` as `{`."""
    if text.startswith("\\{") and text.endswith("\\}"):
        inside = text[2:-2]
        return ("{", inside, "}") if _spans("{" + inside + "}") else None
    if len(text) < 2 or text[0] not in "([" or text[-1] not in ")]" or not _spans(text):
        return None
    return text[0], text[1:-1], text[-1]


def words(text: str) -> str | None:
    r"""The words of an answer that is nothing else: a letter, or words, short ones in `\text`."""
    plain = _ARTICLE.sub("", " ".join(_TEXT.sub(r" \1 ", text).split()).rstrip("."))
    letter = plain.strip("() ")
    if len(letter) == 1 and letter.isalpha():
        return letter
    wordy = bool(plain) and all(c.isalpha() or c in " '-" for c in plain) and plain[0].isalpha()
    if not wordy or ("\\text" not in text and any(len(word) < 4 for word in plain.split(" "))):
        return None
    return plain


def is_letter(text: str) -> bool:
    """Whether a bracket holds one capital letter, as in a choice `(C)`."""
    return len(text.strip()) == 1 and text.strip().isalpha()


def _spans(text: str) -> bool:
    depth = 0
    for position, character in enumerate(text):
        depth += (character in _OPENING) - (character in _CLOSING)
        if depth == 0:
            return position == len(text) - 1
    return False


def _is_unit(unit: str, gap: str) -> bool:
    parts = unit.lower().split()
    if parts[0].strip(".") in {"square", "sq", "cubic", "cu"} and len(parts) > 1:
        return True
    if len(parts) == 1 and parts[0] in _UNITS:
        return True
    return bool(gap) and all(
        word == "per" or (len(word) > 3 and word not in _MATH_WORDS) for word in parts
    )


def _unit(text: str, power: str | None) -> str | None:
    parts = [part.strip(".") for part in text.lower().split()]
    exponent = re.sub(r"[^0-9]", "", power or "")
    if parts and parts[0] in {"square", "sq", "cubic", "cu"}:
        exponent = "2" if parts[0].startswith("s") else "3"
        parts = parts[1:]
    if "per" in parts[1:-1]:
        return " ".join(_UNITS.get(part, part) for part in parts)
    unit = _UNITS.get(parts[0]) if len(parts) == 1 else None
    return None if unit is None else unit + exponent
