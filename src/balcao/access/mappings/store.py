"""SQL of the mappings; those of our own operations come by registration."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import msgspec

from balcao.access.mappings.patterns import erase_names
from balcao.access.mappings.schemas import Mapping
from balcao.core.access.paths import REST, is_wild, split
from balcao.core.database.pool import Connection
from balcao.core.database.queries import fetch_count, fetch_page, page_sql

MAX_ID = 2**63 - 1

_MEMBERS = """
mapping.id, mapping.path_pattern, mapping.method, action.name AS action, mapping.description, mapping.created_by,
mapping.created_at, mapping.updated_at, mapping.action_id, mapping.service, mapping.operation_key AS operation,
mapping.guard
"""
_LIVING = """
FROM access.endpoint_mapping AS mapping
JOIN access.action ON action.id = mapping.action_id
WHERE mapping.retired_at IS NULL
"""
_FILTER = """
AND position(lower($1) IN lower(action.name)) > 0 AND ($2 = '' OR mapping.service = $2)
"""
_LIST = page_sql(
    f"""
    SELECT {_MEMBERS} {_LIVING} {_FILTER}
    ORDER BY mapping.path_pattern COLLATE "C", mapping.method COLLATE "C", mapping.id LIMIT $3 OFFSET $4
    """,
    f"SELECT count(*) {_LIVING} {_FILTER}",
)


async def fetch_mappings(
    connection: Connection, action_filter: str, service: str, limit: int | None, skip: int
) -> tuple[list[Mapping], int]:
    """Return the page's mappings by path and method, and how many there are; all of them without a limit."""
    rows, total = await fetch_page(connection, _LIST, action_filter, service, limit, skip)
    return [Mapping(**row) for row in rows], total


# Of all mappings only those whose first segment may match are looked at.
_CANDIDATES = f"""
SELECT {_MEMBERS} {_LIVING}
  AND mapping.method = $1
  AND ($2::text IS NULL OR split_part(mapping.path_pattern, '/', 2) IN ($2, '*', '**')
       OR mapping.path_pattern LIKE '/{{%')
"""


async def fetch_candidates(connection: Connection, method: str, pattern: str) -> list[Mapping]:
    """Return the mappings of the method that may match the same paths as this pattern."""
    first = split(pattern)[0]
    rows = await connection.fetch(_CANDIDATES, method, None if is_wild(first) or first == REST else first)
    return [Mapping(**row) for row in rows]


@dataclass(frozen=True)
class FoundMapping:
    """`declared` is the code key that the release names, `code_key` that of the action it is bound to now.

    `is_system`: of one of our own operations.
    """

    mapping: Mapping
    floor: str
    declared: str | None
    code_key: str | None

    @property
    def is_system(self) -> bool:
        return self.mapping.operation is not None


_FIND = f"SELECT {_MEMBERS}, mapping.floor, mapping.declared_action, action.code_key {_LIVING} AND mapping.id = $1"


async def find(connection: Connection, mapping_id: int) -> FoundMapping | None:
    """Return the mapping; any integer may be asked for."""
    row = await connection.fetchrow(_FIND, mapping_id) if 0 < mapping_id <= MAX_ID else None
    if row is None:
        return None
    members: dict[str, Any] = dict(row)
    floor, declared, code_key = (members.pop(name) for name in ("floor", "declared_action", "code_key"))
    return FoundMapping(Mapping(**members), floor, declared, code_key)


@dataclass(frozen=True)
class FoundAction:
    name: str
    code_key: str | None


_ACTION = "SELECT name, code_key FROM access.action WHERE id = $1"


async def find_action(connection: Connection, action_id: int) -> FoundAction | None:
    row = await connection.fetchrow(_ACTION, action_id)
    return FoundAction(**row) if row else None


_SAME_SHAPE = f"""
SELECT {_MEMBERS} {_LIVING} AND mapping.method = $1 AND mapping.shape = $2
"""


async def find_same_shape(connection: Connection, method: str, pattern: str) -> Mapping | None:
    row = await connection.fetchrow(_SAME_SHAPE, method, erase_names(pattern))
    return Mapping(**row) if row else None


_INSERT = """
INSERT INTO access.endpoint_mapping (method, path_pattern, action_id, description, created_by)
VALUES ($1, $2, $3, $4, $5)
RETURNING id
"""


async def insert(
    connection: Connection, method: str, pattern: str, action_id: int, description: str | None, created_by: str | None
) -> int:
    """Return the new id; nothing of the same method and shape may be there."""
    made: int = await connection.fetchval(_INSERT, method, pattern, action_id, description, created_by)
    return made


_UPDATE = """
UPDATE access.endpoint_mapping
SET method = $2, path_pattern = $3, action_id = $4, description = $5, updated_at = now()
WHERE id = $1
"""


async def update(connection: Connection, mapping: Mapping) -> None:
    await connection.execute(
        _UPDATE, mapping.id, mapping.method, mapping.path_pattern, mapping.action_id, mapping.description
    )


_DELETE = "DELETE FROM access.endpoint_mapping WHERE id = $1"


async def delete(connection: Connection, mapping_id: int) -> None:
    await connection.execute(_DELETE, mapping_id)


# Also those that are retired already: they refer to the action as well.
_DELETE_OF_ACTION = """
DELETE FROM access.endpoint_mapping WHERE action_id = $1 AND (operation_key IS NULL OR retired_at IS NOT NULL)
"""


async def delete_of_action(connection: Connection, action_id: int) -> None:
    await connection.execute(_DELETE_OF_ACTION, action_id)


# Only where some release runs: on a machine that slept, nobody has announced anything for a day.
_RETIRE = """
UPDATE access.endpoint_mapping SET retired_at = now(), updated_at = now()
WHERE operation_key IS NOT NULL AND retired_at IS NULL AND announced_at < now() - $1::interval
  AND EXISTS (SELECT FROM access.endpoint_mapping WHERE announced_at >= now() - $1::interval)
RETURNING access.mapping_document(endpoint_mapping) AS mapping
"""


async def retire_unserved(connection: Connection, age: timedelta) -> list[dict[str, Any]]:
    """Retire the operations that no process has said to serve for so long; return their mappings, by operation."""
    retired = [msgspec.json.decode(row["mapping"]) for row in await connection.fetch(_RETIRE, age)]
    return sorted(retired, key=lambda mapping: str(mapping["operation"]))


_COUNT_RETIRED = "SELECT count(*) FROM access.endpoint_mapping WHERE retired_at IS NOT NULL"
_DELETE_RETIRED = "DELETE FROM access.endpoint_mapping WHERE retired_at <= now() - $1::interval RETURNING true"


async def delete_retired(connection: Connection, age: timedelta) -> tuple[int, int]:
    """Delete the mappings retired for so long; return how many retired ones there were and how many went."""
    checked = await fetch_count(connection, _COUNT_RETIRED)
    return checked, len(await connection.fetch(_DELETE_RETIRED, age))
