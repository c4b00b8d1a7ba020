"""The names of the registered choices about answers, shared by configuration and code."""

from typing import Literal

Dataset = Literal["gsm8k", "math"]
AnswerKind = Literal["number", "math"]
ExtractionRule = Literal["registered", "zhao", "robust"]
Equivalence = Literal["normalised", "math_verify"]
