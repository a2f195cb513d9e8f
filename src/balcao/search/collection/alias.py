"""Which tables stand behind the collection."""

import msgspec


class Alias(msgspec.Struct, frozen=True):
    """Which physical table is active, which one mirrors it, and in which form they are."""

    physical: str
    mirror: str | None
    schema_version: str
    fold_revision: int
    generation: int
