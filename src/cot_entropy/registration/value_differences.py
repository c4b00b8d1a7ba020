"""Registered values side by side: what differs, by name, as `H1.bounds.threshold: 0 -> -90`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, Final

import rfc8785

from cot_entropy.registration.items import Values

MISSING: Final = "not there"
SHOWN: Final = 200


def value_differences(before: Values, now: Values) -> Iterator[tuple[str, str]]:
    """Every value that differs: its name, and both values."""
    for item in [*before, *(item for item in now if item not in before)]:
        yield from item_differences(item, before, now)


def item_differences(item: str, before: Values, now: Values) -> Iterator[tuple[str, str]]:
    """The leaves under an item that differ, each with its own name."""
    name = item.removeprefix("plan/")
    if item not in before and item not in now:
        return
    if item not in now:
        yield name, f"registered -> {MISSING}"
    elif item not in before:
        yield name, f"{MISSING} -> {shown(now[item])}"
    else:
        yield from _leaves(name, before[item], now[item])


def _leaves(name: str, before: Any, now: Any) -> Iterator[tuple[str, str]]:
    if before == now and type(before) is type(now):
        return
    if isinstance(before, dict) and isinstance(now, dict):
        for key in [*before, *(key for key in now if key not in before)]:
            yield from _leaves(f"{name}.{key}", before.get(key, MISSING), now.get(key, MISSING))
    elif (
        isinstance(before, list) and isinstance(now, list) and any(map(_one_by_one, (before, now)))
    ):
        for index, (one, other) in enumerate(zip_longest(before, now, fillvalue=MISSING)):
            yield from _leaves(f"{name}[{index}]", one, other)
    elif rfc8785.dumps(before) != rfc8785.dumps(now):
        yield name, f"{shown(before)} -> {shown(now)}"


def _one_by_one(values: list[Any]) -> bool:
    """Whether each member of a list has a name: lists or mappings, or too many to show."""
    nested = any(isinstance(one, dict | list) for one in values)
    return nested or len(rfc8785.dumps(values)) > SHOWN


def shown(value: Any) -> str:
    """A value on one line: numbers as in canonical JSON, 0.0 as 0."""
    text = (
        value if isinstance(value, str) and value.isprintable() else rfc8785.dumps(value).decode()
    )
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def leaf_values(values: Values) -> Iterator[tuple[str, str]]:
    """Every registered value, by the name that a difference has."""
    for item, value in values.items():
        yield from _named(item.removeprefix("plan/"), value)


def _named(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, one in value.items():
            yield from _named(f"{name}.{key}", one)
    elif isinstance(value, list) and _one_by_one(value):
        for index, one in enumerate(value):
            yield from _named(f"{name}[{index}]", one)
    else:
        yield name, value if isinstance(value, str) else rfc8785.dumps(value).decode()
