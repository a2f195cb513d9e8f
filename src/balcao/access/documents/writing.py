"""Writes all changes of a plan. Each kind of change needs only a few statements, however many changes there are."""

from collections.abc import Awaitable, Callable, Iterator, Mapping

from balcao.access.actions import service as actions
from balcao.access.catalogue.events import Rows
from balcao.access.documents import store
from balcao.access.groups import service as groups
from balcao.access.mappings import service as mappings
from balcao.access.roles import service as roles
from balcao.core.database.pool import Connection

# The order of writing. Deletions and renames that free a path or a name come before the rows that use it. A row is
# created before the rows that refer to it, and deleted after them.
_WRITERS: Mapping[str, Callable[[Connection, str, Rows, str | None], Awaitable[None]]] = {
    "mapping.delete": mappings.write_planned_mappings,
    "action.update": actions.write_planned_actions,
    "action.create": actions.write_planned_actions,
    "role.create": roles.write_planned_roles,
    "role.update": roles.write_planned_roles,
    "role.grant": roles.write_planned_roles,
    "role.revoke": roles.write_planned_roles,
    "group.create": groups.write_planned_groups,
    "group.update": groups.write_planned_groups,
    "group.assign_role": groups.write_planned_groups,
    "group.remove_role": groups.write_planned_groups,
    "mapping.create": mappings.write_planned_mappings,
    "mapping.update": mappings.write_planned_mappings,
    "group.delete": groups.write_planned_groups,
    "role.delete": roles.write_planned_roles,
    "action.delete": actions.write_planned_actions,
}
ORDER = {operation: place for place, operation in enumerate(_WRITERS)}


async def reserve_ids(connection: Connection, counts: Mapping[str, int]) -> dict[str, Iterator[int]]:
    """Return new ids by kind. Taking ids from a sequence needs no lock. Unused ids are lost."""
    return {kind: iter(await store.reserve_ids(connection, kind, number)) for kind, number in counts.items()}


async def write_changes(connection: Connection, rows: Mapping[str, Rows], author: str | None) -> None:
    """Write the rows of each operation. `author` is stored as the author of new rows."""
    for operation, write in _WRITERS.items():
        if found := rows.get(operation):
            await write(connection, operation, found, author)
