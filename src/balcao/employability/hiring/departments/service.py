"""Departments of jobs: copies of the registry's records, refreshed once a day (rules: employability 3.3)."""

from collections.abc import Iterable
from datetime import timedelta
from urllib.parse import quote

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid, Unavailable
from balcao.core.outgoing import ServiceClient
from balcao.employability.hiring.departments import store
from balcao.employability.hiring.departments.schemas import Department

FRESH = timedelta(hours=24)
BUDGET_SECONDS = 2.0


async def require_department(call: Call, cd_ua: str) -> None:
    """Raise Invalid if the department is not in the registry, and Unavailable if this cannot be checked.

    A copy less than a day old is used without a call to the registry. While the registry is down, an older copy is
    enough.
    """
    async with call.platform.database.connection() as connection:
        copy = await store.read_department_copy(connection, cd_ua, FRESH)
    if copy is not None and copy.is_fresh:
        return
    try:
        found = await refresh_department(call, cd_ua)
    except Unavailable:
        if copy is None:
            raise
    else:
        if found is None:
            raise Invalid("O campo `id_orgao_parceiro` não é o código de um órgão.", code="department-unknown")


async def refresh_department(call: Call, cd_ua: str) -> Department | None:
    """Read a department from the registry and store it.

    Return None if it is not in the registry. Raises Unavailable if the registry is down.
    """
    registry = call.platform.part(ServiceClient)
    path = f"/departments/{quote(cd_ua, safe='')}"
    record = await registry.get(path, seconds=BUDGET_SECONDS, request_id=call.request_id)
    if record is None:
        return None
    department = Department(record.get("id"), cd_ua, record.get("nome_ua"), record.get("sigla_ua"))
    await save_department(call, department)
    return department


async def save_department(call: Call, department: Department) -> None:
    """Store a department that was read from the registry."""
    async with call.platform.database.connection() as connection:
        await store.upsert_department(connection, department)


async def add_departments(connection: Connection, codes: Iterable[str]) -> None:
    """Store the department codes of an import. The next daily refresh reads their details from the registry."""
    await store.insert_missing_departments(connection, sorted(set(codes)))


async def refresh_stale_departments(call: Call) -> None:
    """Refresh the copies that are at least a day old or were never read. Raises Unavailable if the registry is down."""
    async with call.platform.database.connection() as connection:
        codes = await store.list_stale_departments(connection, FRESH)
    for cd_ua in codes:
        await refresh_department(call, cd_ua)
