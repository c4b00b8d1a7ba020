r"""Style without meaning: `\mathbf{7}` and `\color{red}{7}` are 7, `12^{\text{th}}` is 12.

`unstyled` leaves words in `\text`, so that units and names are still seen as words; it reads
texts within the registered limits only.
"""

from __future__ import annotations

import re
from typing import Final

_SIZES: Final = re.compile(
    r"\\(?:displaystyle|textstyle|scriptstyle|scriptscriptstyle|limits|nolimits|tiny|scriptsize"
    r"|footnotesize|small|normalsize|large|Large|LARGE|huge|Huge|boldmath|normalfont|centering"
    r"|noindent)(?![A-Za-z])\s*"
)
_COLOURS: Final = re.compile(
    r"\\(?:color|textcolor|colorbox)\s*(?:\[[^][{}]*\])?\s*\{[^{}]*\}\s*"
    r"|\\fcolorbox\s*\{[^{}]*\}\s*\{[^{}]*\}\s*"
)
_SWITCH: Final = (
    r"\\(?:bf|it|rm|sf|tt|sl|sc|em|cal|bfseries|itshape|rmfamily|sffamily|ttfamily|scshape|mdseries"
    r"|upshape)(?![A-Za-z])\s*"
)
_SWITCHED_GROUP: Final = re.compile(rf"\{{\s*{_SWITCH}")
_SWITCH_BEFORE_GROUP: Final = re.compile(rf"{_SWITCH}(?=\{{)")
_SWITCH_ALONE: Final = re.compile(_SWITCH)
_TEXT_STYLE: Final = (
    r"text(?:bf|it|rm|sf|tt|sl|sc|up|md|normal)?|emph|mbox|hbox|mathrm|operatorname|mathop"
)
_MATH_STYLE: Final = (
    r"math(?:bf|it|sf|tt|normal|bfit)|boldsymbol|bold|bm|pmb|underline|uline|boxed|fbox|framebox"
    r"|ensuremath"
)
_STYLED: Final = re.compile(
    rf"\\(?:(?P<text>{_TEXT_STYLE})|(?P<math>{_MATH_STYLE}))\*?(?![A-Za-z])\s*"
    r"(?:(?P<brace>\{)|(?P<bare>[0-9A-Za-z](?![A-Za-z])))"
)
_COMMAND: Final = re.compile(r"\\[A-Za-z]+")
_AMOUNT: Final = re.compile(r"[-+$\\]*[0-9][0-9.,]*(?:(?:st|nd|rd|th)|\s+[A-Za-z. ]+|\s*\\?%)")
_TOKEN: Final = re.compile(r"[0-9]+(?:[.,][0-9]+)*|[A-Za-z]")
_SUFFIX: Final = r"(?:st|nd|rd|th)"
_ORDINAL: Final = re.compile(
    rf"(?P<amount>.+?)\s*\^?\s*\{{?\s*\\text\s*\{{\s*-?\s*{_SUFFIX}\s*\}}\s*\}}?", re.IGNORECASE
)
_PLAIN_ORDINAL: Final = re.compile(
    rf"(?P<amount>-?[0-9]*?(?P<last>[0-9]{{1,2}}))\s?-?\s?(?:\^?\{{\s*)?\^?(?P<suffix>{_SUFFIX})\s*\}}?",
    re.IGNORECASE,
)


def unstyled(text: str) -> str:
    r"""Without sizes, colours and styles; words stay in `\text`."""
    text = _COLOURS.sub("", _SIZES.sub("", text))
    text = _SWITCHED_GROUP.sub(r"\\text{", text)
    text = _SWITCH_ALONE.sub("", _SWITCH_BEFORE_GROUP.sub(r"\\text", text))
    for found in reversed(list(_STYLED.finditer(text))):
        begin, end = found.start(), found.end()
        if found["bare"]:
            content = found["bare"]
        else:
            closing = _closing(text, end)
            if closing is None:
                continue
            content, end = text[found.end() : closing], closing + 1
        text = text[:begin] + _plain(found, content, text[:begin], text[end:]) + text[end:]
    return text


def ordinal(text: str) -> str | None:
    r"""The amount of an ordinal: `12^{\text{th}}`, `12th`, `n^{\text{th}}`; None for others.

    Without `\text` the letters must be those that the number takes: `2^{st}` is a power.
    """
    if found := _ORDINAL.fullmatch(text):
        return found["amount"].rstrip(" -^{")
    if (found := _PLAIN_ORDINAL.fullmatch(text)) is None:
        return None
    last = found["last"]
    right = "th" if last[-2:] in {"11", "12", "13"} else _SUFFIXES.get(last[-1], "th")
    return found["amount"] if found["suffix"].lower() == right else None


_SUFFIXES: Final = {"1": "st", "2": "nd", "3": "rd"}


def _closing(text: str, begin: int) -> int | None:
    depth = 1
    for position in range(begin, len(text)):
        if text[position - 1] != "\\":
            depth += (text[position] == "{") - (text[position] == "}")
        if depth == 0:
            return position
    return None


def _plain(found: re.Match[str], written: str, before: str, after: str) -> str:
    content = written.strip()
    letters = [c for c in _COMMAND.sub("", content) if c.isalpha()]
    if found["math"]:
        wordy = len(letters) > 1 and "".join(letters) == content
    elif len(content) == 1 and letters:
        wordy = found["text"] in {"text", "mbox"} or before.rstrip()[-1:].isdigit()
    else:
        wordy = bool(letters) and not _AMOUNT.fullmatch(content)
    if wordy or not content:
        return f"\\text{{{written}}}"
    apart = not (before[-1:].isalnum() or before[-1:] in {"^", "_", "}", "]"})
    if apart and not after[:1].isalnum() and _TOKEN.fullmatch(content):
        return content
    return f"{{{content}}}"
