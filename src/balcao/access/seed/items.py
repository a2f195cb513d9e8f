"""The items of the seed data."""

from typing import NamedTuple


class SeedItem(NamedTuple):
    """The key of an item in the seed data. `held` is the action that a role grants, or the role that a group gives."""

    kind: str
    name: str
    held: str = ""
