"""The row that says which tables stand behind the collection."""

import msgspec


class Alias(msgspec.Struct, frozen=True):
    """Which physical table is active, which one mirrors it, and the schema version of the active one.

    `generation` counts the switches; `fold_revision` is how the database folds texts (0: not at all).
    """

    physical: str
    mirror: str | None
    schema_version: str
    fold_revision: int
    generation: int
