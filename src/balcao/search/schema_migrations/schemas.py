"""Wire types of the schema migrations."""

from typing import Annotated, Literal

import msgspec

Status = Literal["idle", "in_progress", "completed", "failed", "rollback"]


class RollbackBody(msgspec.Struct):
    """Both members may be left out, null or empty: then the newest migration is rolled back."""

    migration_id: str | None = None
    reason: str | None = None


class StartBody(msgspec.Struct):
    """Which registered schema version the collection shall have."""

    schema_version: str
    reason: str | None = None


class MigrationStatus(msgspec.Struct):
    """The state of a run (spec: migration status). Instants in unix seconds, 0 when unset."""

    backup_collection: str
    completed_at: int
    error_message: str
    is_locked: bool
    migrated_documents: int
    progress: int
    schema_version: str
    source_collection: str
    started_at: int
    started_by: str
    status: Status
    target_collection: str
    total_documents: int


class HistoryEntry(msgspec.Struct):
    """A run in the list of runs (spec: migration history entry)."""

    id: str
    completed_at: int
    error_message: str
    previous_schema_version: str
    schema_version: str
    started_at: int
    started_by: str
    status: Status
    total_documents: int


class History(msgspec.Struct):
    """`found` and `out_of` both count all runs."""

    found: int
    migrations: list[HistoryEntry]
    out_of: int
    page: int


class HistoryQuery(msgspec.Struct):
    """A value out of its range counts as absent."""

    page: Annotated[int, msgspec.Meta(ge=1)] = 1
    per_page: Annotated[int, msgspec.Meta(ge=1, le=100)] = 10
