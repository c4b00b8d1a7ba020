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

from cot_entropy.answers.folding import fold, unquoted
from cot_entropy.answers.kinds import AnswerKind
from cot_entropy.answers.sides import EQUALS, NAME, RELATION, split_outside, states_more

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
    '"',
    r"\dots",
)
_DIGIT_SPACE: Final = "~"
_SPACE_COMMAND: Final = re.compile(r"(?<!\\)\\[ ;]")
_SPACES: Final = re.compile(r"\s+")
_SPACES_IN_DIGITS: Final = re.compile(r"(?<=[0-9])\s+(?=[0-9])")
_FRAC_SPACED: Final = re.compile(r"(frac)\s*([0-9])\s+(?=[0-9])")
_SPACED_THOUSANDS: Final = re.compile(r"-?[0-9]{1,3}(?:\s[0-9]{3})+(?:\.[0-9]+)?")
_GROUPING: Final = re.compile(r"(?<=[0-9])(?:,\\!|\{,\})(?=[0-9]{3}(?![0-9]))")
_OTHER_COMMA: Final = re.compile(r",\\!|\{,\}")
_ASIDE: Final = r"(?:[^\W\d_]|[.,:;!?()'\"\s]|\\text\{|\})*"
_IN_DOLLARS: Final = re.compile(rf"{_ASIDE}\$(?P<inside>[^$]+)\${_ASIDE}")
_WRAPPED: Final = re.compile(r"\\(?:text|textbf|boxed|overline(?=\{[A-Z]{2,}\}))\{([^{}]*)\}")
_FRAC_SHORT: Final = re.compile(r"frac([^{\s])([^{\s])")
_SQRT_SHORT: Final = re.compile(r"sqrt([^{\[\s])")
_THOUSANDS: Final = re.compile(r"-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_SUMMAND: Final = re.compile(r"[-+*/^(){}.0-9\s]*")
_NAMED: Final = re.compile(NAME)
_LIST: Final = re.compile(
    r"[,;&\u3001]|\\\\|\\q?quad(?![A-Za-z])|\\(?:vee|wedge|lor|land)(?![A-Za-z])"
    r"|(?<![A-Za-z\\])(?:and|or|xor|either|both)(?![A-Za-z])",
    re.IGNORECASE,
)
_LEFT_RIGHT: Final = re.compile(r"\\(?:left|right)(?![A-Za-z])")
_HALF: Final = r"\frac{1}{2}"
_DECIMAL: Final = re.compile(r"(?P<sign>[-+])?(?P<whole>[0-9]*+)(?:\.(?P<part>[0-9]*+))?")
_SIMPLE_FRACTION: Final = re.compile(r"(-?[0-9]+)/(-?[0-9]+)")


def normalise(answer: str) -> str:
    """The normal form whose equality is the `normalised` equivalence."""
    return _normalise(answer) if len(answer) > _LONG else _cached(answer)


def normal_form(answer: str, *, kind: AnswerKind) -> str:
    """The normal form of an answer of a kind: of kind `number`, `12.50` and `12.5` are one."""
    if kind == "math":
        return normalise(answer)
    number = decimal(fold(answer).strip())
    if number is not None:
        return number
    form = normalise(answer)
    return "0.5" if form == _HALF else decimal(form) or form


def decimal(text: str) -> str | None:
    """An integer or decimal without its plus sign and the zeros that close its fraction.

    Zeros in front stay (`00000` is what is left of `1,00,000`, not 0). None for other texts.
    """
    found = _DECIMAL.fullmatch(text)
    if found is None or not (found["whole"] or found["part"]):
        return None
    part = (found["part"] or "").rstrip("0")
    number = (found["whole"] or "0") + (f".{part}" if part else "")
    return f"-{number}" if found["sign"] == "-" and number != "0" else number


def _normalise(answer: str) -> str:
    text = fold(answer).strip()
    if text.isdigit():
        return text
    return _hendrycks(_minerva(unquoted(text))) or text


_cached: Final = lru_cache(maxsize=CACHE)(_normalise)


def _minerva(answer: str) -> str:
    text = _right_hand_side(answer)
    text = _ARTICLE.sub("", text)
    text = text.replace(".$", "$").replace("\\$", "").replace("mbox", "text")
    without_words = _REMOVED_WORDS.sub(" ", text)
    text = text if _NOTHING.fullmatch(without_words) else without_words
    text = _without_spaces(text)
    text = text.replace(r",\text{and}", ",").replace(r"\text{and}", ",")
    text = text.replace(r"\text{m}", r"\text{}")
    text = _OTHER_COMMA.sub(",", _GROUPING.sub("", text))
    for expression in _REMOVED:
        text = _removed(expression, text)
    if (inside := _IN_DOLLARS.fullmatch(text)) is not None:
        text = inside["inside"]
    text = _WRAPPED.sub(r"\1", text)
    text = _FRAC_SHORT.sub(r"frac{\1}{\2}", text)
    text = _SQRT_SHORT.sub(r"sqrt{\1}", text)
    text = text.replace("$", "")
    return text.replace(",", "") if _THOUSANDS.fullmatch(text) else text


def _without_spaces(text: str) -> str:
    """Without spaces, but for those that part two numbers (`1 1/2` is not `11/2`)."""
    text = _SPACE_COMMAND.sub(" ", text)
    text = _FRAC_SPACED.sub(r"\1\2", text)
    if _SPACED_THOUSANDS.fullmatch(text.strip()):
        return "".join(text.split())
    return _SPACES.sub("", _SPACES_IN_DIGITS.sub(_DIGIT_SPACE, text))


def _removed(expression: str, text: str) -> str:
    """Without `expression`, but for a space where it parted two digits (`5%10`)."""
    if expression not in text:
        return text
    kept: list[str] = []
    last = ""
    for part in text.split(expression):
        if last.isdigit() and part[:1].isdigit():
            kept.append(_DIGIT_SPACE)
        kept.append(part)
        last = part[-1:] or last
    return "".join(kept)


def _right_hand_side(text: str) -> str:
    """Minerva's: what stands behind the last `=`, where one value is named."""
    if "=" not in text or _LIST.search(text):
        return text
    first, *others = split_outside(text, EQUALS)
    name = _LEFT_RIGHT.sub("", first).strip(" \n\t$")
    if not others or not (_NAMED.fullmatch(name) or _SUMMAND.fullmatch(name)):
        return text
    if any(map(states_more, others[:-1])) or _has_relation(others[-1]):
        return text
    return others[-1] if others[-1].strip(" $.") else text


def _without_short_name(text: str) -> str:
    """Hendrycks': what stands behind a name of up to two characters and the only `=`."""
    name, _, rest = text.partition("=")
    if not rest or len(name) > 2 or not _NAMED.fullmatch(name) or _has_relation(rest):
        return text
    return rest


def _has_relation(text: str) -> bool:
    return len(split_outside(text, RELATION)) > 1


def _hendrycks(text: str) -> str:
    text = text.replace("\n", "").replace(r"\!", "").replace("\\\\", "\\")
    text = text.replace("tfrac", "frac").replace("dfrac", "frac")
    text = _LEFT_RIGHT.sub("", text)
    text = text.replace(r"^{\circ}", "").replace(r"^\circ", "").replace("\\$", "")
    text = _removed("%", _removed(r"\%", text))
    text = text.replace(" .", " 0.").replace("{.", "{0.")
    if text.startswith("."):
        text = "0" + text
    text = _without_short_name(text)
    text = _fix_sqrt(text).replace(" ", "")
    text = _fix_fracs(text)
    if text == "0.5":
        return _HALF
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
