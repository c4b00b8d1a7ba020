"""Hostile and mangled texts for the fuzz and property tests: tokens of answers, joined at random."""

from __future__ import annotations

from random import Random
from typing import Final

TOKENS: Final = (
    *("0", "1", "2", "3", "7", "9", "10", "12", "40", "99", "100", "999", "1000", "000", "123456789"),
    *("1,450,000", "9{,}500", "1\\,000", "10,\\!080", "1\u202f000", "1'000", ".5", "3.14", "2.", "0.0"),
    *("１２", "٣", "−", "–", "½", "²", "⁻¹", "₂", "％", "，", "。", "π", "√", "∞", "°", "×", "≤"),
    *("+", "-", "*", "/", "=", "<", ">", "<=", "!", "!!", "^", "_", "'", ",", ";", ":", ".", "|", "&"),
    *("(", ")", "[", "]", "{", "}", "\\{", "\\}", "$", "$$", "\\(", "\\)", "\\[", "\\]", "\\\\", "\\"),
    *("\\boxed{", "\\boxed", "\\fbox{", "\\boxed ", "\\frac{", "\\frac", "\\dfrac12", "\\sqrt{", "\\sqrt"),
    *("\\sqrt[3]{", "\\pi", "\\infty", "\\circ", "^\\circ", "^{\\circ}", "\\%", "%", "\\$", "€", "\\pm"),
    *("\\le", "\\geq", "\\ne", "\\in", "\\cup", "\\cdot", "\\times", "\\left(", "\\right)", "\\left", "\\!"),
    *("\\text{", "\\text{and}", "\\text{ cm}", "\\text{(C)}", "\\mbox{ inches}^2", "\\mathbb{R}", "\\emptyset"),
    *("\\begin{pmatrix}", "\\end{pmatrix}", "\\sin", "\\cos", "\\log_2", "\\ln", "\\binom{5}{2}", "\\sum"),
    *("\\lfloor", "\\rfloor", "\\overline{3}", "e^{", "i", "x", "y", "n", "k", "f(x)", "A", "C", "x_1", "10^"),
    *("9^{9^{9^9}}", "2^{1000}", "10^{99}", "200!", "(x+1)^{1000}", "40_9", "40_{9}", "x =", "y=2x+3"),
    *(" ", " ", " ", "\n", "\n\n", "\t", " and ", " or ", "cm", "degrees", "apples", "east", "oo", "inf"),
    *("#### ", "Answer: ", "**Answer:** ", "The answer is ", "answer", "Final answer:", "A: ", "答案是", "答案："),
    *("Question: ", "Q:", "Problem 2:", "Human:", "<|im_start|>", "**", "__", "`", "<<3+4=7>>", "\u0000"),
    *("\ud800", "\U0001f600", "मैं", "42 яблока", "ε", "\u200f", "\ufeff", "1e5", "1.5 \\times 10^6", "2 2/3"),
)


def hostile_text(random: Random, *, tokens: int = 12) -> str:
    """A text of up to `tokens` tokens; one in eight has its characters shuffled too."""
    text = "".join(random.choices(TOKENS, k=random.randint(1, tokens)))
    if random.random() < 1 / 8:
        characters = list(text)
        random.shuffle(characters)
        text = "".join(characters)
    return text
