"""What changed between two snapshots of a service (rules: search 2.1)."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from balcao.search.document import Content
from balcao.search.versions.schemas import FieldChange, ValueType

COMPARED = (*Content.__struct_fields__, "autor")

_TYPES: dict[type, ValueType] = {str: "string", int: "int", float: "float", bool: "bool", list: "array", dict: "object"}


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[FieldChange]:
    """One entry for each member that differs, in the order of the document's table."""
    return list(_changes(old, new))


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[FieldChange]:
    for name in COMPARED:
        before, after = _value(old.get(name)), _value(new.get(name))
        if _json(before) != _json(after):
            yield FieldChange(name, before, after, _TYPES[type(before if after is None else after)])


def _value(value: Any) -> Any:
    """Nothing, an empty text, an empty list and an empty object are one: no value."""
    return None if value in ("", [], {}) else value


def _json(value: Any) -> bytes:
    """Equal as JSON: Python would take true for 1."""
    return msgspec.json.encode(value, order="sorted")
