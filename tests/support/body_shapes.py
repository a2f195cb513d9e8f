"""The exact shapes of JSON bodies: their members and the types of the members."""

import re
from collections.abc import Callable
from typing import Any

Shape = Any


class Optional:
    """A shape that also accepts null."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape


class MapOf:
    """The shape of an object with arbitrary keys. All its values have the same shape."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape


class Matching:
    """The shape of a string that matches a pattern."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern


class OneOf:
    def __init__(self, *values: Any) -> None:
        self.values = values


class Some:
    """The shape of an object with all required members and any of the allowed members."""

    def __init__(self, required: dict[str, Shape], allowed: dict[str, Shape]) -> None:
        self.required = required
        self.allowed = allowed


ANYTHING = object()
INSTANT = Matching(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})")
DETAIL = {"detail": str}
ITEMS = {"detail": [{"loc": [str], "msg": str, "type": str}]}
ITEMS_WITH_INPUT = {"detail": [{"loc": [str], "msg": str, "type": str, "input": ANYTHING, "ctx": MapOf(ANYTHING)}]}
ERROR = {"error": str}
CODE_MESSAGE = {"code": int, "message": str}


def differences(value: Any, shape: Shape, place: str = "$") -> list[str]:
    """Return the differences between a value and a shape. Each one contains its path in the value."""
    for kind, check in _CHECKS.items():
        if isinstance(shape, kind):
            return check(value, shape, place)
    if shape is ANYTHING:
        return []
    if shape in (int, float) and isinstance(value, bool):
        return [f"{place}: boolean"]
    return [] if isinstance(value, shape) else [f"{place}: {type(value).__name__} instead of {shape.__name__}"]


def _object(value: Any, shape: dict[str, Shape], place: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{place}: no object"]
    if set(value) != set(shape):
        return [f"{place}: members {sorted(set(value) ^ set(shape))} differ"]
    return [fault for key in shape for fault in differences(value[key], shape[key], f"{place}.{key}")]


def _list(value: Any, shape: list[Shape], place: str) -> list[str]:
    if not isinstance(value, list):
        return [f"{place}: no list"]
    return [fault for n, item in enumerate(value) for fault in differences(item, shape[0], f"{place}[{n}]")]


def _optional(value: Any, shape: Optional, place: str) -> list[str]:
    return [] if value is None else differences(value, shape.shape, place)


def _map(value: Any, shape: MapOf, place: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{place}: no object"]
    return [fault for key, item in value.items() for fault in differences(item, shape.shape, f"{place}.{key}")]


def _matching(value: Any, shape: Matching, place: str) -> list[str]:
    return [] if isinstance(value, str) and re.fullmatch(shape.pattern, value) else [f"{place}: wrong form"]


def _one_of(value: Any, shape: OneOf, place: str) -> list[str]:
    return [] if value in shape.values else [f"{place}: not one of {shape.values}"]


def _some(value: Any, shape: Some, place: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{place}: no object"]
    known = shape.required | shape.allowed
    if missing := set(shape.required) - set(value):
        return [f"{place}: members {sorted(missing)} missing"]
    if surplus := set(value) - set(known):
        return [f"{place}: members {sorted(surplus)} too many"]
    return [fault for key in value for fault in differences(value[key], known[key], f"{place}.{key}")]


_CHECKS: dict[type, Callable[[Any, Any, str], list[str]]] = {
    dict: _object,
    list: _list,
    Optional: _optional,
    MapOf: _map,
    Matching: _matching,
    OneOf: _one_of,
    Some: _some,
}
