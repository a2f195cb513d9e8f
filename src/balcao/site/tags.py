"""States in words."""

from typing import NamedTuple


class Tag(NamedTuple):
    """A state in words, with the kind that decides its shape and colour."""

    kind: str
    icon: str
    text: str
