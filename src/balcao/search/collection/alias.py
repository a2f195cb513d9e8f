"""The alias row, which names the physical tables of the collection."""

import msgspec


class Alias(msgspec.Struct, frozen=True):
    """The active physical table, its mirror if there is one, and the schema version of the active table.

    `generation` counts the changes of the active table. `fold_revision` is the revision of the folding rules that
    produced the table's text columns.
    """

    physical: str
    mirror: str | None
    schema_version: str
    fold_revision: int
    generation: int
