"""The import of reference values: a line for each, with its table and the members of a POST."""

from collections.abc import Sequence
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.imports.declaration import Import
from balcao.employability.reference_values import service, store
from balcao.employability.reference_values.kinds import Kind
from balcao.employability.reference_values.schemas import ReferenceBody
from balcao.employability.reference_values.store import ImportedValue, ImportMatch

# A save of a job or resume that names one of its values waits until the batch is committed.
BATCH = 500


class ReferenceRow(ReferenceBody, kw_only=True):
    """A value of the former system; `id` is what its jobs name it by."""

    tabela: Kind
    id: UUID | None = None

    def __post_init__(self) -> None:
        """Check the row as a body is checked, and keep what is stored of it. Raises Invalid."""
        self.descricao, self.ordem = service.check_value(self.tabela, self)


async def write_reference_values(connection: Connection, rows: Sequence[ReferenceRow]) -> int:
    """Write the values that are new or say something else; return how many.

    A value that is there under the same text takes the id of the file: the server refuses that while anything uses it.
    """
    return await _write(connection, [ImportedValue(row.tabela, row.id, row.descricao, row.ordem) for row in rows])


async def _write(connection: Connection, values: Sequence[ImportedValue]) -> int:
    """Write together what comes out as one after the other would; otherwise each half, the first one first."""
    matches = await store.match_imported_values(connection, values)
    if len(values) == 1 or _are_apart(values, matches):
        return await store.write_imported_values(connection, values, matches)
    middle = len(values) // 2
    return await _write(connection, values[:middle]) + await _write(connection, values[middle:])


def _are_apart(values: Sequence[ImportedValue], matches: Sequence[ImportMatch]) -> bool:
    """Return whether no value has to do with another.

    Two have when they name the same stored value, by id or text, when they bring the same id or text, and when one of
    them gets its place from the others of its kind.
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
