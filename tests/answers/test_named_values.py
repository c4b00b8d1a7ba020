r"""A name is dropped where one value is named: in no list, in no formula that holds a `=`."""

import pytest

from cot_entropy.answers import grade_answer
from cot_entropy.answers.kinds import Equivalence

JOINED = [
    r"x={} \text{{ or }} x=2", r"x={} \text{{ and }} x=2", r"x={}\text{{or}}x=2", "x={} or x=2",
    "x={} and x=2", "x={}; x=2", "x={};x=2", "x={}, x=2", "x={},x=2", r"x={}\text{{, }}x=2",
    r"x={}, \text{{ or }} x=2", "x={}, or x=2", r"x={} \quad x=2", r"x={} \qquad x=2",
    r"x={} \quad \text{{or}} \quad x=2", r"x={}\ \text{{or}}\ x=2", r"x={} \;\text{{or}}\; x=2",
    r"x={} \mbox{{ or }} x=2", r"x={} \textrm{{ or }} x=2", r"x={} \mathrm{{or}} x=2",
    r"x={} \textbf{{ or }} x=2", r"x={} \lor x=2", r"x={} \vee x=2", r"x={} \land x=2",
    r"x={} \wedge x=2", r"x={} \\ x=2", r"x={} & x=2", r"x={} \cup x=2", "x={} x=2",
    r"x={}\ x=2", r"x={}\, x=2", "x={} | x=2", "x={}|x=2", "x={} / x=2", "x={}/x=2",
    r"x={} \mid x=2", "x={}\nx=2", "x={} OR x=2", "x={} AND x=2", "x={} oder x=2", "x={} und x=2",
    "x={} ou x=2", "x={} или x=2", "x={} 或 x=2", "x={}、x=2", "x={}；x=2", "x={}，x=2",
    "x={} then x=2", r"x={} \text{{ if }} n=2", r"x={} \text{{ when }} n=2", "x={} with y=2",
    r"x={} \text{{ (or) }} x=2", r"x={} \text{{ or else }} x=2", r"x={} \text{{ xor }} x=2",
    "either x={} or x=2", r"\text{{either }} x={} \text{{ or }} x=2", r"x={} \implies x=2",
    r"x={} \Rightarrow y=2", r"x={} \to y=2", r"$x={}$ or $x=2$", r"$x={}$, $x=2$", r"$x={}$ $x=2$",
    r"x={} \text{{ oder }} x=2", r"x_1={} \text{{ or }} x_2=2", r"f(x)={} \text{{ or }} f(x)=2",
    r"\theta={} \text{{ or }} \theta=2", "x={}: y=2", r"x={}\mathrm{{\ or\ }}x=2",
    r"x={} \hspace{{1em}} x=2", r"x={} \text{{ or }} 2", "x={} or 2", r"${}$ or $2$", r"${}$ and 2",
    r"2 \text{{ or }} x={}", r"x=2 \text{{ or }} x={}", r"x>2 \text{{ or }} x={}", "a=2, b={}, c=3",
    r"x={} \text{{ or }} x>2", r"x={} \text{{ or }} x \le 2", r"x={} \text{{ or }} x \ne 2",
]  # fmt: skip
FORMULAS = [
    (r"\sum_{k=1}^{n} k", r"\prod_{k=1}^{n} k"),
    (r"\sum_{k=1}^n k", r"\prod_{k=1}^n k"),
    (r"\sum_k=1^n k", r"\prod_k=1^n k"),
    (r"\sum\limits_{k=1}^{n} k", r"\prod\limits_{k=1}^{n} k"),
    (r"\displaystyle\sum_{k=1}^{n} k", r"\displaystyle\prod_{k=1}^{n} k"),
    (r"\sum_{i=1}^{n} k", r"\sum_{k=1}^{n} k"),
    (r"\sum_{k=1}^{n} k", r"\sum_{k=2}^{n} k"),
    (r"\sum_{k=1}^{n} k", r"\sum_{k=1}^{m} k"),
    (r"\sum_{k=1}^{n} k", "1}^{n} k"),
    (r"\bigcup_{i=1}^{n} A_i", r"\bigcap_{i=1}^{n} A_i"),
    (r"\bigcup_{i=1}^{n} A_i", r"\bigcup_{i=2}^{n} A_i"),
    (r"\coprod_{i=1}^{n} A_i", r"\prod_{i=1}^{n} A_i"),
    (r"\bigoplus_{i=1}^{n} A_i", r"\bigotimes_{i=1}^{n} A_i"),
    (r"\bigvee_{i=1}^{n} A_i", r"\bigwedge_{i=1}^{n} A_i"),
    (r"\lim_{x \to 0} f(x)", r"\lim_{x \to 1} f(x)"),
    (r"\lim_{x=0} f(x)", r"\limsup_{x=0} f(x)"),
    (r"\max_{x=1} f", r"\min_{x=1} f"),
    (r"\max_{x \in S} f", r"\min_{x \in S} f"),
    (r"\sup_x=1 f", r"\inf_x=1 f"),
    (r"\int_{x=0}^{1} x\,dx", r"\oint_{x=0}^{1} x\,dx"),
    (r"\int_{t=0}^{1} t\,dt", r"\sum_{t=0}^{1} t\,dt"),
    (r"\int_0^1 x\,dx", r"\int_0^2 x\,dx"),
    (r"\left. x \right|_{x=1}", r"\left. y \right|_{y=1}"),
    (r"[x^2]_{x=0}^{1}", r"[x^3]_{x=0}^{1}"),
    (r"A \cup B", r"A \cap B"),
    (r"S = A \cup B", r"S = A \cap B"),
    (r"\{x : x = 5\}", r"\{y : y = 5, y = 2\}"),
    ("x != 5", "5"),
    (r"x \ne 5", "5"),
    (r"x \not= 5", "5"),
    (r"\not= 5", "5"),
    ("x => 5", "x => 6"),
    (r"x \ge y = 5", "5"),
    ("-x = 5", "5"),
    ("2x = 5", "5"),
    ("x + y = 0", "0"),
]
EQUIVALENCES: list[Equivalence] = ["normalised", "by_value"]


def same(first: str, second: str, equivalence: Equivalence) -> set[bool]:
    pairs = ((first, second), (second, first))
    return {grade_answer(*pair, equivalence=equivalence, kind="math").correct for pair in pairs}


@pytest.mark.parametrize("equivalence", EQUIVALENCES)
@pytest.mark.parametrize("joined", JOINED)
def test_lists_that_differ_in_one_element_are_two(joined: str, equivalence: Equivalence) -> None:
    """Whatever joins the elements; and a list is not its last element."""
    assert same(joined.format(5), joined.format(1), equivalence) == {False}
    assert same(joined.format(5), "2", equivalence) == {False}
    assert same(joined.format(5), joined.format(5), equivalence) == {True}


@pytest.mark.parametrize("equivalence", EQUIVALENCES)
@pytest.mark.parametrize(("first", "second"), FORMULAS)
def test_formulas_that_share_a_tail_are_two(
    first: str, second: str, equivalence: Equivalence
) -> None:
    """An index that a formula sums over names no value; nor does a relation that is no `=`."""
    assert same(first, second, equivalence) == {False}


@pytest.mark.parametrize("equivalence", EQUIVALENCES)
@pytest.mark.parametrize(
    "named",
    [
        "x = 5", "x=5", "$x = 5$", "f(2) = 5", r"f\left(2\right) = 5", "x_1 = 5", "x_{10} = 5",
        r"\theta = 5", r"\varphi = 5", "f'(2) = 5", "area = 5", "x = 2 + 3 = 5", "x = 2x - 5 = 5",
        "2 + 3 = 4 + 1 = 5", r"x = \frac{10}{2} = 5", r"x = \sqrt{25} = 5", r"AB = CD = 5",
        r"x = 2 \cdot y = 5", r"y = ab = 5", r"\theta = \sin x = 5", "x == 5",
    ],
)  # fmt: skip
def test_the_name_of_one_value_goes(named: str, equivalence: Equivalence) -> None:
    """As Minerva's rule has it, through a chain of equations too."""
    assert same(named, "5", equivalence) == {True}


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        (r"x=5 \lor x=2", r"x=2 \text{ or } x=5", True),
        ("x=5; x=2", "2, 5", True),
        (r"x=1 \text{ and } x=2", r"x=1 \text{ or } x=2", True),
        (r"x=1 \text{ and } y=2", r"x=1 \text{ or } y=2", False),
        (r"x=1 \text{ and } y=2", "y=2, x=1", True),
        (r"x > -2 \text{ and } x < 3", r"x > -2 \text{ or } x < 3", False),
        (r"x > -2 \text{ and } x < 3", "(-2,3)", True),
        (
            r"x > 1 \text{ or } x < 0 \text{ and } y=1",
            r"x > 1 \text{ and } x < 0 \text{ or } y=1",
            False,
        ),
        (r"p \vee q", r"p \wedge q", False),
        (r"\text{red or blue}", r"\text{red and blue}", False),
        ("1, 2 and 3", "1,2,3", True),
        (r"1, 2, \text{ or } 3", "3,2,1", True),
    ],
)
def test_what_joins_statements_counts(first: str, second: str, equal: bool) -> None:
    """Values may be listed with either word; statements are not the same under both."""
    assert same(first, second, "by_value") == {equal}
