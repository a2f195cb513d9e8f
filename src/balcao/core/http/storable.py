"""Values that the database cannot store: strings with a NUL character, and integers beyond 64 bits.

Bodies and queries are checked before any handler runs. Lone surrogates need no check, because the JSON and UTF-8
decoders reject them.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from balcao.core.errors import Invalid
from balcao.core.values.ids import MAX_INT64

SMALLEST, LARGEST = -(2**63), MAX_INT64
NO_NUL = "não pode conter o caractere nulo"
NO_LARGE_INTEGER = "deve ser um número inteiro de até 64 bits"
# A name that may appear in a message and a code. The caller could give an undeclared member any name.
_NAME = re.compile(r"[A-Za-z]\w{0,62}", re.ASCII)


class Unstorable(NamedTuple):
    """A value that cannot be stored: its path, outermost step first, and the reason."""

    place: tuple[str | int, ...]
    message: str


def find_unstorable(value: Any) -> Unstorable | None:
    """Return the first part of a JSON value that cannot be stored, or None."""
    kind = value.__class__
    if kind is str:
        return Unstorable((), NO_NUL) if "\0" in value else None
    if kind is int:
        return None if SMALLEST <= value <= LARGEST else Unstorable((), NO_LARGE_INTEGER)
    if kind is dict:
        for name, member in value.items():
            if "\0" in name:
                return Unstorable((), NO_NUL)
            if found := find_unstorable(member):
                return Unstorable((name, *found.place), found.message)
    elif kind is list:
        for number, item in enumerate(value):
            if found := find_unstorable(item):
                return Unstorable((number, *found.place), found.message)
    return None


def require_body(value: Any) -> None:
    """Raise Invalid, with the name of the member, if a value in the body cannot be stored."""
    if (found := find_unstorable(value)) is None:
        return
    names = _list_names(found)
    where = f"O campo `{'.'.join(names)}`" if names else "Um valor do corpo"
    if names and found.message == NO_NUL:
        raise Invalid(f"{where} {found.message}.", code=f"{names[-1]}-control")
    raise Invalid(f"{where} {found.message}.", code="body-invalid")


def require_query(query: Mapping[str, Any]) -> None:
    """Raise Invalid, with the name of the parameter, if a value in the query cannot be stored."""
    if (found := find_unstorable(query)) is None:
        return
    if names := _list_names(found):
        raise Invalid(f"O parâmetro `{names[0]}` {found.message}.", code=f"{names[0]}-control")
    raise Invalid(f"A consulta {found.message}.")


def _list_names(found: Unstorable) -> list[str]:
    """Return the names of the members on the path. The list is empty if one of them must not appear in a message."""
    names = [step for step in found.place if isinstance(step, str)]
    return names if all(map(_NAME.fullmatch, names)) else []
