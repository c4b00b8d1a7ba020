"""The base of every model at a boundary: frozen, strict, and no key that is not declared."""

from pydantic import BaseModel, ConfigDict, ValidationError


class Strict(BaseModel):
    """A frozen pydantic model that refuses unknown keys and converts no types."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )


def describe(error: ValidationError) -> str:
    """The first problem of a pydantic error in one line: the key, what is wrong, what was given."""
    problems = error.errors(include_url=False)
    # an unknown key is often why another one is missing
    first = min(problems, key=lambda problem: problem["type"] != "extra_forbidden")
    key = ".".join(str(part) for part in first["loc"] if part != "[key]")
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        message = "unknown key"
    elif first["type"] not in {"missing", "value_error"}:
        message = f"{message}, got {first['input']!r}"
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{key}: {message}{more}" if key else f"{message}{more}"
