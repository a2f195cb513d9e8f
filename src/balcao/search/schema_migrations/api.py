"""Routes of the schema migrations."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.parameters import Query
from balcao.core.http.responses import Response
from balcao.search.conventions import parse_page, respond_to_staff
from balcao.search.schema_migrations import service
from balcao.search.schema_migrations.schemas import (
    History,
    HistoryQuery,
    MigrationStatus,
    RollbackBody,
    decode_rollback,
)

routes = Routes(tags=["migration"])


@routes.post(
    "/api/v1/admin/migration/rollback",
    "search.roll_back_migration",
    action("search_migration:rollback"),
    "Desfaz a última migração de esquema",
    description=(
        "Devolve a coleção ao esquema anterior, sem perder o que foi gravado depois da migração, e responde com o "
        "estado da reversão; o cabeçalho `X-Migration-ID` a identifica. Exige a ação `search_migration:rollback`. Vale"
        " por sete dias e uma só vez; se há gravações em curso, a resposta é 503 e nada muda: tente de novo."
    ),
    example={"reason": "A busca piorou com o esquema novo."},
    errors=[400, 404, 409],
    described_body=RollbackBody,
)
async def roll_back_migration(call: Call, content: bytes) -> Response[MigrationStatus]:
    """Undo the newest migration, or the named one if it is the newest."""
    run_id, status = await service.roll_back(call, decode_rollback(content))
    return respond_to_staff(status, {"X-Migration-ID": run_id})


@routes.get(
    "/api/v1/admin/migration/history",
    "search.read_migration_history",
    action("search_migration:read"),
    "Lista as migrações de esquema",
    description=(
        "Devolve as migrações e reversões do catálogo de serviços, da mais nova à mais antiga. Exige a ação "
        "`search_migration:read`. Um parâmetro fora dos limites vale como ausente; uma página além do fim é vazia."
    ),
    query=HistoryQuery,
)
async def read_migration_history(call: Call, query: Query) -> Response[History]:
    """Return a page of the runs, newest first."""
    return respond_to_staff(await service.read_history(call, *parse_page(query)))
