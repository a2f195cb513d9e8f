"""What a member of a body may be, in the words of its type: for the message about a value that it is not."""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import inspect

# A member's name, or any place in a list or of an object's own keys.
_STEP = re.compile(r"\[[^\]]*\]|[^.\[\]]+")


def list_choices(kind: Any, path: str) -> list[str]:
    """Return the words that the type takes at this path, as msgspec writes it; none where it takes others, too."""
    choices = []
    for place in (inner for found in _find(kind, path) for inner in _unwrap(found)):
        if isinstance(place, inspect.EnumType):
            choices += [str(member.value) for member in place.cls]
        elif isinstance(place, inspect.LiteralType):
            choices += [str(value) for value in place.values]
    return choices


def find_example(kind: Any, path: str) -> str | None:
    """Return the example of the text that the type takes at this path, as msgspec writes it."""
    return next((each for found in _find(kind, path) for each in _list_examples(found) if isinstance(each, str)), None)


def _find(kind: Any, path: str) -> list[inspect.Type]:
    """Return the types of what stands at the path, as they are declared."""
    places = [inspect.type_info(kind)]
    for step in _STEP.findall(path):
        places = [inner for place in places for whole in _unwrap(place) for inner in _go(whole, step)]
    return places


def _go(place: inspect.Type, step: str) -> Iterator[inspect.Type]:
    """Give the types of what stands there in a value of this type."""
    if isinstance(place, inspect.StructType):
        yield from (field.type for field in place.fields if field.encode_name == step)
    elif isinstance(place, inspect.ListType):
        yield place.item_type
    elif isinstance(place, inspect.DictType):
        yield place.value_type


def _list_examples(place: inspect.Type) -> Iterator[Any]:
    """Give the examples that the type is declared with."""
    if isinstance(place, inspect.Metadata):
        yield from (place.extra_json_schema or {}).get("examples", ())
        yield from _list_examples(place.type)
    elif isinstance(place, inspect.UnionType):
        for one in place.types:
            yield from _list_examples(one)


def _unwrap(place: inspect.Type) -> Iterator[inspect.Type]:
    """Give the types that this one is made of."""
    if isinstance(place, inspect.Metadata):
        yield from _unwrap(place.type)
    elif isinstance(place, inspect.UnionType):
        for one in place.types:
            yield from _unwrap(one)
    else:
        yield place
