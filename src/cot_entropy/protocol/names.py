"""The names of the registered choices about answers, shared by configuration and code."""

from typing import Annotated, Final, Literal

from cot_entropy.base.rules import Kind

EXTRACTIONS: Final = Kind("answers.extraction")
EQUIVALENCES: Final = Kind("answers.equivalence", renamed={"math_verify": "by_value"})

Dataset = Literal["gsm8k", "math"]
AnswerKind = Literal["number", "math"]
ExtractionRule = Annotated[str, EXTRACTIONS]
Equivalence = Annotated[str, EQUIVALENCES]
