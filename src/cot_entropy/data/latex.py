r"""Short exercises with LaTeX answers: fractions, powers, roots, simple equations.

    Compute $\frac{1}{2} + \frac{1}{3}$.

The gold is computed with exact fractions. The worked solution:

    We add the fractions one by one.

    $\frac{1}{2} + \frac{1}{3} = \frac{3}{6} + \frac{2}{6} = \frac{5}{6}$.

    The answer is $\boxed{\frac{5}{6}}$.

Every family has versions of one to three steps; a stratum's `distractor` is a definition that
the exercise does not use.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Final

from cot_entropy.data.generate import Draft, Size, Split, Stratum, draw
from cot_entropy.data.questions import Problem

MAX_STEPS: Final = 3


@dataclass(frozen=True, slots=True)
class Exercise:
    """An exercise before the answer line: its sentence, its working and its LaTeX gold."""

    text: str
    units: tuple[str, ...]
    gold: str


def problems(*, seed: int, split: Split, kinds: tuple[Stratum, ...]) -> Iterator[Problem]:
    """Distinct LaTeX exercises of a split, without end, the strata in turn."""
    return draw(make, name="latex", seed=seed, split=split, kinds=kinds)


def make(rng: random.Random, stratum: Stratum) -> Draft:
    """One exercise of a stratum."""
    name = rng.choice(tuple(FAMILIES))
    exercise = FAMILIES[name](rng, stratum.steps, stratum.size)
    text = exercise.text
    if stratum.distractor == "yes":
        text = f"Let $t = {rng.randint(2, 20)}$. {text}"
    answer = rf"The answer is $\boxed{{{exercise.gold}}}$."
    return Draft(template=name, text=text, gold=exercise.gold, units=(*exercise.units, answer))


def latex(value: Fraction | int) -> str:
    r"""A number as LaTeX in lowest terms: `7`, `-2`, `\frac{5}{6}`."""
    value = Fraction(value)
    if value.denominator == 1:
        return str(value.numerator)
    sign = "-" if value < 0 else ""
    return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def _fraction_sum(rng: random.Random, steps: int, size: Size) -> Exercise:
    denominators = (2, 3, 4, 6) if size == "small" else (2, 3, 4, 5, 6, 8, 10, 12)
    terms = [_proper_fraction(rng, denominators) for _ in range(steps + 1)]
    units = ["We add the fractions one by one."]
    total = terms[0]
    for term in terms[1:]:
        common = lcm(total.denominator, term.denominator)
        line = f"{latex(total)} + {latex(term)}"
        if {total.denominator, term.denominator} != {common}:
            line += f" = {_over(total, common)} + {_over(term, common)}"
        total, raw = total + term, _over(total + term, common)
        line += f" = {raw}" if raw == latex(total) else f" = {raw} = {latex(total)}"
        units.append(f"${line}$.")
    text = " + ".join(latex(term) for term in terms)
    return Exercise(f"Compute ${text}$.", tuple(units), latex(total))


def _fraction_product(rng: random.Random, steps: int, size: Size) -> Exercise:
    denominators = (2, 3, 4, 5) if size == "small" else (3, 4, 5, 6, 7, 8, 9)
    factors = [_proper_fraction(rng, denominators) for _ in range(steps + 1)]
    units = ["We multiply the fractions one by one."]
    total = factors[0]
    for factor in factors[1:]:
        top = total.numerator * factor.numerator
        raw = rf"\frac{{{top}}}{{{total.denominator * factor.denominator}}}"
        line = rf"{latex(total)} \cdot {latex(factor)} = {raw}"
        total *= factor
        units.append(f"${line}$." if raw == latex(total) else f"${line} = {latex(total)}$.")
    text = r" \cdot ".join(latex(factor) for factor in factors)
    return Exercise(f"Compute ${text}$.", tuple(units), latex(total))


def _power_sum(rng: random.Random, steps: int, size: Size) -> Exercise:
    base, exponent = _power(rng, size)
    value = base**exponent
    power = f"{base}^{{{exponent}}}"
    units = ["We evaluate the powers first.", f"${power} = {value}$."]
    if steps == 1:
        return Exercise(f"Compute ${power}$.", tuple(units), str(value))
    if steps == 2:
        other = rng.randint(2, 9 if size == "small" else 60)
        other_text = str(other)
    else:
        other_base, other_exponent = _power(rng, size)
        other, other_text = other_base**other_exponent, f"{other_base}^{{{other_exponent}}}"
        units.append(f"${other_text} = {other}$.")
    units.append(f"${value} + {other} = {value + other}$.")
    return Exercise(f"Compute ${power} + {other_text}$.", tuple(units), str(value + other))


def _power_rule(rng: random.Random, steps: int, size: Size) -> Exercise:
    variable = rng.choice("abmnxyz")
    highest = 9 if size == "small" else 30
    exponents = [rng.randint(2, highest) for _ in range(steps + 1)]
    units = ["We add the exponents one by one."]
    total = exponents[0]
    for exponent in exponents[1:]:
        units.append(f"${total} + {exponent} = {total + exponent}$.")
        total += exponent
    product = r" \cdot ".join(f"{variable}^{{{exponent}}}" for exponent in exponents)
    text = f"Write ${product}$ as one power of ${variable}$."
    return Exercise(text, tuple(units), f"{variable}^{{{total}}}")


def _equation(rng: random.Random, steps: int, size: Size) -> Exercise:
    """Solve ax = c, ax + b = c, or ax + b = dx + c, built from its solution."""
    low, high = (2, 9) if size == "small" else (6, 30)
    a = rng.randint(2, 9)
    solution = Fraction(rng.randint(low, high))
    if size == "large" and rng.random() < 0.5:
        solution /= a
    b, d = rng.randint(2, high), rng.randint(2, 9)
    right = a * solution
    units = ["We isolate $x$."]
    if steps == 1:
        text = f"{a}x = {right}"
    elif steps == 2:
        text = f"{a}x + {b} = {right + b}"
        units.append(f"${a}x = {right + b} - {b} = {right}$.")
    else:
        text = f"{a + d}x + {b} = {d}x + {right + b}"
        units.append(f"${a + d}x - {d}x = {a}x$.")
        units.append(f"${a}x = {right + b} - {b} = {right}$.")
    quotient = rf"\frac{{{right}}}{{{a}}}"
    line = f"x = {quotient}"
    units.append(f"${line}$." if quotient == latex(solution) else f"${line} = {latex(solution)}$.")
    return Exercise(f"Solve ${text}$ for $x$.", tuple(units), latex(solution))


def _value(rng: random.Random, steps: int, size: Size) -> Exercise:
    """Evaluate x^2, ax^2, or ax^2 + b at a number."""
    x = rng.randint(2, 9 if size == "small" else 15)
    a, b = rng.randint(2, 5 if size == "small" else 9), rng.randint(2, 20)
    variable = rng.choice("uvwxyz")
    square = x * x
    units = [f"We put {x} for ${variable}$.", f"${x}^{{2}} = {square}$."]
    text, gold = f"{variable}^{{2}}", square
    if steps > 1:
        text, gold = f"{a}{text}", a * square
        units.append(rf"${a} \cdot {square} = {gold}$.")
    if steps > 2:
        text = f"{text} + {b}"
        units.append(f"${gold} + {b} = {gold + b}$.")
        gold += b
    return Exercise(f"Evaluate ${text}$ at ${variable} = {x}$.", tuple(units), str(gold))


def _root(rng: random.Random, steps: int, size: Size) -> Exercise:
    """Evaluate a square root, its multiple, and that plus a number."""
    root = rng.randint(2, 12 if size == "small" else 25)
    a, b = rng.randint(2, 9), rng.randint(2, 9 if size == "small" else 60)
    radical = rf"\sqrt{{{root * root}}}"
    units = ["We take the square root first.", f"${radical} = {root}$."]
    text, gold = radical, root
    if steps > 1:
        text, gold = f"{a}{text}", a * root
        units.append(rf"${a} \cdot {root} = {gold}$.")
    if steps > 2:
        text = f"{text} + {b}"
        units.append(f"${gold} + {b} = {gold + b}$.")
        gold += b
    return Exercise(f"Compute ${text}$.", tuple(units), str(gold))


def _proper_fraction(rng: random.Random, denominators: tuple[int, ...]) -> Fraction:
    denominator = rng.choice(denominators)
    return Fraction(rng.randint(1, denominator - 1), denominator)


def _over(value: Fraction, denominator: int) -> str:
    numerator = value.numerator * (denominator // value.denominator)
    return rf"\frac{{{numerator}}}{{{denominator}}}"


def _power(rng: random.Random, size: Size) -> tuple[int, int]:
    base = rng.randint(2, 5 if size == "small" else 9)
    return base, rng.randint(2, 3)


FAMILIES: Final[dict[str, Callable[[random.Random, int, Size], Exercise]]] = {
    "fraction-sum": _fraction_sum,
    "fraction-product": _fraction_product,
    "power-sum": _power_sum,
    "power-rule": _power_rule,
    "equation": _equation,
    "value": _value,
    "root": _root,
}
