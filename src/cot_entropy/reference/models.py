"""Pydantic models as tables: one section per model, one row per key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel


def sections(*models: type[BaseModel], level: int = 2) -> str:
    """A section for each model and for every model it is made of, each once.

    `level` is the depth of their headings.
    """
    definitions: dict[str, Any] = {}
    for model in models:
        schema = model.model_json_schema()
        definitions[model.__name__] = schema
        definitions.update(schema.get("$defs", {}))
    return "".join(_section(name, one, level=level) for name, one in definitions.items())


def table(columns: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = [f"| {' | '.join(line)} |\n" for line in (columns, *rows)]
    lines.insert(1, f"|{'---|' * len(columns)}\n")
    return "".join(lines)


def _section(name: str, schema: Mapping[str, Any], *, level: int) -> str:
    about = " ".join(str(schema.get("description", "")).split())
    heading = f"\n{'#' * level} {name}\n\n{about}\n\n"
    if not schema.get("properties"):
        return heading
    return heading + table(("key", "type", "default", "meaning"), _rows(schema))


def _rows(schema: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    required = set(schema.get("required", []))
    for key, value in schema["properties"].items():
        default = "required" if key in required else f"`{json.dumps(value.get('default', []))}`"
        meaning = " ".join(str(value.get("description", "")).split())
        yield f"`{key}`", _type(value), default, meaning


def _type(value: Mapping[str, Any]) -> str:
    match value:
        case {"$ref": name}:
            short = name.rsplit("/", 1)[-1]
            text = f"[{short}](#{short.lower()})"
        case {"const": item}:
            text = f"`{item}`"
        case {"enum": items}:
            text = ", ".join(f"`{item}`" for item in items)
        case {"anyOf": options} | {"oneOf": options}:
            text = " or ".join(_type(option) for option in options)
        case {"type": "array", "items": item}:
            text = f"list of {_type(item)}"
        case {"type": "object", "patternProperties": dict(items)}:
            text = f"mapping of names to {_type(next(iter(items.values())))}"
        case {"type": "object", "additionalProperties": dict(item)}:
            text = f"mapping to {_type(item)}"
        case _:
            signs = {
                "minimum": ">=",
                "exclusiveMinimum": ">",
                "maximum": "<=",
                "exclusiveMaximum": "<",
                "pattern": "matching",
            }
            limits = [f"{sign} `{value[key]}`" for key, sign in signs.items() if key in value]
            text = " ".join([str(value.get("type", "any")), *limits])
    return text.replace("|", "\\|")
