"""Add a valid example to each parameter and body in an OpenAPI document."""

from collections.abc import Iterator, Mapping
from typing import Any

Json = dict[str, Any]

_SAMPLES: Mapping[str, Any] = {"string": "texto", "integer": 1, "number": 1.0, "boolean": True, "null": None}
_FORMATS = {"date-time": "2026-10-05T14:30:00Z", "date": "2026-10-05"}


def add_examples(document: Json) -> None:
    """Add an example, in place, to each parameter and JSON body that does not have one."""
    schemas = document["components"]["schemas"]
    for operation in list_operations(document):
        for described in (*operation.get("parameters", ()), *_list_bodies(operation)):
            if not described.keys() & {"example", "examples"}:
                described["example"] = make_example(described["schema"], schemas)


def list_operations(document: Json) -> Iterator[Json]:
    """Yield the operations that a document describes."""
    for item in document["paths"].values():
        yield from (operation for operation in item.values() if isinstance(operation, dict))


def make_example(schema: Json, schemas: Mapping[str, Json]) -> Any:
    """Return the schema's constant, first example, first choice or default.

    If it has none, build a value from its parts.
    """
    if "$ref" in schema:
        return make_example(schemas[schema["$ref"].rsplit("/", 1)[-1]], schemas)
    if "const" in schema:
        return schema["const"]
    named = schema.get("examples") or schema.get("enum") or schema.get("oneOf") or schema.get("anyOf")
    if named:
        choices = [*schema.get("oneOf", ()), *schema.get("anyOf", ())]
        return make_example(named[0], schemas) if named[0] in choices else named[0]
    return schema.get("default") or _build(schema, schemas)


def _build(schema: Json, schemas: Mapping[str, Json]) -> Any:
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: make_example(member, schemas) for name, member in schema.get("properties", {}).items()}
    if kind == "array":
        return [make_example(schema["items"], schemas)] if "items" in schema else []
    return _FORMATS.get(schema.get("format", ""), _SAMPLES[kind])


def _list_bodies(operation: Json) -> Iterator[Json]:
    """Yield the JSON media types of an operation's request and responses."""
    for described in (operation.get("requestBody", {}), *operation["responses"].values()):
        if found := described.get("content", {}).get("application/json"):
            yield found
