"""Extraction cases, each with the answer every rule must give; decided by hand from the rules.

`registered`, number: the last number, cleaned. `registered`, math: the last whole box, else the
last number. `zhao`: the last integer or decimal, whatever stands around it. `robust`: marker or
box, then "answer is", then the last number with its fraction or power of ten.
"""

from __future__ import annotations

from typing import NamedTuple

from cot_entropy.answers import AnswerKind


class Case(NamedTuple):
    name: str
    kind: AnswerKind
    text: str
    registered: str | None
    zhao: str | None
    robust: str | None


CASES = [
    # boxes
    Case(
        "nested braces",
        "math",
        r"so \boxed{\frac{1}{\sqrt{2}}}.",
        r"\frac{1}{\sqrt{2}}",
        "2",
        r"\frac{1}{\sqrt{2}}",
    ),
    Case("escaped braces in the box", "math", r"$\boxed{\{1, 2\}}$", r"\{1, 2\}", "2", r"\{1, 2\}"),
    Case(
        "four levels of braces",
        "math",
        r"\boxed{\frac{a^{b_{1}}}{2}}",
        r"\frac{a^{b_{1}}}{2}",
        "2",
        r"\frac{a^{b_{1}}}{2}",
    ),
    Case("fbox", "math", r"Thus \fbox{17} in all.", "17", "17", "17"),
    Case("fbox after boxed", "math", r"\boxed{3}, no, \fbox{4}", "4", "4", "4"),
    Case("box with a space before its brace", "math", r"\boxed {12}", "12", "12", "12"),
    Case("box without braces in dollars", "math", r"$\boxed 5$ and that is all", "5", "5", "5"),
    Case(
        "box without braces around a fraction",
        "math",
        r"$\boxed\frac{1}{2}$",
        r"\frac{1}{2}",
        "2",
        r"\frac{1}{2}",
    ),
    Case("box without braces in prose", "math", r"so \boxed42 apples", "42", "42", "42"),
    Case("box without braces in round delimiters", "math", r"\(\boxed x+1\)", "x+1", "1", "x+1"),
    Case(
        "several boxes", "math", r"\boxed{3} is the slope, \boxed{7} the intercept", "7", "7", "7"
    ),
    Case("two neighbouring boxes are no set", "math", r"\boxed{3}, \boxed{7}", "7", "7", "7"),
    Case("nested boxes", "math", r"\boxed{\boxed{6}}", "6", "6", "6"),
    Case("unclosed box alone", "math", r"so \boxed{\frac{3}{4", "4", "4", None),
    Case("unclosed box after a whole one", "math", r"\boxed{7}. Check: \boxed{8", "7", "8", "7"),
    Case("stray brace before the box", "math", r"{ then \boxed{8}", "8", "8", "8"),
    Case("stray closing brace after the box", "math", r"\boxed{8}} is it", "8", "8", "8"),
    Case("empty box", "math", r"\boxed{} since 9 is odd", "9", "9", "9"),
    Case("the word boxed is no box", "math", r"It is \boxedtext of 3", "3", "3", "3"),
    Case(
        "box with words", "math", r"\boxed{\text{Evelyn}}", r"\text{Evelyn}", None, r"\text{Evelyn}"
    ),
    Case(
        "box with an interval",
        "math",
        r"\boxed{(-\infty, 0]}",
        r"(-\infty, 0]",
        "0",
        r"(-\infty, 0]",
    ),
    Case(
        "box with a matrix",
        "math",
        r"\boxed{\begin{pmatrix} 1 \\ 2 \end{pmatrix}}",
        r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}",
        "2",
        r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}",
    ),
    Case("a box that spans lines", "math", "\\boxed{\n  12\n}", "12", "12", "12"),
    Case("box in a number dataset", "number", r"\boxed{5} of the 9 apples", "9", "9", "5"),
    Case(
        "equation in the box of a number dataset",
        "number",
        r"\boxed{12 + 3 = 15}",
        "15",
        "15",
        "15",
    ),
    Case(
        "unit in the box of a number dataset",
        "number",
        r"\boxed{18 \text{ dollars}}",
        "18",
        "18",
        "18",
    ),
    Case(
        "fraction in the box of a number dataset",
        "number",
        r"\boxed{\frac{3}{4}}",
        "4",
        "4",
        r"\frac{3}{4}",
    ),
    # thousands separators
    Case("commas", "number", "It is 1,450,000 in all.", "1450000", "1450000", "1450000"),
    Case("LaTeX braces around the comma", "number", "It is 9{,}500.", "9500", "9500", "9500"),
    Case("LaTeX thin space", "number", r"It is 1\,000.", "1000", "1000", "1000"),
    Case("comma and negative space", "number", r"It is 10,\!080.", "10080", "10080", "10080"),
    Case(
        "comma, negative space and space",
        "number",
        r"11,\! 111,\! 111,\! 100",
        "11111111100",
        "11111111100",
        "11111111100",
    ),
    Case("no-break space", "number", "It is 1\u00a0000\u00a0000.", "1000000", "1000000", "1000000"),
    Case("narrow no-break space", "number", "It is 25\u202f000.", "25000", "25000", "25000"),
    Case("apostrophe", "number", "It is 1'250.", "1250", "1250", "1250"),
    Case("points that group", "number", "It is 1.450.000 Euro", "1450000", "1450000", "1450000"),
    Case("commas and decimals", "number", "It is 1,234.56 now", "1234.56", "1234.56", "1234.56"),
    Case("a list is not grouped", "number", "They are 3, 5, 7", "7", "7", "7"),
    Case("a list without spaces is not grouped", "number", "They are 3,5,7", "7", "7", "7"),
    Case("comma before two digits", "number", "It is 12,34", "34", "34", "34"),
    Case("comma after the number", "number", "That makes 72 clips, altogether.", "72", "72", "72"),
    Case("a space does not group", "number", "The total is 3 4", "4", "4", "4"),
    # currency, percent, units, degrees
    Case("dollar sign", "number", "He earns $18.", "18", "18", "18"),
    Case("escaped dollar sign", "number", r"He earns \$18 a day", "18", "18", "18"),
    Case("euro sign", "number", "She pays €45", "45", "45", "45"),
    Case("negative amount, sign first", "number", "The balance is -$5", "-5", "-5", "-5"),
    Case("negative amount, currency first", "number", "The balance is $-5", "-5", "-5", "-5"),
    Case(
        "sign, separators, currency, full stop",
        "number",
        "200,000 - 130,000 = $70,000.",
        "70000",
        "70000",
        "70000",
    ),
    Case("percent", "number", "It grew by 50%", "50", "50", "50"),
    Case("percent in the box", "math", r"\boxed{50\%}", r"50\%", "50", r"50\%"),
    Case("unit word", "number", "It costs 5.4 cents.", "5.4", "5.4", "5.4"),
    Case("unit glued on", "number", "It is 12cm", "12", "12", "12"),
    Case("degree mark in the box", "math", r"\boxed{90^\circ}", r"90^\circ", "90", r"90^\circ"),
    Case("degree mark in prose", "math", "The angle is 76° here", "76", "76", "76"),
    # fractions, mixed numbers, scientific notation
    Case("slash fraction", "number", "Each gets 3/4", "4", "4", "3/4"),
    Case("mixed number", "math", "So it is 2 2/3", "3", "3", "2 2/3"),
    Case("LaTeX mixed number", "math", r"So it is 1\frac{4}{5}", "5", "5", r"1\frac{4}{5}"),
    Case("LaTeX fraction", "math", r"So it is -\frac{3}{4}", "4", "4", r"-\frac{3}{4}"),
    Case("vulgar fraction", "number", "About ½ a cake of 6 pieces: 3", "3", "3", "3"),
    Case("E notation", "number", "It is 1.5e6", "6", "6", "1.5e6"),
    Case("power of ten", "math", r"It is 1.5 \times 10^6", "6", "6", r"1.5 \times 10^6"),
    Case("power of ten in braces", "math", r"It is 2\times10^{-3}", "-3", "-3", r"2\times10^{-3}"),
    Case("trailing zero", "number", "It is 18.00", "18", "18.00", "18"),
    Case("one trailing zero", "number", "It is 6250.0", "6250", "6250.0", "6250"),
    Case("a zero that belongs", "number", "It is 5.50", "5.50", "5.50", "5.50"),
    Case("no digit before the point", "number", "It is .35625", ".35625", ".35625", ".35625"),
    Case("full stop after the number", "number", "It is 72.", "72", "72", "72"),
    # signs and ranges
    Case("negative", "number", "It is -7", "-7", "-7", "-7"),
    Case("Unicode minus", "number", "It is −7", "-7", "-7", "-7"),
    Case("en dash as minus", "number", "It is –7", "-7", "-7", "-7"),
    Case("negative in brackets", "number", "the sum (-3)", "-3", "-3", "-3"),
    Case("range with a hyphen", "number", "It takes 10-15", "15", "15", "15"),
    Case("range with an en dash", "number", "It takes 10–15", "15", "15", "15"),
    Case("subtraction", "number", "It is 5 - 3", "3", "3", "3"),
    Case("hyphen in a word", "number", "in level-3", "3", "3", "3"),
    Case("after a variable", "math", "that is x-3", "3", "3", "3"),
    # digits of other scripts
    Case("full-width digits", "number", "答えは１２です", "12", "12", "12"),
    Case("full-width digits and comma", "number", "合計１，２５０円", "1250", "1250", "1250"),
    Case("full-width point", "number", "３．５", "3.5", "3.5", "3.5"),
    Case("Arabic-Indic digits", "number", "الجواب ٤٢", "42", "42", "42"),
    Case("Arabic separators", "number", "١٬٢٥٠٫٥", "1250.5", "1250.5", "1250.5"),
    Case("Devanagari digits", "number", "उत्तर ४२ है", "42", "42", "42"),
    Case("superscripts are no digits of the number", "math", "The area is 5 m²", "5", "5", "5"),
    # Markdown
    Case("bold number", "number", "It is **42**", "42", "42", "42"),
    Case("bold answer line", "number", "**Answer:** 42 apples from 6 trees", "6", "6", "42"),
    Case("bold around the line", "number", r"**Answer: \$18 per day.**", "18", "18", "18"),
    Case("code span", "number", "The result is `42`", "42", "42", "42"),
    Case("heading", "number", "### Answer: 42\nAs 6 * 7 is 42, 7 trees do", "7", "7", "42"),
    # markers and cues
    Case("four hashes", "number", "48 + 24\n#### 72", "72", "72", "72"),
    Case(
        "four hashes with currency and separators", "number", "#### $1,200", "1200", "1200", "1200"
    ),
    Case(
        "recited example first",
        "number",
        "It ended with #### 50. Ours: 12 * 4.\n#### 48",
        "48",
        "48",
        "48",
    ),
    Case("remark after the marker", "number", "#### 72\nChecked in 2 ways", "2", "2", "72"),
    Case("A with a colon", "number", "So 9 * 2\nA: 18", "18", "18", "18"),
    Case("A with a colon before the reasoning", "number", "A: He has 3 boxes of 12, so 36", "36", "36", "36"),
    Case("answer in round delimiters", "math", r"The answer is \(\frac{3}{4}\), as 8 > 7.", "7", "7", r"\frac{3}{4}"),
    Case("answer in square delimiters", "math", r"The answer is: \[ x = 4 \] for n = 9", "9", "9", "x = 4"),
    Case("answer is", "number", "The answer is 5 because 3 + 2", "2", "2", "5"),
    Case(
        "final answer is, in math",
        "math",
        r"The final answer is $\frac{3}{4}$. All 9 cases agree.",
        "9",
        "9",
        r"\frac{3}{4}",
    ),
    Case(
        "answer with words between",
        "number",
        "The answer to the question is 12, not 14",
        "14",
        "14",
        "12",
    ),
    Case("the answer is a word", "math", "The answer is Evelyn.", None, None, "Evelyn"),
    Case("the answer is a choice", "math", "Answer: (C)", None, None, "(C)"),
    Case("answer line with an equation", "number", "Answer: 6 * 7 = 42", "42", "42", "42"),
    Case(
        "answer after a connective",
        "math",
        "The answer is therefore 5 as 2 divides 10",
        "10",
        "10",
        "5",
    ),
    Case(
        "checking our answer is no marker",
        "math",
        r"\boxed{44}. We check our answer: 17 * 44 = 748.",
        "44",
        "748",
        "44",
    ),
    Case("marker after the box", "math", "\\boxed{7}\n#### 8", "7", "8", "8"),
    Case("box after the marker", "math", "Answer: see \\boxed{8} of 9", "8", "9", "8"),
    Case("calculator marks", "number", "3 + 4 = <<3+4=7>>7", "7", "7", "7"),
    # invented next question
    Case(
        "next question",
        "number",
        "#### 72\n\nQuestion: Tom has 5 apples and eats 2.",
        "2",
        "2",
        "72",
    ),
    Case(
        "next question without a marker",
        "number",
        "She has 12 left.\n\nQ: Tom has 5 apples",
        "5",
        "5",
        "12",
    ),
    Case(
        "next numbered problem",
        "number",
        "So 12.\n\nProblem 2: A train runs 60 miles",
        "60",
        "60",
        "12",
    ),
    Case(
        "next question, answered",
        "number",
        "The answer is 18.\n\nQuestion: 3 + 4?\nThe answer is 7.",
        "7",
        "7",
        "18",
    ),
    Case(
        "next turn in a chat template",
        "number",
        "That is 9.<|im_end|>\n<|im_start|>user\nAnd 7?",
        "7",
        "7",
        "9",
    ),
    Case("next human turn", "number", "It is 30.\nHuman: what about 4?", "4", "4", "30"),
    Case(
        "next question in bold",
        "number",
        "It is 30.\n**Question 2:** what about 4?",
        "4",
        "4",
        "30",
    ),
    Case(
        "the question restated first",
        "number",
        "Question: how many is 3 + 4?\n#### 7",
        "7",
        "7",
        "7",
    ),
    # other languages
    Case("Chinese", "number", "所以答案是42。每個3元", "3", "3", "42"),
    Case("Chinese with a full-width colon", "number", "答案：42個，共6袋", "6", "6", "42"),
    Case("Russian", "number", "Ответ: 42 яблока", "42", "42", "42"),
    # nothing there
    Case("no number", "number", "I cannot tell without more information.", None, None, None),
    Case("empty text", "math", "", None, None, None),
    Case("white space", "math", " \n\t", None, None, None),
    Case("punctuation", "number", ", . - $ %", None, None, None),
    Case("marker and nothing behind", "number", "It is 5.\n####", "5", "5", "5"),
    # digits in odd places
    Case("ordinal", "number", "the 3rd", "3", "3", "3"),
    Case("clock time", "number", "at 7:30", "30", "30", "30"),
    Case("chemical formula", "number", "H2O", "2", "2", "2"),
    Case("version number", "number", "version 1.2.3", "3", "3", "3"),
]
