"""Find the allowed values and the examples of a member, for the message about an invalid value."""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import inspect

# A step in a msgspec path: a member's name, or brackets for any index of a list or any key of a mapping.
_STEP = re.compile(r"\[[^\]]*\]|[^.\[\]]+")


def list_choices(kind: Any, path: str) -> list[str]:
    """Return the enumerated values that the type allows at this msgspec path. The list is empty if there are none."""
    choices = []
    for place in (inner for found in _find(kind, path) for inner in _unwrap(found)):
        if isinstance(place, inspect.EnumType):
            choices += [str(member.value) for member in place.cls]
        elif isinstance(place, inspect.LiteralType):
            choices += [str(value) for value in place.values]
    return choices


def find_example(kind: Any, path: str) -> str | None:
    """Return the first text example that the type declares at this msgspec path, or None."""
    return next((each for found in _find(kind, path) for each in _list_examples(found) if isinstance(each, str)), None)


def _find(kind: Any, path: str) -> list[inspect.Type]:
    """Return the declared types at the path."""
    places = [inspect.type_info(kind)]
    for step in _STEP.findall(path):
        places = [inner for place in places for whole in _unwrap(place) for inner in _go(whole, step)]
    return places


def _go(place: inspect.Type, step: str) -> Iterator[inspect.Type]:
    """Yield the type of the member, list item or mapping value that this step of a path selects."""
    if isinstance(place, inspect.StructType):
        yield from (field.type for field in place.fields if field.encode_name == step)
    elif isinstance(place, inspect.ListType):
        yield place.item_type
    elif isinstance(place, inspect.DictType):
        yield place.value_type


def _list_examples(place: inspect.Type) -> Iterator[Any]:
    """Yield the examples in the type's metadata."""
    if isinstance(place, inspect.Metadata):
        yield from (place.extra_json_schema or {}).get("examples", ())
        yield from _list_examples(place.type)
    elif isinstance(place, inspect.UnionType):
        for one in place.types:
            yield from _list_examples(one)


def _unwrap(place: inspect.Type) -> Iterator[inspect.Type]:
    """Yield the types without their metadata, and each type of a union."""
    if isinstance(place, inspect.Metadata):
        yield from _unwrap(place.type)
    elif isinstance(place, inspect.UnionType):
        for one in place.types:
            yield from _unwrap(one)
    else:
        yield place
