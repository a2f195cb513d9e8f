"""The import of reference values: a line for each, with its table and the members of a POST."""

from collections.abc import Sequence
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.imports.declaration import Import
from balcao.core.values.ids import new_id
from balcao.employability.reference_values import service, store
from balcao.employability.reference_values.kinds import Kind
from balcao.employability.reference_values.schemas import ReferenceBody

# Two statements for each.
BATCH = 200


class ReferenceRow(ReferenceBody, kw_only=True):
    """A value of the former system; `id` is what its jobs name it by."""

    tabela: Kind
    id: UUID | None = None

    def __post_init__(self) -> None:
        """Check the row as a body is checked. Raises Invalid."""
        service.check(self.tabela, self)


async def write(connection: Connection, rows: Sequence[ReferenceRow]) -> int:
    """Write the values that are new or say something else; return how many.

    A value that is there under the same text takes the id of the file: the server refuses that while anything uses it.
    """
    return sum([await _write_row(connection, row) for row in rows])


async def _write_row(connection: Connection, row: ReferenceRow) -> bool:
    text, position = service.check(row.tabela, row)
    found = await store.find(connection, row.tabela, row.id, text)
    if found is None:
        await store.insert(connection, row.id or new_id(), row.tabela, text, position)
        return True
    return await store.update_differing(connection, found, row.id or found, text, position)


IMPORTS = [Import("reference-values", ReferenceRow, write, BATCH, from_table=True)]
