"""One thing that the seed data write once."""

from typing import NamedTuple


class SeedItem(NamedTuple):
    """`held` is the action of a grant and the role of a group's role."""

    kind: str
    name: str
    held: str = ""
