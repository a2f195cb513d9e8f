"""SQL for request types and their versions."""

from collections.abc import Sequence

import asyncpg

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import name_order_sql, page_sql
from balcao.core.database.results import Json, Paged
from balcao.core.database.statements import statement
from balcao.core.errors import Conflict
from balcao.core.values.page import Page
from balcao.registry.requests.types.schemas import Definition, RequestType

_TYPE = """
version.definition || jsonb_build_object(
    'id', version.type, 'version', version.version, 'updated_at', version.created_at)
"""
_CURRENT = f"""
SELECT ({_TYPE})::text AS type
FROM registry.request_type AS current
JOIN registry.request_type_version AS version ON version.type = current.id AND version.version = current.version
"""
_ORDER = ", ".join([name_order_sql("definition ->> 'category'"), name_order_sql("definition ->> 'name'"), "id"])


@statement(f"{_CURRENT} WHERE :inactive OR (definition ->> 'active')::boolean ORDER BY {_ORDER}")
async def list_request_types(connection: Connection, inactive: bool) -> list[Json[RequestType]]:
    """Return the current version of each type. Inactive types are included only if `inactive` is true."""


@lookup(f"{_CURRENT} WHERE current.id = :type_id")
async def select_request_type(source: Source, type_id: str) -> Json[RequestType] | None: ...


# Snapshot: the lock and the read are two statements. In one statement, a join that has waited for an edit would compare
# the new version number with the version row that it found before the wait, and return no row.
@statement("SELECT FROM registry.request_type WHERE id = :type_id FOR UPDATE")
async def _lock_type(connection: Connection, type_id: str) -> None: ...


@statement("SELECT FROM registry.request_type WHERE id = :type_id FOR SHARE")
async def _hold_type(connection: Connection, type_id: str) -> None: ...


async def lock_request_type(connection: Connection, type_id: str) -> Json[RequestType] | None:
    """Return the current version, and lock the type until the transaction ends."""
    await _lock_type(connection, type_id)
    return await select_request_type(connection, type_id)


async def hold_request_type(connection: Connection, type_id: str) -> Json[RequestType] | None:
    """Return the current version. No other transaction can create a new version until this transaction ends."""
    await _hold_type(connection, type_id)
    return await select_request_type(connection, type_id)


@statement(f"""
SELECT ({_TYPE})::text FROM registry.request_type_version AS version
WHERE type = :type_id AND version = :number
""")
async def select_type_version(connection: Connection, type_id: str, number: int) -> Json[RequestType] | None: ...


@statement(
    page_sql(
        f"""SELECT ({_TYPE})::text AS version FROM registry.request_type_version AS version
        WHERE type = :type_id ORDER BY version.version DESC LIMIT :limit OFFSET :offset""",
        "SELECT count(*) FROM registry.request_type_version WHERE type = :type_id",
    )
)
async def list_type_versions(connection: Connection, type_id: str, page: Page) -> Paged[Json[RequestType]]: ...


async def insert_request_type(connection: Connection, type_id: str) -> None:
    """Add a type that has no version yet. Raises Conflict if the id is taken."""
    try:
        await _insert_request_type(connection, type_id)
    except asyncpg.UniqueViolationError:
        raise Conflict("Já há um tipo de pedido com este `id`.", code="request-type-exists") from None


@statement("INSERT INTO registry.request_type (id, version) VALUES (:type_id, 1)")
async def _insert_request_type(connection: Connection, type_id: str) -> None: ...


@statement("""
WITH moved AS (
    UPDATE registry.request_type SET version = :number, updated_at = clock_timestamp() WHERE id = :type_id
)
INSERT INTO registry.request_type_version (type, version, definition) VALUES (:type_id, :number, :definition::jsonb)
""")
async def insert_type_version(connection: Connection, type_id: str, number: int, definition: Definition) -> None:
    """Add a version of the type, and make it the current one."""


@statement("""
SELECT given FROM unnest(:codes::text[]) AS given
WHERE NOT EXISTS (SELECT FROM registry.department WHERE cd_ua = given) LIMIT 1
""")
async def find_unknown_department(connection: Connection, codes: Sequence[str]) -> str | None: ...


@statement("SELECT count(*) FROM registry.request_type")
async def count_request_types(connection: Connection) -> int: ...


OFFERED = (select_type_version,)
