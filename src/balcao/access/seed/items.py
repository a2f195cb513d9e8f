"""Items of the seed data."""

from typing import NamedTuple


class SeedItem(NamedTuple):
    """The key of a seed data item. `held` is the action that a role grants, or the role that a group gives."""

    kind: str
    name: str
    held: str = ""
