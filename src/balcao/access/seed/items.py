"""An item of the seed data."""

from typing import NamedTuple


class SeedItem(NamedTuple):
    """An item of the seed data. `held` is the action of a grant, or the role of a group."""

    kind: str
    name: str
    held: str = ""
