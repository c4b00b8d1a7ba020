r"""Gold answers, each changed in one place, and the same answers spelled otherwise.

A change is of one operator, index, bound, sign, relation, list element or unit. The golds are the
500 of MATH-500 where they stand beside the project, and `FORMULAS`, answers of the kinds that
MATH-500 has few of: sums, limits, unions, lists joined by words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

FORMULAS = [
    r"\sum_{k=1}^{n} k", r"\prod_{i=1}^{m} (i+2)", r"\int_{0}^{1} x^2\,dx", r"\lim_{x \to 0} f(x)",
    r"\bigcup_{i=1}^{n} A_i", r"\max_{x \in S} f(x)", r"\frac{1}{n} \sum_{i=1}^{n} x_i",
    r"S = \sum_{k=1}^{n} a_k", r"\sum_{k=1}^{n} k = \frac{n(n+1)}{2}", r"A \cup B", r"(A \cap B) \cup C",
    r"x=1 \text{ or } x=2", r"x=1 \text{ and } y=2", "x=1; x=2", "x = 3, y = 4", r"x=-1 \lor x=5",
    r"$x=1$ or $x=2$", "2 and 3", r"x < -2 \text{ or } x > 3", r"x > -2 \text{ and } x < 3",
    r"x=2 \quad x=7", "a_1 = 2, a_2 = 5", r"\{x : x > 2\}", r"-3 \le x < 4", r"f(x) = x^2 - 3x + 1",
    r"5\text{ feet }11\text{ inches}", r"60 \text{ miles per hour}", r"3 \frac{1}{2}", "7 1/2",
    r"\$12.50", r"45\%", r"30^\circ 15'", r"\overline{z}", r"\log_2 7", "2^{10} 3^4", r"a \equiv 3 \pmod{7}",
    r"1,\!000,\!000", "12,345", r"(1,\!200, 3)", r"\frac{x+2}{x-3}", r"|x - 5| < 2",
    r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}", r"\binom{10}{3}", "8!", r"\lfloor x \rfloor + 2",
    r"x \ge 3", r"x^2 + y^2 = 25", r"y = -\frac{2}{3}x + 4", r"\vec{v} = (1, 2)", r"P(A \mid B) = 0.3",
]  # fmt: skip

_SWAPS: dict[str, list[tuple[str, str]]] = {
    "operator": [
        (r"(?<=[^\s({\[,=<>&^])\s*\+", " -"),
        (r"(?<=[\w)}])\s*-(?!\\infty)", " +"),
        (r"\\cdot(?![a-z])", "+"),
        (r"\\times(?![a-z])", "+"),
        (r"(?<=[0-9a-z])/(?=[0-9a-z])", "+"),
        (r"\\cup", r"\\cap"),
        (r"\\cap", r"\\cup"),
        (r"\\sum", r"\\prod"),
        (r"\\prod", r"\\sum"),
        (r"\\int", r"\\sum"),
        (r"\\bigcup", r"\\bigcap"),
        (r"\\max", r"\\min"),
        (r"\\lim", r"\\sup"),
        (r"\\sqrt(?=\{)", r"\\log"),
        (r"\\sin", r"\\cos"),
        (r"\\cos", r"\\sin"),
        (r"\\tan", r"\\cot"),
        (r"\\log", r"\\ln"),
        (r"\\lfloor(.*)\\rfloor", r"\\lceil\1\\rceil"),
        (r"\\overline\{([a-z])\}", r"\1"),
        (r"\\pm", "+"),
        (r"!", ""),
        (r"\|([^|]*)\|", r"(\1)"),
    ],
    "index": [
        (r"_\{?([a-z])(?==)", r"_{j"),
        (r"_([0-9])", r"_{1\1}"),
        (r"\^\{?2\}?(?![0-9])", "^{3}"),
        (r"\^\{?3\}?(?![0-9])", "^{4}"),
        (r"\\sqrt\[3\]", r"\\sqrt[4]"),
    ],
    "bound": [
        (r"=1\}", "=2}"),
        (r"\^\{?n\}?", "^{m}"),
        (r"\\to 0", r"\\to 1"),
        (r"_\{?0\}?\^", "_{1}^"),
        (r"(?<!\\)\[(?=[^\]]*[,)])", "("),
        (r"\](?=$|\s|\\cup)", ")"),
        (r"^\(([^()]*,[^()]*)\)$", r"[\1]"),
        (r"-\\infty", "0"),
        (r"(?<!-)\\infty", "99"),
    ],
    "sign": [(r"^-", ""), (r"^(?=[0-9a-z\\(])(?!\\text|\\begin)", "-"), (r"(?<=[,({=]) ?-", " ")],
    "relation": [
        (r"\\leq?(?![a-z])", "<"),
        (r"\\geq?(?![a-z])", ">"),
        (r"<", r"\\le "),
        (r">", "<"),
        (r"(?<=[a-z)])\s*=(?=\s*[-0-9a-z\\])", r" \\ne "),
        (r"(?<=[a-z)])\s*=(?=\s*[-0-9a-z\\])", r" > "),
        (r"\\in(?![a-z])", r"\\notin"),
        (r"\\equiv", r"\\not\\equiv"),
    ],
    "list element": [
        (r"([,;])\s*([^,;()\[\]{}]+)$", ""),
        (r"([,;])\s*([^,;()\[\]{}]+)$", r"\1 \2\1 97"),
        (r"^([^,;()\[\]{}]+)([,;])", r"97\2"),
        (r"(?<==)\s*([0-9]+)(?=.*(?:or|and|lor|quad|,|;))", "97"),
        (r"\\text\{ or \}.*", ""),
        (r"\$ or \$.*", "$"),
        (r" and .*", ""),
    ],
    "unit": [
        (r"\\text\{ ?cm ?\}|\\mbox\{ ?cm ?\}", r"\\text{ m}"),
        (r"inches", "feet"),
        (r"feet", "meters"),
        (r"\\circ", r"\\prime"),
        (r"\\%", r"\\text{ cm}"),
        (r"\\\$", r"\\text{€}"),
        (r"degrees", "radians"),
        (r"cents", "dollars"),
        (r"miles per hour", "miles per minute"),
        (r"\}\^2", "}^3"),
        (r"_\{?([0-9])\}?$", "_3"),
    ],
}
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"(?<![A-Za-z\\])[a-z](?![A-Za-z])")


def unsized(gold: str) -> str:
    return re.sub(r"\\(?:left|right)(?![a-z])", "", gold)


RESPELLINGS: dict[str, Callable[[str], str]] = {
    "sized brackets": lambda gold: re.sub(
        r"(?<!\\)[(\[]", r"\\left\g<0>", re.sub(r"[)\]]", r"\\right\g<0>", unsized(gold))
    ),
    "plain brackets": unsized,
    "display fractions": lambda gold: re.sub(r"\\d?frac", r"\\dfrac", gold),
    "display style": lambda gold: rf"\displaystyle {gold}",
    "dollars": lambda gold: f"${gold}$",
    "round delimiters": lambda gold: rf"\({gold}\)",
    "square delimiters": lambda gold: rf"\[{gold}\]",
    "full stop": lambda gold: f"{gold}.",
    "braces": lambda gold: f"{{{gold}}}",
    "bold": lambda gold: f"**{gold}**",
    "bold mathematics": lambda gold: rf"\mathbf{{{gold}}}",
    "box": lambda gold: rf"\boxed{{{gold}}}",
    "single quotes": lambda gold: gold if "'" in gold else f"'{gold}'",
    "double quotes": lambda gold: f'"{gold}"',
    "Unicode minus": lambda gold: gold.replace("-", "\u2212"),
    "full-width digits": lambda gold: re.sub(
        "[0-9]", lambda digit: chr(ord(digit[0]) + 0xFEE0), gold
    ),
    "lines": lambda gold: f"\n{gold}\n",
}
"""The same answer, whatever the gold."""


def mutations(gold: str) -> Iterator[tuple[str, str]]:
    """What was changed, and the gold with that change: another answer, or the check says not."""
    found: set[str] = {gold}
    for kind, swaps in _SWAPS.items():
        for pattern, replacement in swaps:
            for match in re.finditer(pattern, gold):
                changed = gold[: match.start()] + match.expand(replacement) + gold[match.end() :]
                if changed not in found and changed.strip():
                    found.add(changed)
                    yield kind, changed
    for kind, pattern in (("number", _DIGIT), ("letter", _LETTER)):
        for match in pattern.finditer(gold):
            old = match[0]
            new = str((int(old) + 1) % 10) if old.isdigit() else ("w" if old == "z" else "z")
            changed = gold[: match.start()] + new + gold[match.end() :]
            if changed not in found:
                found.add(changed)
                yield kind, changed
