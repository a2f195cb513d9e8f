"""Compares two snapshots of a service (rules: search 2.1)."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from balcao.search.document import ServiceContent
from balcao.search.versions.schemas import FieldChange, ValueType

COMPARED = (*ServiceContent.__struct_fields__, "autor")

_TYPES: dict[type, ValueType] = {str: "string", int: "int", float: "float", bool: "bool", list: "array", dict: "object"}


def list_differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[FieldChange]:
    """Return one entry for each member that differs, in the order of the table in the rules."""
    return list(_find_differences(old, new))


def _find_differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[FieldChange]:
    for name in COMPARED:
        before, after = _normalize(old.get(name)), _normalize(new.get(name))
        if _encode(before) != _encode(after):
            yield FieldChange(name, before, after, _TYPES[type(before if after is None else after)])


def _normalize(value: Any) -> Any:
    """Return None for an empty text, list or object, because each of them counts as no value."""
    return None if value in ("", [], {}) else value


def _encode(value: Any) -> bytes:
    """Encode the value as JSON, which distinguishes true from 1. In Python they are equal."""
    return msgspec.json.encode(value, order="sorted")
