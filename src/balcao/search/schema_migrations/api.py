"""Routes of the schema migrations."""

from typing import Any

from litestar import Request, Response

from balcao.core.access.rules import action
from balcao.core.http.operations import CurrentCall, operation, query_of
from balcao.search.conventions import page_of, staff_answer
from balcao.search.schema_migrations import orders, service
from balcao.search.schema_migrations.schemas import History, HistoryQuery, MigrationStatus, RollbackBody


@operation(
    "POST",
    "/api/v1/admin/migration/rollback",
    "search.roll_back_migration",
    action("search_migration:rollback"),
    "Desfaz a última migração de esquema",
    errors=[400, 404, 409],
    describes_body=RollbackBody,
    tags=["migration"],
)
async def roll_back_migration(call: CurrentCall, request: Request[Any, Any, Any]) -> Response[MigrationStatus]:
    run_id, status = await service.rollback(call, orders.rollback(await request.body()))
    return staff_answer(status, {"X-Migration-ID": run_id})


@operation(
    "GET",
    "/api/v1/admin/migration/history",
    "search.read_migration_history",
    action("search_migration:read"),
    "Lista as migrações de esquema",
    query=HistoryQuery,
    tags=["migration"],
)
async def read_migration_history(call: CurrentCall, request: Request[Any, Any, Any]) -> Response[History]:
    return staff_answer(await service.read_history(call, *page_of(query_of(request))))


ROUTES = [roll_back_migration, read_migration_history]
