"""One valid example for each documented parameter and response, made from what the schemas themselves show."""

from collections.abc import Iterator, Mapping
from typing import Any

from balcao.core.errors import BalcaoError

Json = dict[str, Any]

_SAMPLES: Mapping[str, Any] = {"string": "texto", "integer": 1, "number": 1.0, "boolean": True, "null": None}
_FORMATS = {"date-time": "2026-10-05T14:30:00Z", "date": "2026-10-05"}


def add_examples(document: Json) -> None:
    """Add an example to every parameter and every JSON body of an OpenAPI document, in place."""
    schemas = document["components"]["schemas"]
    messages = {kind.status: kind.default_message for kind in _list_error_types(BalcaoError)}
    for operation in list_operations(document):
        for parameter in operation.get("parameters", ()):
            parameter["example"] = make_example(parameter["schema"], schemas)
        for status, media in _list_bodies(operation):
            media["example"] = make_example(media["schema"], schemas)
            if "detail" in media["example"] and isinstance(media["example"]["detail"], str):
                media["example"]["detail"] = messages.get(status, media["example"]["detail"])


def list_operations(document: Json) -> Iterator[Json]:
    """Yield the operations of a document."""
    for item in document["paths"].values():
        yield from (operation for operation in item.values() if isinstance(operation, dict))


def make_example(schema: Json, schemas: Mapping[str, Json]) -> Any:
    """Return what the schema names as example, constant or first choice; else one built from its parts."""
    if "$ref" in schema:
        return make_example(schemas[schema["$ref"].rsplit("/", 1)[-1]], schemas)
    if "const" in schema:
        return schema["const"]
    named = schema.get("examples") or schema.get("enum") or schema.get("oneOf") or schema.get("anyOf")
    if named:
        return make_example(named[0], schemas) if named[0] in _list_choices(schema) else named[0]
    return schema.get("default") or _build(schema, schemas)


def _list_choices(schema: Json) -> list[Json]:
    return [*schema.get("oneOf", ()), *schema.get("anyOf", ())]


def _build(schema: Json, schemas: Mapping[str, Json]) -> Any:
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: make_example(member, schemas) for name, member in schema.get("properties", {}).items()}
    if kind == "array":
        return [make_example(schema["items"], schemas)] if "items" in schema else []
    return _FORMATS.get(schema.get("format", ""), _SAMPLES[kind])


def _list_bodies(operation: Json) -> Iterator[tuple[int, Json]]:
    """Yield status and media type; a request's body counts as status 0."""
    for media in _list_json_media(operation.get("requestBody", {})):
        yield 0, media
    for status, response in operation["responses"].items():
        for media in _list_json_media(response):
            yield int(status), media


def _list_json_media(described: Json) -> Iterator[Json]:
    found = described.get("content", {}).get("application/json")
    if found:
        yield found


def _list_error_types(kind: type[BalcaoError]) -> Iterator[type[BalcaoError]]:
    for child in kind.__subclasses__():
        yield child
        yield from _list_error_types(child)
