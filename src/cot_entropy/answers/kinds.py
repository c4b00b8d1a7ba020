"""The names of the answer kinds, extraction rules and equivalences (protocol section 5)."""

from __future__ import annotations

from typing import Literal

AnswerKind = Literal["number", "math"]
"""What a dataset declares its answers to be: a number (GSM8K) or any mathematics (MATH)."""

ExtractionRule = Literal["registered", "zhao", "robust"]
Equivalence = Literal["normalised", "math_verify"]
