"""A table as LaTeX with booktabs' rules: the environment alone, to paste into a paper's source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "\N{MINUS SIGN}": "$-$",
    "\N{EN DASH}": "--",
}
"""Characters that TeX reads as commands, or that not every font has."""
BELOW: Final = frozenset({"95 % interval", "Kind"})
"""Columns that stand below the one before them."""
WIDTH: Final = 10
NUMBER: Final = re.compile(r"[-+\N{MINUS SIGN}]?[0-9][0-9,]*(\.[0-9]+)?|\N{EN DASH}|< 0\.001")


def escape(words: str) -> str:
    """Text of any origin as LaTeX that prints it; what is not printable ASCII becomes `?`."""
    return "".join(SPECIAL.get(sign, sign if " " <= sign <= "\N{TILDE}" else "?") for sign in words)


def latex_table(
    *,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    caption: str,
    label: str,
) -> str:
    """A `table` environment that fits a page of one column.

    A table a little wider than the text reaches into both margins alike. Long text is set in short
    lines, and an interval or a kind below the number or
    verdict that it is about (`BELOW`). Columns that hold numbers alone are set to the right.
    """
    heads = [place for place, name in enumerate(columns) if name not in BELOW]
    groups = [
        range(start, stop) for start, stop in zip(heads, [*heads[1:], len(columns)], strict=True)
    ]
    kinds = ["r" if _numeric([row[group[0]] for row in rows]) else "l" for group in groups]
    header = [
        _stack(_lines(columns[place]), kind) for place, kind in zip(heads, kinds, strict=True)
    ]
    body = [
        [
            _stack([line for place in group for line in _lines(row[place])], kind)
            for group, kind in zip(groups, kinds, strict=True)
        ]
        for row in rows
    ]
    lines = [" & ".join(cells) + r" \\" for cells in (header, *body)]
    return "\n".join(
        [
            r"\begin{table}[t]",
            r"\centering\scriptsize\setlength{\tabcolsep}{2pt}",
            rf"\caption{{{escape(caption)}}}",
            rf"\label{{tab:{label.replace('_', '-')}}}",
            r"\makebox[\linewidth][c]{%",
            rf"\begin{{tabular}}{{@{{}}{''.join(kinds)}@{{}}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}}",
            r"\end{table}",
            "",
        ]
    )


def _numeric(values: Sequence[str]) -> bool:
    return bool(values) and all(NUMBER.fullmatch(value) for value in values)


def _lines(words: str) -> list[str]:
    """Text in lines of at most `WIDTH` characters where spaces and slashes allow it."""
    if words.startswith("["):
        return [words]
    lines = [""]
    for word in re.findall(r"[^ /]*/|[^ /]+ ?|/| ", words):
        if lines[-1] and len(lines[-1] + word.rstrip()) > WIDTH:
            lines.append("")
        lines[-1] += word
    return [line.rstrip() for line in lines]


def _stack(lines: Sequence[str], kind: str) -> str:
    """Lines one below the other; the braces keep a line that starts with `[` from being read."""
    escaped = [escape(line) for line in lines]
    if len(escaped) == 1:
        return escaped[0]
    return rf"\shortstack[{kind}]{{" + r"\\{}".join(escaped) + "}"
