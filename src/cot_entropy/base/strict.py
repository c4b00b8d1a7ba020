"""The base of every model at a boundary: frozen, strict, and no key that is not declared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from cot_entropy.base.files import RepeatedKeyError, parse_json

LocalPath = Annotated[str, Field(min_length=1, pattern=r"^[^{}]+$")]
"""A path in a study's file; Snakemake would read braces in it as a wildcard."""


class Strict(BaseModel):
    """A frozen pydantic model that refuses unknown keys and converts no types."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )


M = TypeVar("M", bound=BaseModel)


def validate_json(kind: type[M], raw: bytes) -> M:
    """A JSON document as a model; raises ValidationError, also where a key stands twice."""
    try:
        parse_json(raw)
    except RepeatedKeyError as error:
        problem = PydanticCustomError("value_error", "{problem}", {"problem": str(error)})
        details = InitErrorDetails(type=problem, loc=(), input=None)
        raise ValidationError.from_exception_data(kind.__name__, [details]) from None
    except (ValueError, RecursionError):
        pass  # said better below
    return kind.model_validate_json(raw)


def describe(error: ValidationError, given: Mapping[str, Any] | None = None) -> str:
    """The first problem of a pydantic error in one line: the key, what is wrong, what was given.

    With the mapping that was `given`, the key is the one that stands there: pydantic adds the
    `source` of what has one.
    """
    problems = error.errors(include_url=False)
    # an unknown key is often why another one is missing
    first = min(problems, key=lambda problem: problem["type"] != "extra_forbidden")
    key = ".".join(_keys(first["loc"], given))
    # one value that is no member of a union makes a problem per member
    same = [one for one in problems if ".".join(_keys(one["loc"], given)) == key]
    message = ", or: ".join(one["msg"].removeprefix("Value error, ") for one in same)
    if first["type"] == "extra_forbidden":
        message = "unknown key"
    elif first["type"] == "union_tag_invalid":
        tags = first["ctx"]
        message = f"{tags['discriminator']} `{tags['tag']}` is none of {tags['expected_tags']}"
    elif first["type"] not in {"missing", "value_error", "json_invalid"}:
        message = f"{message}, got {first['input']!r}"
    more = f" (and {len(problems) - len(same)} more)" if len(problems) > len(same) else ""
    return f"{key}: {message}{more}" if key else f"{message}{more}"


def _keys(location: tuple[int | str, ...], given: Any) -> list[str]:
    found = []
    for part in location:
        if isinstance(given, str | int | float | bool):
            break  # a value has no keys: the rest names members of a union
        tagged = isinstance(given, Mapping) and given.get("source") == part and part not in given
        if part == "[key]" or tagged:
            continue
        found.append(str(part))
        given = given.get(part) if isinstance(given, Mapping) else None
    return found
