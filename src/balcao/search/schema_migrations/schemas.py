"""Wire types for the schema migrations."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from balcao.core.http.decoding import decode
from balcao.search.control_queries.schemas import ControlReport

Status = Annotated[
    Literal["idle", "in_progress", "completed", "failed", "rollback"],
    Meta(description="Estado da execução; `rollback` é uma reversão, já concluída."),
]
RunId = Annotated[
    str, Meta(description="Identificador da execução (UUID).", examples=["0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60"])
]
SchemaVersion = Annotated[str, Meta(description="Versão de esquema para a qual a coleção foi.", examples=["v3"])]
FormerSchemaVersion = Annotated[str, Meta(description="Versão de esquema de antes da execução.", examples=["v2"])]
Table = Annotated[str, Meta(examples=["services_v3_20261005_173000"])]
StartedAt = Annotated[int, Meta(description="Início, em segundos Unix.", examples=[1791232200])]
CompletedAt = Annotated[int, Meta(description="Fim, em segundos Unix; 0 enquanto não terminou.", examples=[1791232212])]
StartedBy = Annotated[str, Meta(description="Nome de quem iniciou a execução.", examples=["Kleber Assis"])]
ErrorMessage = Annotated[str, Meta(description="O que falhou; vazio quando nada falhou.", examples=[""])]
Total = Annotated[int, Meta(description="Serviços na coleção de origem.", examples=[44])]


class RollbackBody(msgspec.Struct):
    """The migration to roll back, and the reason.

    Without `migration_id`, the newest migration is rolled back.
    """

    migration_id: Annotated[
        str | None,
        Meta(
            description="Migração a desfazer; sem ela, a mais recente. Só a mais recente pode ser desfeita.",
            examples=["0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60"],
        ),
    ] = None
    reason: Annotated[
        str | None,
        Meta(description="Motivo, até 2000 caracteres.", examples=["A busca piorou com o esquema novo."]),
    ] = None


def decode_rollback(content: bytes) -> RollbackBody:
    """Decode the body of a rollback. An empty body counts as an empty object. Raises Invalid for a bad body."""
    return decode(content, RollbackBody) if content.strip() else RollbackBody()


class StartBody(msgspec.Struct):
    """The requested schema version. The member `async` of older clients is ignored."""

    schema_version: Annotated[
        str,
        Meta(
            description="Versão de esquema desejada: uma das conhecidas, também a atual, para reconstruir a coleção.",
            examples=["v3"],
        ),
    ]
    dry_run: Annotated[
        bool,
        Meta(description="Só experimentar: converte todos os serviços, responde com um relatório e não muda nada."),
    ] = False
    reason: Annotated[
        str | None, Meta(description="Motivo, até 2000 caracteres.", examples=["Endereços legíveis para os serviços."])
    ] = None


class AbortBody(msgspec.Struct):
    """The migration to abort, and the reason. Without `migration_id`, the one in progress is aborted."""

    migration_id: Annotated[
        str | None,
        Meta(
            description="Migração a abortar; sem ela, a que está em andamento.",
            examples=["0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60"],
        ),
    ] = None
    reason: Annotated[
        str | None, Meta(description="Motivo, até 2000 caracteres.", examples=["Fica para depois do expediente."])
    ] = None


def decode_abort(content: bytes) -> AbortBody:
    """Decode the body of an abort. An empty body counts as an empty object. Raises Invalid for a bad body."""
    return decode(content, AbortBody) if content.strip() else AbortBody()


class MigrationStatus(msgspec.Struct):
    """The state of a run (spec: migration status). Times are Unix seconds, or 0 if they are not set."""

    backup_collection: Annotated[Table, Meta(description="Coleção guardada para uma reversão; vazio se não há.")]
    completed_at: CompletedAt
    error_message: ErrorMessage
    is_locked: Annotated[bool, Meta(description="Verdadeiro enquanto a execução está em andamento.", examples=[False])]
    migrated_documents: Annotated[int, Meta(description="Serviços já copiados.", examples=[44])]
    progress: Annotated[int, Meta(description="Andamento, de 0 a 100.", examples=[100])]
    schema_version: SchemaVersion
    source_collection: Annotated[Table, Meta(description="Coleção de origem.")]
    started_at: StartedAt
    started_by: StartedBy
    status: Status
    target_collection: Annotated[Table, Meta(description="Coleção de destino.")]
    total_documents: Total


class RefusedService(msgspec.Struct):
    """A service that cannot be converted to the new schema version."""

    service_id: Annotated[str, Meta(description="Identificador do serviço.")]
    field: Annotated[str | None, Meta(description="Campo em que falhou, quando se sabe qual.", examples=[None])]
    reason: Annotated[
        str,
        Meta(
            description="`SQLSTATE` e o código do banco, ou `REVERSE`: a volta não devolve o serviço como era.",
            examples=["SQLSTATE 22012"],
        ),
    ]


class ChangedField(msgspec.Struct):
    """A field that the new schema version adds, removes or changes."""

    field: Annotated[str, Meta(description="Nome do campo.", examples=["slug"])]
    rows: Annotated[int, Meta(description="Em quantos serviços.", examples=[44])]


class DryRunReport(msgspec.Struct):
    """The report of a dry run."""

    checked: Annotated[int, Meta(description="Serviços experimentados.", examples=[44])]
    failed: Annotated[int, Meta(description="Serviços que não podem ser convertidos.", examples=[0])]
    failures: Annotated[list[RefusedService], Meta(description="Os primeiros 100 que não podem ser convertidos.")]
    fields_changed: Annotated[list[ChangedField], Meta(description="Campos que mudam, por nome.")]
    estimated_seconds: Annotated[int, Meta(description="Duração estimada da migração, em segundos.", examples=[1])]


MigrationId = Annotated[
    str | None,
    Meta(
        description="Identificador da execução (UUID); nulo se não há nenhuma.",
        examples=["0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60"],
    ),
]


class IdentifiedStatus(MigrationStatus):
    """The state of a run with its id."""

    migration_id: MigrationId


class StartedMigration(IdentifiedStatus):
    """The state of a new run. A dry run has a report instead of an id."""

    dry_run: Annotated[DryRunReport, Meta(description="Relatório do ensaio; só com `dry_run`.")] | msgspec.UnsetType = (
        msgspec.UNSET
    )


class SchemaVersions(msgspec.Struct):
    """The current schema version and those that a migration can install."""

    current_version: Annotated[str, Meta(description="Versão de esquema em uso.", examples=["v3"])]
    available_versions: Annotated[
        list[str], Meta(description="Versões conhecidas, em ordem crescente.", examples=[["v1", "v2", "v3"]])
    ]


class Verification(msgspec.Struct):
    """The result of the table comparison before the switch."""

    compared: Annotated[int, Meta(description="Serviços comparados, um a um, pelo conteúdo.", examples=[44])]
    differing: Annotated[int, Meta(description="Serviços que não ficaram iguais.", examples=[0])]


class RunDetail(IdentifiedStatus):
    """All recorded data about a run, except its worker and lease."""

    kind: Annotated[Literal["migration", "rollback"], Meta(description="Migração ou reversão.")]
    phase: Annotated[
        Literal["preparing", "back_fill", "indexing", "verifying", "switching", "done"],
        Meta(description="Etapa em que está, ou em que falhou."),
    ]
    previous_schema_version: FormerSchemaVersion
    reason: Annotated[str | None, Meta(description="Motivo informado.", examples=[None])]
    rolled_back_by: Annotated[str | None, Meta(description="Reversão que a desfez.", examples=[None])]
    rollback_until: Annotated[int, Meta(description="Até quando pode ser desfeita, em segundos Unix; 0: não pode.")]
    last_key: Annotated[str | None, Meta(description="Último serviço copiado.", examples=[None])]
    resumes: Annotated[int, Meta(description="Vezes em que foi retomada desde o último avanço.", examples=[0])]
    verification: Annotated[Verification | None, Meta(description="Resultado da verificação.")]
    control_queries: Annotated[
        ControlReport | None, Meta(description="O que a migração muda nos resultados das buscas de controle.")
    ]
    errors: Annotated[list[RefusedService], Meta(description="Os primeiros 100 serviços que não puderam ser gravados.")]
    rollback_possible: Annotated[bool, Meta(description="Verdadeiro se pode ser desfeita agora.", examples=[True])]


class HistoryEntry(msgspec.Struct):
    """A run in the history (spec: migration history entry)."""

    id: RunId
    completed_at: CompletedAt
    error_message: ErrorMessage
    previous_schema_version: FormerSchemaVersion
    schema_version: SchemaVersion
    started_at: StartedAt
    started_by: StartedBy
    status: Status
    total_documents: Total


class History(msgspec.Struct):
    """A page of the runs. `found` and `out_of` both count all runs."""

    found: Annotated[int, Meta(description="Número de execuções registradas.", examples=[1])]
    migrations: Annotated[list[HistoryEntry], Meta(description="Execuções da página, da mais nova à mais antiga.")]
    out_of: Annotated[int, Meta(description="O mesmo que `found`.", examples=[1])]
    page: Annotated[int, Meta(description="Página mostrada.", examples=[1])]


class HistoryQuery(msgspec.Struct):
    """The query for the history. A value out of range counts as absent."""

    page: Annotated[int, Meta(ge=1, description="Página, a partir de 1.", examples=[1])] = 1
    per_page: Annotated[int, Meta(ge=1, le=100, description="Execuções por página, até 100.", examples=[10])] = 10
