"""What a member of a body may be, where it is one of a few words: for the message about another one."""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import inspect

# A member's name, or any place in a list or of an object's own keys.
_STEP = re.compile(r"\[[^\]]*\]|[^.\[\]]+")


def list_choices(kind: Any, path: str) -> list[str]:
    """Return the words that the type takes at this path, as msgspec writes it; none where it takes others, too."""
    places = list(_unwrap(inspect.type_info(kind)))
    for step in _STEP.findall(path):
        places = [inner for place in places for inner in _go(place, step)]
    choices = []
    for place in places:
        if isinstance(place, inspect.EnumType):
            choices += [str(member.value) for member in place.cls]
        elif isinstance(place, inspect.LiteralType):
            choices += [str(value) for value in place.values]
    return choices


def _go(place: inspect.Type, step: str) -> Iterator[inspect.Type]:
    """Give the types of what stands there in a value of this type."""
    if isinstance(place, inspect.StructType):
        for field in place.fields:
            if field.encode_name == step:
                yield from _unwrap(field.type)
    elif isinstance(place, inspect.ListType):
        yield from _unwrap(place.item_type)
    elif isinstance(place, inspect.DictType):
        yield from _unwrap(place.value_type)


def _unwrap(place: inspect.Type) -> Iterator[inspect.Type]:
    """Give the types that this one is made of."""
    if isinstance(place, inspect.Metadata):
        yield from _unwrap(place.type)
    elif isinstance(place, inspect.UnionType):
        for one in place.types:
            yield from _unwrap(one)
    else:
        yield place
