"""Describe the members of a JSON body as table rows.

A nested member has a path such as `endereco.cep` or `itens[].id`.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Schema = Mapping[str, Any]

# The deepest level that the table shows. It shows fewer levels if it would have more than MAX_MEMBERS rows.
# Deeper members appear only in the example and in the OpenAPI document.
MAX_DEPTH = 3
MAX_MEMBERS = 300
# A type lists at most this many permitted values, then `...`.
MAX_VALUES = 12


class Member(NamedTuple):
    """A table row: the member's path, its type and its description in the schema."""

    path: str
    kind: str
    required: bool
    description: str
    example: str


def list_members(schema: Schema, schemas: Mapping[str, Schema]) -> list[Member]:
    """Return the members of an object (or of each object in a list) in the order of the schema."""
    levels = MAX_DEPTH
    while len(members := list(_walk(schema, schemas, "", levels))) > MAX_MEMBERS and levels:
        levels -= 1
    return members


def name_kind(schema: Schema, schemas: Mapping[str, Schema]) -> str:
    """Format a type for developers: `string (date)`, `array of integer`, `"IN" or "OUT"`."""
    schema, nullable = _unwrap(schema, schemas)
    return _name_plain(schema, schemas) + (" or null" if nullable else "")


def show_example(schema: Schema) -> str:
    """Return the example of a member or parameter as JSON, or an empty string if there is no simple example."""
    found = (schema.get("examples") or [schema.get("default")])[0]
    return "" if found is None or isinstance(found, (dict, list)) else json.dumps(found, ensure_ascii=False)


def _walk(schema: Schema, schemas: Mapping[str, Schema], prefix: str, levels: int) -> Iterator[Member]:
    """Yield the members, each with those of up to this many levels below it."""
    schema, _ = _unwrap(schema, schemas)
    if schema.get("type") == "array":
        yield from _walk(schema.get("items", {}), schemas, f"{prefix}[]" if prefix else "[]", levels)
        return
    required = schema.get("required", ())
    for name, member in schema.get("properties", {}).items():
        path = f"{prefix}.{name}" if prefix else name
        yield Member(
            path, name_kind(member, schemas), name in required, member.get("description", ""), show_example(member)
        )
        if levels:
            yield from _walk(member, schemas, path, levels - 1)


def _unwrap(schema: Schema, schemas: Mapping[str, Schema]) -> tuple[Schema, bool]:
    """Resolve references, and reduce a choice between a type and null to the type.

    Return the schema and whether the value may be null.
    """
    nullable = False
    while True:
        if "$ref" in schema:
            schema = schemas[schema["$ref"].rpartition("/")[2]]
            continue
        options = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
        if len(options) != 1:
            return schema, nullable
        nullable = nullable or len(options) < len(schema["anyOf"])
        schema = options[0]


def _name_plain(schema: Schema, schemas: Mapping[str, Schema]) -> str:
    if values := schema.get("enum"):
        shown = [json.dumps(value, ensure_ascii=False) for value in values[:MAX_VALUES]]
        return " or ".join([*shown, *(["..."] if len(values) > MAX_VALUES else [])])
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(name_kind(option, schemas) for option in options))
    kind = schema.get("type", "any")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        return f"array of {name_kind(schema.get('items', {}), schemas)}"
    return f"{kind} ({schema['format']})" if "format" in schema else str(kind)
