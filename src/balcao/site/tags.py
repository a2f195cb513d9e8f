"""How pages show a state."""

from typing import NamedTuple


class Tag(NamedTuple):
    """A state in words, and the kind that determines its shape and colour."""

    kind: str
    icon: str
    text: str
