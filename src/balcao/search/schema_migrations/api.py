"""Routes of the schema migrations."""

from typing import Annotated, TypeAlias

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.parameters import InPath, Query
from balcao.core.http.responses import Response
from balcao.core.http.sent_headers import SentHeader, sending
from balcao.core.values.ids import UUID_PATTERN
from balcao.search.conventions import parse_page, respond_to_staff
from balcao.search.schema_migrations import service
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

routes = Routes(tags=["migration"])

MIGRATION_ID = SentHeader("X-Migration-ID", "O identificador da reversão.", "8d0c4a52-1f0e-4f0b-9a53-6d7b2e1c9f10")

MigrationIdInPath: TypeAlias = Annotated[
    str, InPath(str, "Identificador da execução", "0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60", f"^{UUID_PATTERN}$")
]


@routes.post(
    "/api/v1/admin/migration/start",
    "search.start_migration",
    action("search_migration:start"),
    "Inicia uma migração de esquema",
    description=(
        "Inicia a migração da coleção para uma versão de esquema e responde logo; acompanhe-a pelo estado. Ninguém "
        "espera por ela: leituras e gravações seguem como sempre, e a troca dura milissegundos. Exige a ação "
        "`search_migration:start`. Com `dry_run`, converte todos os serviços em uma tabela temporária, por até um "
        "minuto, e responde com um relatório: nada muda. Enquanto há uma migração em andamento a resposta é 409."
    ),
    example={"schema_version": "v3", "dry_run": True},
    errors=[400, 409],
)
async def start_migration(call: Call, body: StartBody) -> Response[StartedMigration]:
    """Begin a migration, or rehearse one."""
    return respond_to_staff(await service.start(call, body))


@routes.get(
    "/api/v1/admin/migration/status",
    "search.read_migration_status",
    action("search_migration:read"),
    "Mostra o estado da migração de esquema",
    description=(
        "Devolve a execução mais recente: a que está em andamento ou a última. `is_locked` só diz que outra mudança de "
        "esquema teria de esperar; gravar serviços é sempre possível. Exige a ação `search_migration:read`."
    ),
)
async def read_migration_status(call: Call) -> Response[IdentifiedStatus]:
    """Return the newest run."""
    return respond_to_staff(await service.read_current_status(call))


@routes.get(
    "/api/v1/admin/migration/schemas",
    "search.list_schema_versions",
    action("search_migration:read"),
    "Lista as versões de esquema",
    description=(
        "Devolve a versão de esquema em uso e as que uma migração pode pedir. Exige a ação `search_migration:read`."
    ),
)
async def list_schema_versions(call: Call) -> Response[SchemaVersions]:
    """Return the schema version in use and the known ones."""
    return respond_to_staff(await service.list_schemas(call))


@routes.get(
    "/api/v1/admin/migration/runs/{migration_id}",
    "search.read_migration",
    action("search_migration:read"),
    "Mostra uma execução",
    description=(
        "Devolve tudo o que está registrado de uma migração ou reversão: a etapa, a verificação, os serviços que não "
        "puderam ser convertidos e se pode ser desfeita agora. Exige a ação `search_migration:read`."
    ),
    errors=[404],
)
async def read_migration(call: Call, migration_id: MigrationIdInPath) -> Response[RunDetail]:
    """Return everything recorded of a run."""
    return respond_to_staff(await service.read_run(call, migration_id))


@routes.post(
    "/api/v1/admin/migration/abort",
    "search.abort_migration",
    action("search_migration:start"),
    "Aborta a migração em andamento",
    description=(
        "Termina a migração em andamento como falha; a coleção fica como está e nenhuma gravação se perde. Exige a "
        "ação `search_migration:start`. Depois que a troca começa a resposta é 409: espere e desfaça a migração."
    ),
    example={"reason": "Fica para depois do expediente."},
    errors=[400, 404, 409],
    described_body=AbortBody,
)
async def abort_migration(call: Call, content: bytes) -> Response[IdentifiedStatus]:
    """End the run under way."""
    return respond_to_staff(await service.abort(call, decode_abort(content)))


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
@sending(MIGRATION_ID)
async def roll_back_migration(call: Call, content: bytes) -> Response[MigrationStatus]:
    """Undo the newest migration, or the named one if it is the newest."""
    run_id, status = await service.roll_back(call, decode_rollback(content))
    return respond_to_staff(status, {MIGRATION_ID.name: run_id})


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
