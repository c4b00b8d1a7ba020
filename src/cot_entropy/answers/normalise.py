r"""The registered MATH normalisation: Minerva's final-answer rules on Hendrycks' string rules.

Sources: Lewkowycz et al. 2022, appendix D (substitutions, removed expressions, shorthand TeX,
thousands), then Hendrycks et al. 2021, `math_equivalence.py` (`_strip_string`).

As published, some rules make different answers equal. Each is repaired in the narrowest way, and
these repairs are ours:

- removed words go only as whole words (`ft` is part of `\left`, `km` of a variable's name), and
  never when they are the whole answer (`square`);
- articles go only before a word (`3a + 2` keeps its `a`);
- the part before `=` goes only if it is a name or a number (`x + y = 0` is not `0`), and never
  from a list of equations or from `<=`, `>=`, `!=`;
- commas go only where they group thousands (`3,5,7` is not `357`);
- `\overline` stays over digits (`0.\overline{3}` is not `0.3`);
- `\left` and `\right` go only as whole commands.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from cot_entropy.answers.folding import fold

CACHE: Final = 1 << 16
_LONG: Final = 512

_REMOVED_WORDS: Final = re.compile(
    r"(?<![A-Za-z\\])(?:square|ways|integers|dollars|mph|inches|ft|hours|km|units|sue|points|feet"
    r"|minutes|digits|cents|degrees|cm|gm|pounds|meters|meals|edges|students|children tickets"
    r"|multiples)(?![A-Za-z])"
)
_NOTHING: Final = re.compile(r"(?:\\text|[{}\s])*")
_ARTICLE: Final = re.compile(r"(?<![A-Za-z0-9\\}])an? (?=[A-Za-z]{2})")
_REMOVED: Final = (
    r"\ldots",
    r"\text{s}",
    r"\text{.}",
    r"\text{}^2",
    r"\text{}^3",
    r"\text{}",
    r"\mathrm{th}",
    r"^\circ",
    r"^{\circ}",
    r"\;",
    r",\!",
    "{,}",
    '"',
    r"\dots",
)
_WRAPPED: Final = re.compile(r"\\(?:text|textbf|boxed|overline(?!\{[0-9]))\{([^{}]*)\}")
_FRAC_SHORT: Final = re.compile(r"frac([^{\s])([^{\s])")
_SQRT_SHORT: Final = re.compile(r"sqrt([^{\[\s])")
_THOUSANDS: Final = re.compile(r"-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_EQUALS: Final = re.compile(r"(?<![<>!])=")
_NAME_OR_NUMBER: Final = re.compile(
    r"\\?[A-Za-z]+(?:_\{?\w+\}?)?(?:\([A-Za-z0-9, ]+\))?|[-+*/^(){}.0-9\s]*"
)
_LEFT_RIGHT: Final = re.compile(r"\\(?:left|right)(?![A-Za-z])")
_SIMPLE_FRACTION: Final = re.compile(r"(-?[0-9]+)/(-?[0-9]+)")


def normalise(answer: str) -> str:
    """The normal form whose equality is the `normalised` equivalence."""
    return _normalise(answer) if len(answer) > _LONG else _cached(answer)


def _normalise(answer: str) -> str:
    text = fold(answer)
    return text if text.isdigit() else _hendrycks(_minerva(text))


_cached: Final = lru_cache(maxsize=CACHE)(_normalise)


def _minerva(answer: str) -> str:
    text = _right_hand_side(answer.strip())
    text = _ARTICLE.sub("", text)
    text = text.replace(".$", "$").replace("\\$", "").replace("\\ ", "").replace("mbox", "text")
    without_words = _REMOVED_WORDS.sub("", text)
    text = text if _NOTHING.fullmatch(without_words) else without_words
    text = re.sub(r"\s", "", text)
    text = text.replace(r",\text{and}", ",").replace(r"\text{and}", ",")
    text = text.replace(r"\text{m}", r"\text{}")
    for expression in _REMOVED:
        text = text.replace(expression, "")
    if text.count("$") > 1:
        text = text.split("$", 2)[1]
    text = _WRAPPED.sub(r"\1", text)
    text = _FRAC_SHORT.sub(r"frac{\1}{\2}", text)
    text = _SQRT_SHORT.sub(r"sqrt{\1}", text)
    text = text.replace("$", "")
    return text.replace(",", "") if _THOUSANDS.fullmatch(text) else text


def _right_hand_side(text: str) -> str:
    parts = _EQUALS.split(text)
    if len(parts) == 1 or "," in text or not _NAME_OR_NUMBER.fullmatch(parts[0].strip(" \n\t$")):
        return text
    return parts[-1]


def _hendrycks(text: str) -> str:
    text = text.replace("\n", "").replace(r"\!", "").replace("\\\\", "\\")
    text = text.replace("tfrac", "frac").replace("dfrac", "frac")
    text = _LEFT_RIGHT.sub("", text)
    text = text.replace(r"^{\circ}", "").replace(r"^\circ", "").replace("\\$", "")
    text = text.replace(r"\%", "").replace("%", "")
    text = text.replace(" .", " 0.").replace("{.", "{0.")
    if text.startswith("."):
        text = "0" + text
    sides = _EQUALS.split(text)
    if len(sides) == 2 and len(sides[0]) <= 2:
        text = sides[1]
    text = _fix_sqrt(text).replace(" ", "")
    text = _fix_fracs(text)
    if text == "0.5":
        return r"\frac{1}{2}"
    fraction = _SIMPLE_FRACTION.fullmatch(text)
    return rf"\frac{{{fraction[1]}}}{{{fraction[2]}}}" if fraction else text


def _fix_sqrt(text: str) -> str:
    head, *rest = text.split(r"\sqrt")
    fixed = (part if not part or part[0] in "{[" else f"{{{part[0]}}}{part[1:]}" for part in rest)
    return r"\sqrt".join([head, *fixed])


def _fix_fracs(text: str) -> str:
    head, *rest = text.split(r"\frac")
    fixed = []
    for part in rest:
        if part.startswith("{"):
            fixed.append(part)
        elif len(part) < 2:
            return text
        elif part[1] == "{":
            fixed.append(f"{{{part[0]}}}{part[1:]}")
        else:
            fixed.append(f"{{{part[0]}}}{{{part[1]}}}{part[2:]}")
    return r"\frac".join([head, *fixed])
