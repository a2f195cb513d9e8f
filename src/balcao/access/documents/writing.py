"""Writes all changes of a plan at once: a statement or two for each kind of change, however many there are."""

from collections.abc import Iterator, Mapping

from balcao.access.actions import service as actions
from balcao.access.catalogue.events import Rows
from balcao.access.documents import store
from balcao.access.groups import service as groups
from balcao.access.mappings import service as mappings
from balcao.access.roles import service as roles
from balcao.core.database.pool import Connection

# In the order in which they are carried out: what makes room comes first, and what others refer to goes last.
_WRITERS = {
    "mapping.delete": mappings,
    "action.update": actions,
    "action.create": actions,
    "role.create": roles,
    "role.update": roles,
    "role.grant": roles,
    "role.revoke": roles,
    "group.create": groups,
    "group.update": groups,
    "group.assign_role": groups,
    "group.remove_role": groups,
    "mapping.create": mappings,
    "mapping.update": mappings,
    "group.delete": groups,
    "role.delete": roles,
    "action.delete": actions,
}
ORDER = {operation: place for place, operation in enumerate(_WRITERS)}


async def reserve_ids(connection: Connection, counts: Mapping[str, int]) -> dict[str, Iterator[int]]:
    """Return new ids by kind; a sequence locks nothing, and what is not used of them is nobody's."""
    return {kind: iter(await store.reserve_ids(connection, kind, number)) for kind, number in counts.items()}


async def write_changes(connection: Connection, rows: Mapping[str, Rows], author: str | None) -> None:
    """Write the rows of each operation; `author` is who made what is new."""
    for operation, writer in _WRITERS.items():
        if found := rows.get(operation):
            await writer.write_planned(connection, operation, found, author)
