"""Routes of the schema migrations."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.parameters import Query
from balcao.core.http.responses import Response
from balcao.search.conventions import page_of, staff_answer
from balcao.search.schema_migrations import orders, service
from balcao.search.schema_migrations.schemas import History, HistoryQuery, MigrationStatus, RollbackBody

routes = Routes(tags=["migration"])


@routes.post(
    "/api/v1/admin/migration/rollback",
    "search.roll_back_migration",
    action("search_migration:rollback"),
    "Desfaz a última migração de esquema",
    errors=[400, 404, 409],
    described_body=RollbackBody,
)
async def roll_back_migration(call: Call, content: bytes) -> Response[MigrationStatus]:
    run_id, status = await service.rollback(call, orders.rollback(content))
    return staff_answer(status, {"X-Migration-ID": run_id})


@routes.get(
    "/api/v1/admin/migration/history",
    "search.read_migration_history",
    action("search_migration:read"),
    "Lista as migrações de esquema",
    query=HistoryQuery,
)
async def read_migration_history(call: Call, query: Query) -> Response[History]:
    return staff_answer(await service.read_history(call, *page_of(query)))
