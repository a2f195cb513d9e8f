"""Wire types of the schema migrations."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from balcao.core.http.decoding import decode

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
    """Both members may be left out, null or empty: then the newest migration is rolled back."""

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
    """Decode the optional body of a rollback; no body is an empty object. Raises Invalid."""
    return decode(content, RollbackBody) if content.strip() else RollbackBody()


class StartBody(msgspec.Struct):
    """Which registered schema version the collection shall have."""

    schema_version: str
    reason: str | None = None


class MigrationStatus(msgspec.Struct):
    """The state of a run (spec: migration status). Instants in unix seconds, 0 when unset."""

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


class HistoryEntry(msgspec.Struct):
    """A run in the list of runs (spec: migration history entry)."""

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
    """`found` and `out_of` both count all runs."""

    found: Annotated[int, Meta(description="Número de execuções registradas.", examples=[1])]
    migrations: Annotated[list[HistoryEntry], Meta(description="Execuções da página, da mais nova à mais antiga.")]
    out_of: Annotated[int, Meta(description="O mesmo que `found`.", examples=[1])]
    page: Annotated[int, Meta(description="Página mostrada.", examples=[1])]


class HistoryQuery(msgspec.Struct):
    """A value out of its range counts as absent."""

    page: Annotated[int, Meta(ge=1, description="Página, a partir de 1.", examples=[1])] = 1
    per_page: Annotated[int, Meta(ge=1, le=100, description="Execuções por página, até 100.", examples=[10])] = 10
