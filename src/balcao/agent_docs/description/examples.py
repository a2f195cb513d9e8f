"""One valid example for each documented parameter and answer, made from what the schemas themselves show."""

from collections.abc import Iterator, Mapping
from typing import Any

from balcao.core.errors import BalcaoError

Json = dict[str, Any]

_SAMPLES: Mapping[str, Any] = {"string": "texto", "integer": 1, "number": 1.0, "boolean": True, "null": None}
_FORMATS = {"date-time": "2026-10-05T14:30:00Z", "date": "2026-10-05"}


def add_examples(document: Json) -> None:
    """To every parameter and every JSON body of an OpenAPI document, in place."""
    schemas = document["components"]["schemas"]
    messages = {kind.status: kind.default_message for kind in _faults(BalcaoError)}
    for operation in operations_of(document):
        for parameter in operation.get("parameters", ()):
            parameter["example"] = example_of(parameter["schema"], schemas)
        for status, media in _bodies(operation):
            media["example"] = example_of(media["schema"], schemas)
            if "detail" in media["example"] and isinstance(media["example"]["detail"], str):
                media["example"]["detail"] = messages.get(status, media["example"]["detail"])


def operations_of(document: Json) -> Iterator[Json]:
    for item in document["paths"].values():
        yield from (operation for operation in item.values() if isinstance(operation, dict))


def example_of(schema: Json, schemas: Mapping[str, Json]) -> Any:
    """What the schema names as example, constant or first choice; else one built from its parts."""
    if "$ref" in schema:
        return example_of(schemas[schema["$ref"].rsplit("/", 1)[-1]], schemas)
    if "const" in schema:
        return schema["const"]
    named = schema.get("examples") or schema.get("enum") or schema.get("oneOf") or schema.get("anyOf")
    if named:
        return example_of(named[0], schemas) if named[0] in _choices(schema) else named[0]
    return schema.get("default") or _built(schema, schemas)


def _choices(schema: Json) -> list[Json]:
    return [*schema.get("oneOf", ()), *schema.get("anyOf", ())]


def _built(schema: Json, schemas: Mapping[str, Json]) -> Any:
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: example_of(member, schemas) for name, member in schema.get("properties", {}).items()}
    if kind == "array":
        return [example_of(schema["items"], schemas)] if "items" in schema else []
    return _FORMATS.get(schema.get("format", ""), _SAMPLES[kind])


def _bodies(operation: Json) -> Iterator[tuple[int, Json]]:
    """Status and media type; a request's body counts as status 0."""
    for media in _json_media(operation.get("requestBody", {})):
        yield 0, media
    for status, answer in operation["responses"].items():
        for media in _json_media(answer):
            yield int(status), media


def _json_media(holder: Json) -> Iterator[Json]:
    found = holder.get("content", {}).get("application/json")
    if found:
        yield found


def _faults(kind: type[BalcaoError]) -> Iterator[type[BalcaoError]]:
    for child in kind.__subclasses__():
        yield child
        yield from _faults(child)
