"""Text of others, made safe to print: nothing in it moves a cursor, recolours or starts a line.

"ok\\x1b[2K\\nno difference" -> "ok\\\\x1b[2K\\\\nno difference"
"""

from __future__ import annotations


def printable(text: str, *, keep: str = "") -> str:
    """Text on one line, with every character that a terminal acts on written as its escape.

    Escaped is what `str.isprintable` refuses: control and format characters, line ends, spaces
    other than the plain one, half surrogate pairs. Characters in `keep` stay as they are.
    """
    if text.isprintable():
        return text
    return "".join(
        letter
        if letter.isprintable() or letter in keep
        else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )
