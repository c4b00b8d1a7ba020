r"""The normalisation as published, without our repairs: what it merges is counted apart.

Lewkowycz et al. 2022, appendix D (`normalize_final_answer`), then Hendrycks et al. 2021,
`math_equivalence.py` (`_strip_string`), written from the papers' listings.
"""

from __future__ import annotations

import re

SUBSTITUTIONS = [
    ("an ", ""), ("a ", ""), (".$", "$"), (r"\$", ""), (r"\ ", ""), (" ", ""), ("mbox", "text"),
    (r",\text{and}", ","), (r"\text{and}", ","), (r"\text{m}", r"\text{}"),
]  # fmt: skip
REMOVED = [
    "square", "ways", "integers", "dollars", "mph", "inches", "ft", "hours", "km", "units", r"\ldots",
    "sue", "points", "feet", "minutes", "digits", "cents", "degrees", "cm", "gm", "pounds", "meters",
    "meals", "edges", "students", "childrentickets", "multiples", r"\text{s}", r"\text{.}",
    "\\text{\ns}", r"\text{}^2", r"\text{}^3", "\\text{\n}", r"\text{}", r"\mathrm{th}", r"^\circ",
    r"^{\circ}", r"\;", r",\!", "{,}", '"', r"\dots",
]  # fmt: skip


def published(answer: str) -> str:
    """The normal form that the two papers give."""
    return _hendrycks(_minerva(answer))


def _minerva(text: str) -> str:
    text = text.rsplit("=", maxsplit=1)[-1]
    for before, after in SUBSTITUTIONS:
        text = text.replace(before, after)
    for expression in REMOVED:
        text = text.replace(expression, "")
    text = re.sub(r"(.*?)(\$)(.*?)(\$)(.*)", r"$\3$", text)
    for command in ("text", "textbf", "overline"):
        text = re.sub(rf"(\\{command}\{{)(.*?)(\}})", r"\2", text)
    text = re.sub(r"(\\boxed\{)(.*)(\})", r"\2", text)
    text = re.sub(r"(frac)([^{])(.)", r"frac{\2}{\3}", text)
    text = re.sub(r"(sqrt)([^{])", r"sqrt{\2}", text)
    text = text.replace("$", "")
    return text.replace(",", "") if text.replace(",", "").isdigit() else text


def _hendrycks(text: str) -> str:
    for before, after in (
        ("\n", ""), (r"\!", ""), ("\\\\", "\\"), ("tfrac", "frac"), ("dfrac", "frac"), (r"\left", ""),
        (r"\right", ""), (r"^{\circ}", ""), (r"^\circ", ""), (r"\$", ""), (r"\%", ""), ("%", ""),
        (" .", " 0."), ("{.", "{0."),
    ):  # fmt: skip
        text = text.replace(before, after)
    text = "0" + text if text.startswith(".") else text
    sides = text.split("=")
    text = sides[1] if len(sides) == 2 and len(sides[0]) <= 2 else text
    text = text.replace(" ", "")
    if text == "0.5":
        return r"\frac{1}{2}"
    return re.sub(r"^(-?[0-9]+)/(-?[0-9]+)$", r"\\frac{\1}{\2}", text)
