"""Routes for the schema migrations."""

from typing import Annotated, TypeAlias

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.database.gauges import Gauge
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.parameters import InPath, Query
from balcao.core.http.responses import Response
from balcao.core.http.sent_headers import SentHeader, sending
from balcao.core.offloading import run_in_thread
from balcao.core.values.ids import UUID_PATTERN
from balcao.search.conventions import parse_page_parameters, respond_to_staff
from balcao.search.routes import ROUTES
from balcao.search.schema_migrations import service, store
from balcao.search.schema_migrations.jobs import JOBS
from balcao.search.schema_migrations.schemas import (
    AbortBody,
    History,
    HistoryQuery,
    IdentifiedStatus,
    MigrationStatus,
    RollbackBody,
    RunDetail,
    SchemaVersions,
    StartBody,
    StartedMigration,
    decode_abort,
    decode_rollback,
)

routes = ROUTES.extend(tags=["migration"])

MIGRATION_ID = SentHeader("X-Migration-ID", "O identificador da reversão.", "8d0c4a52-1f0e-4f0b-9a53-6d7b2e1c9f10")

MigrationIdInPath: TypeAlias = Annotated[
    str, InPath(str, "Identificador da execução", "0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60", f"^{UUID_PATTERN}$")
]


@routes.post(
    "/api/v1/admin/migration/start",
    "search.start_migration",
    action("search_migration:start"),
    "Inicia uma migração de esquema",
    example={"schema_version": "v3", "dry_run": True},
    errors=[409],
)
async def start_migration(call: Call, body: StartBody) -> Response[StartedMigration]:
    """Inicia a migração da coleção para uma versão de esquema e responde imediatamente; acompanhe-a pelo estado.
    Leituras e gravações não esperam por ela, e a troca das tabelas dura milissegundos. Com `dry_run`, converte todos os
    serviços em uma tabela temporária, por até um minuto, e responde com um relatório: nada muda. Enquanto há uma
    migração em andamento, a resposta é 409.
    """
    return respond_to_staff(await service.start_migration(call, body))


@routes.get(
    "/api/v1/admin/migration/status",
    "search.read_migration_status",
    action("search_migration:read"),
    "Mostra o estado da migração de esquema",
)
async def get_migration_status(call: Call) -> Response[IdentifiedStatus]:
    """Devolve a execução mais recente: a que está em andamento ou a última. `is_locked` diz que outra mudança de
    esquema teria de esperar; serviços podem ser gravados sempre.
    """
    return respond_to_staff(await service.read_current_status(call))


@routes.get(
    "/api/v1/admin/migration/schemas",
    "search.list_schema_versions",
    action("search_migration:read"),
    "Lista as versões de esquema",
)
async def get_schema_versions(call: Call) -> Response[SchemaVersions]:
    """Devolve a versão de esquema em uso e as que uma migração pode pedir."""
    return respond_to_staff(await service.list_schemas(call))


@routes.get(
    "/api/v1/admin/migration/runs/{migration_id}",
    "search.read_migration",
    action("search_migration:read"),
    "Mostra uma execução",
)
async def get_migration(call: Call, migration_id: MigrationIdInPath) -> Response[RunDetail]:
    """Devolve tudo o que está registrado de uma migração ou reversão: a etapa, a verificação, os serviços que não
    puderam ser convertidos e se pode ser desfeita agora.
    """
    return respond_to_staff(await service.read_run(call, migration_id))


@routes.post(
    "/api/v1/admin/migration/abort",
    "search.abort_migration",
    action("search_migration:start"),
    "Aborta a migração em andamento",
    example={"reason": "Fica para depois do expediente."},
    errors=[404, 409],
    described_body=AbortBody,
)
async def abort_migration(call: Call, content: bytes) -> Response[IdentifiedStatus]:
    """Termina a migração em andamento como falha; a coleção fica como está e nenhuma gravação se perde. Depois que a
    troca começa, a resposta é 409: espere e desfaça a migração.
    """
    body = await run_in_thread(decode_abort, content, size=len(content))
    return respond_to_staff(await service.abort_migration(call, body))


@routes.post(
    "/api/v1/admin/migration/rollback",
    "search.roll_back_migration",
    action("search_migration:rollback"),
    "Desfaz a última migração de esquema",
    example={"reason": "A busca piorou com o esquema novo."},
    errors=[404, 409],
    described_body=RollbackBody,
)
@sending(MIGRATION_ID)
async def roll_back_migration(call: Call, content: bytes) -> Response[MigrationStatus]:
    """Devolve a coleção ao esquema anterior, sem perder o que foi gravado depois da migração, e responde com o estado
    da reversão; o cabeçalho `X-Migration-ID` a identifica. Só é possível por sete dias, e uma única vez; se há
    gravações em curso, a resposta é 503 e nada muda: tente de novo.
    """
    body = await run_in_thread(decode_rollback, content, size=len(content))
    run_id, status = await service.roll_back_migration(call, body)
    return respond_to_staff(status, {MIGRATION_ID.name: run_id})


@routes.get(
    "/api/v1/admin/migration/history",
    "search.read_migration_history",
    action("search_migration:read"),
    "Lista as migrações de esquema",
    query=HistoryQuery,
)
async def get_migration_history(call: Call, query: Query) -> Response[History]:
    """Devolve as migrações e reversões do catálogo de serviços, da mais nova à mais antiga. Um parâmetro fora dos
    limites vale como ausente; uma página além do fim é vazia.
    """
    return respond_to_staff(await service.read_history(call, *parse_page_parameters(query)))


FEATURE = Feature(
    routes=routes.declared,
    jobs=JOBS,
    gauges=[
        Gauge(
            "balcao_search_migration_progress",
            "Progress of the running schema migration in percent",
            ("phase",),
            store.find_progress,
        )
    ],
    exports=Exports(tables=("search.search_migrations", "search.search_migration_errors")),
)
