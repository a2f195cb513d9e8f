"""SQL for mappings. Registration creates the mappings of the platform's operations, not this module."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from balcao.access.mappings.schemas import Mapping
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Json, Paged
from balcao.core.database.statements import statement

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
AND position(lower(:action_filter) IN lower(action.name)) > 0 AND (:service = '' OR mapping.service = :service)
"""


@statement(
    page_sql(
        f"""
        SELECT {_MEMBERS} {_LIVING} {_FILTER}
        ORDER BY mapping.path_pattern COLLATE "C", mapping.method COLLATE "C", mapping.id LIMIT :limit OFFSET :skip
        """,
        f"SELECT count(*) {_LIVING} {_FILTER}",
    )
)
async def list_mappings(
    connection: Connection, action_filter: str, service: str, limit: int | None, skip: int
) -> Paged[Mapping]:
    """Return a page of mappings by path and method, and the number of all matching mappings.

    A `limit` of None means no limit.
    """


# Read only mappings whose first segment may match.
@statement(f"""
SELECT {_MEMBERS} {_LIVING}
  AND mapping.method = :method
  AND (:first_segment::text IS NULL OR split_part(mapping.path_pattern, '/', 2) IN (:first_segment, '*', '**')
       OR mapping.path_pattern LIKE '/{{%')
""")
async def list_pattern_candidates(connection: Connection, method: str, first_segment: str | None) -> list[Mapping]:
    """Return the method's mappings that may match paths with this first segment. None means any first segment."""


@dataclass(frozen=True)
class FoundMapping:
    """A mapping, the code key of the action that the release declares, and the code key of the bound action.

    `is_system` is true if the mapping belongs to a platform operation.
    """

    mapping: Mapping
    floor: str
    declared: str | None
    code_key: str | None

    @property
    def is_system(self) -> bool:
        return self.mapping.operation is not None


@lookup(f"""
SELECT {_MEMBERS}, mapping.floor, mapping.declared_action AS declared, action.code_key
{_LIVING} AND mapping.id = :mapping_id
""")
async def select_mapping(source: Source, mapping_id: int) -> FoundMapping | None:
    """Return the mapping, or None. `mapping_id` must be at most `MAX_INT64`."""


@dataclass(frozen=True)
class FoundAction:
    name: str
    code_key: str | None


@statement("SELECT name, code_key FROM access.action WHERE id = :action_id")
async def find_bound_action(connection: Connection, action_id: int) -> FoundAction | None: ...


@statement(f"SELECT {_MEMBERS} {_LIVING} AND mapping.method = :method AND mapping.shape = :shape")
async def find_mapping_of_shape(connection: Connection, method: str, shape: str) -> Mapping | None: ...


@statement("""
INSERT INTO access.endpoint_mapping (method, path_pattern, action_id, description, created_by)
VALUES (:method, :pattern, :action_id, :description, :created_by)
RETURNING id
""")
async def insert_mapping(
    connection: Connection, method: str, pattern: str, action_id: int, description: str | None, created_by: str | None
) -> int:
    """Insert a mapping and return its id. No mapping with the same method and shape may exist."""


@statement("""
UPDATE access.endpoint_mapping
SET method = :method, path_pattern = :path_pattern, action_id = :action_id, description = :description,
    updated_at = now()
WHERE id = :id
""")
async def update_mapping(connection: Connection, mapping: Mapping) -> None: ...


@statement("DELETE FROM access.endpoint_mapping WHERE id = :mapping_id")
async def delete_mapping(connection: Connection, mapping_id: int) -> None: ...


# Delete retired mappings too, because they refer to the action.
@statement("""
DELETE FROM access.endpoint_mapping WHERE action_id = :action_id AND (operation_key IS NULL OR retired_at IS NOT NULL)
""")
async def delete_mappings_of_action(connection: Connection, action_id: int) -> None:
    """Delete the custom and retired mappings of an action that will be deleted, in the caller's transaction."""


@statement(f"""
DELETE FROM access.endpoint_mapping AS mapping USING access.action
WHERE action.id = mapping.action_id AND mapping.id IN (
    SELECT id FROM access.endpoint_mapping
    WHERE action_id = :action_id AND operation_key IS NULL ORDER BY id OFFSET :kept LIMIT :kept)
RETURNING {_MEMBERS}
""")
async def delete_mappings_beyond(connection: Connection, action_id: int, kept: int) -> list[Mapping]:
    """Keep the action's first `kept` custom mappings, and delete at most `kept` others. Return the deleted mappings."""


# EXISTS requires that some process has announced operations within `age`. Without this condition, an installation that
# was switched off for a day would retire every operation when it starts again.
@statement("""
UPDATE access.endpoint_mapping SET retired_at = now(), updated_at = now()
WHERE operation_key IS NOT NULL AND retired_at IS NULL AND announced_at < now() - :age::interval
  AND EXISTS (SELECT FROM access.endpoint_mapping WHERE announced_at >= now() - :age::interval)
RETURNING access.mapping_document(endpoint_mapping)
""")
async def retire_unserved_mappings(connection: Connection, age: timedelta) -> list[Json[dict[str, Any]]]:
    """Retire operations that no process has announced for `age`, and return their mappings."""


@statement("SELECT count(*) FROM access.endpoint_mapping WHERE retired_at IS NOT NULL")
async def count_retired_mappings(connection: Connection) -> int: ...


@statement("DELETE FROM access.endpoint_mapping WHERE retired_at <= now() - :age::interval")
async def delete_retired_mappings(connection: Connection, age: timedelta) -> int: ...


OFFERED = (delete_mappings_of_action,)
