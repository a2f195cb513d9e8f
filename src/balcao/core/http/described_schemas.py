"""Generate the description of each OpenAPI schema from the operations that use the schema."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Schema = dict[str, Any]

# A description names two operations, and contains the number of further operations.
_NAMED = 2


def describe_schemas(components: dict[str, Schema], paths: Mapping[str, Mapping[str, Any]]) -> None:
    """Describe each schema by the operations that use it as body or response, or by the member that contains it."""
    bodies: dict[str, list[str]] = {}
    responses: dict[str, list[str]] = {}
    refusals: dict[str, list[str]] = {}
    for operation in (each for item in paths.values() for each in item.values()):
        for name in _list_named(operation.get("requestBody", {})):
            bodies.setdefault(name, []).append(operation["summary"])
        for status, response in operation["responses"].items():
            uses = responses if int(status) < 400 else refusals
            for name in _list_named(response):
                uses.setdefault(name, []).append(operation["summary"])
    held = _find_holders(components)
    for name, schema in components.items():
        words = [
            *([f"Corpo de: {_join(bodies[name])}."] if name in bodies else []),
            *([f"Resposta de: {_join(responses[name])}."] if name in responses else []),
            *(["Recusa ou falha, em palavras para pessoas."] if name in refusals and name not in responses else []),
        ]
        if not words and name in held:
            holder, member, text = held[name]
            words = [f"{text or 'Parte da estrutura.'} Em `{holder}.{member}`."]
        schema["description"] = " ".join(words) or "Parte de uma estrutura desta API."


def drop_empty_defaults(components: Mapping[str, Schema], paths: Mapping[str, Mapping[str, Any]]) -> None:
    """In request bodies, replace the `default` of members that are empty by default with a description in words.

    With a `default`, some generators share one list or object between all bodies, and others write code that fails.
    """
    waiting = [
        name
        for item in paths.values()
        for operation in item.values()
        for name in _list_named(operation.get("requestBody", {}))
    ]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        waiting += _list_named(components[name])
        for member in components[name].get("properties", {}).values():
            if member.get("default") in ([], {}):
                empty = "uma lista vazia" if member.pop("default") == [] else "um objeto vazio"
                member["description"] = f"{member.get('description', '')} Se faltar, é {empty}.".strip()


def hoist_annotations(schema: Any) -> None:
    """Move the description and examples of an optional member from its only non-null option to the member.

    msgspec puts them into the option if the member's type is a described alias with `| None`. Tools and readers expect
    them at the member.
    """
    for member in schema.get("properties", {}).values():
        options = [option for option in member.get("anyOf", ()) if option.get("type") != "null"]
        if len(options) == 1:
            notes = {key: options[0].pop(key) for key in ("description", "examples") if key in options[0]}
            member.update(notes | member)


def _find_holders(components: Mapping[str, Schema]) -> dict[str, tuple[str, str, str]]:
    """Map each schema to the first member that contains it: the member's own schema, its name and its description."""
    found: dict[str, tuple[str, str, str]] = {}
    for holder, schema in components.items():
        for member, inner in schema.get("properties", {}).items():
            for name in _list_named(inner):
                found.setdefault(name, (holder, member, inner.get("description", "")))
    return found


def _list_named(schema: Any) -> Iterator[str]:
    """Yield the names of the schemas that this schema refers to, at any depth."""
    if isinstance(schema, dict):
        if isinstance(reference := schema.get("$ref"), str) and "/schemas/" in reference:
            yield reference.rpartition("/")[2]
        for name, inner in schema.items():
            if name not in {"example", "examples"}:
                yield from _list_named(inner)
    elif isinstance(schema, list):
        for item in schema:
            yield from _list_named(item)


def _join(summaries: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(summaries))
    named = "; ".join(distinct[:_NAMED])
    return named if len(distinct) <= _NAMED else f"{named}; e mais {len(distinct) - _NAMED}"
