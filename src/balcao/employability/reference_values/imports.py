"""Imports reference values. A line contains the table's name and the members of a POST body."""

from collections.abc import Sequence
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.imports.declaration import Import
from balcao.employability.reference_values import service, store
from balcao.employability.reference_values.kinds import Kind
from balcao.employability.reference_values.schemas import ReferenceBody
from balcao.employability.reference_values.store import ImportedValue, ImportMatch

# A batch locks its values until it commits. In the meantime, saves of jobs and resumes that use these values wait, so a
# batch must not be much larger.
BATCH = 500


class ReferenceRow(ReferenceBody, kw_only=True):
    """A value from the former system, whose jobs refer to the value by `id`."""

    tabela: Kind
    id: UUID | None = None

    def __post_init__(self) -> None:
        """Validate the row like a request body, and store the cleaned values in the row.

        Raises Invalid if a member is not valid.
        """
        self.descricao, self.ordem = service.check_value(self.tabela, self)


async def write_reference_values(connection: Connection, rows: Sequence[ReferenceRow]) -> int:
    """Write new and changed values, and return how many were written.

    A stored value with the same text gets the id from the file. PostgreSQL rejects the new id if a record uses the
    value.
    """
    return await _write(connection, [ImportedValue(row.tabela, row.id, row.descricao, row.ordem) for row in rows])


async def _write(connection: Connection, values: Sequence[ImportedValue]) -> int:
    """Write the values in one statement if they are independent of each other.

    Otherwise write one half after the other.
    """
    matches = await store.match_imported_values(connection, values)
    if len(values) == 1 or _are_apart(values, matches):
        return await store.write_imported_values(connection, values, matches)
    middle = len(values) // 2
    return await _write(connection, values[:middle]) + await _write(connection, values[middle:])


def _are_apart(values: Sequence[ImportedValue], matches: Sequence[ImportMatch]) -> bool:
    """Return whether the values are independent of each other.

    They depend on each other in two cases:

    - Two values have the same id or text, or match the same stored value.
    - A value is appended to its table, and another value of the same table has a given position.
    """
    texts = {(value.kind, one.folded) for value, one in zip(values, matches, strict=True)}
    ids = [id_ for value, one in zip(values, matches, strict=True) for id_ in {value.id, one.by_text} - {None}]
    if len(texts) < len(values) or len(set(ids)) < len(ids):
        return False
    appended_to = {
        value.kind
        for value, one in zip(values, matches, strict=True)
        if value.position is None and not one.has_id and one.by_text is None
    }
    return appended_to.isdisjoint(value.kind for value in values if value.position is not None)


IMPORTS = [Import("reference-values", ReferenceRow, write_reference_values, BATCH, from_table=True)]
