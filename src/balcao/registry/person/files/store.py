"""SQL for citizens' files, the records that refer to them, and files whose content is to be deleted."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Paged
from balcao.core.database.statements import statement
from balcao.core.files.detection import MediaType
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.registry.person.files.schemas import CitizenFile

# How long a file that no record refers to is retained.
UNUSED_HOURS = 24
_COLUMNS = f"""
id::text, media_type, size, encode(digest, 'hex') AS sha256, width, height, created_at,
unused_since + interval '{UNUSED_HOURS} hours' AS expires_at
"""
_OF_PERSON = f"SELECT {_COLUMNS} FROM registry.citizen_file WHERE cpf = :cpf"


class NewFile(NamedTuple):
    """A new file, before its row is inserted."""

    id: UUID
    media_type: MediaType
    size: int
    digest: bytes
    width: int | None
    height: int | None


class Held(NamedTuple):
    """The number of a person's files, and their total size."""

    files: int
    bytes: int


@statement("SELECT files, bytes FROM registry.hold_own_files(:cpf)")
async def hold_own_files(connection: Connection, cpf: Cpf) -> Held:
    """Count the person's files. Until the transaction ends, no other call can add a file."""


@lookup("SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM registry.citizen_file WHERE cpf = :cpf")
async def count_own_files(source: Source, cpf: Cpf) -> Held: ...


@statement(f"""
INSERT INTO registry.citizen_file (cpf, id, media_type, size, digest, width, height)
VALUES (:cpf, :file.id, :file.media_type, :file.size, :file.digest, :file.width, :file.height)
RETURNING {_COLUMNS}
""")
async def insert_file(connection: Connection, cpf: Cpf, file: NewFile) -> CitizenFile: ...


@lookup(
    page_sql(
        f"{_OF_PERSON} ORDER BY created_at DESC, id DESC LIMIT :limit OFFSET :offset",
        "SELECT count(*) FROM registry.citizen_file WHERE cpf = :cpf",
    )
)
async def select_files(source: Source, cpf: Cpf, page: Page) -> Paged[CitizenFile]: ...


@lookup(f"{_OF_PERSON} AND id = :id")
async def select_file(source: Source, cpf: Cpf, id: UUID) -> CitizenFile | None: ...


@statement(f"{_OF_PERSON} ORDER BY created_at, id")
async def select_all_files(connection: Connection, cpf: Cpf) -> list[CitizenFile]: ...


# A record that refers to the file sets `unused_since` to null in its transaction. PostgreSQL checks the condition again
# after waiting for that transaction.
@statement("""
WITH deleted AS (
    DELETE FROM registry.citizen_file AS file
    WHERE cpf = :cpf AND id = :id AND unused_since IS NOT NULL
      AND NOT EXISTS (SELECT FROM registry.file_use AS use WHERE use.cpf = file.cpf AND use.file_id = file.id)
    RETURNING id
)
INSERT INTO registry.deleted_file (id) SELECT id FROM deleted RETURNING true
""")
async def delete_unused_file(connection: Connection, cpf: Cpf, id: UUID) -> bool:
    """Delete a file that no record refers to. Return whether it was deleted."""


# Lock order: files in the order of their ids. When a record releases a file, `unused_since` may be set although another
# record has just started to refer to the file, so the condition checks both.
@statement(f"""
WITH expired AS (
    SELECT cpf, id FROM registry.citizen_file AS file
    WHERE unused_since < clock_timestamp() - interval '{UNUSED_HOURS} hours'
      AND NOT EXISTS (SELECT FROM registry.file_use AS use WHERE use.cpf = file.cpf AND use.file_id = file.id)
    ORDER BY id LIMIT :most FOR UPDATE SKIP LOCKED
), deleted AS (
    DELETE FROM registry.citizen_file AS file USING expired
    WHERE file.cpf = expired.cpf AND file.id = expired.id
    RETURNING file.id
)
INSERT INTO registry.deleted_file (id) SELECT id FROM deleted RETURNING id
""")
async def delete_expired_files(connection: Connection, most: int) -> list[UUID]:
    """Delete up to `most` files that have been unused for too long, and return their ids."""


@statement("""
WITH released AS (
    DELETE FROM registry.file_use WHERE cpf = :cpf
), deleted AS (
    DELETE FROM registry.citizen_file WHERE cpf = :cpf RETURNING id
)
INSERT INTO registry.deleted_file (id) SELECT id FROM deleted RETURNING id
""")
async def erase_files(connection: Connection, cpf: Cpf) -> list[UUID]:
    """Delete all of a person's files, and return their ids."""


@statement("""
SELECT id FROM registry.citizen_file WHERE cpf = :cpf AND id = ANY(:ids::uuid[]) ORDER BY id FOR NO KEY UPDATE
""")
async def lock_files(connection: Connection, cpf: Cpf, ids: Sequence[UUID]) -> list[UUID]:
    """Lock files of the person until the transaction ends, and return the ids of those that exist."""


@statement("""
WITH used AS (
    UPDATE registry.citizen_file SET unused_since = NULL
    WHERE cpf = :cpf AND id = ANY(:ids::uuid[])
    RETURNING id, media_type
), referred AS (
    INSERT INTO registry.file_use (cpf, file_id, holder, holder_id)
    SELECT :cpf, id, :holder, :holder_id FROM used
    ON CONFLICT (cpf, file_id, holder, holder_id) DO UPDATE SET holder = excluded.holder
)
SELECT media_type FROM used
""")
async def use_files(
    connection: Connection, cpf: Cpf, ids: Sequence[UUID], holder: str, holder_id: UUID
) -> list[MediaType]:
    """Register that a record refers to these files of the person. Return the types of the files that exist."""


@statement("""
WITH released AS (
    DELETE FROM registry.file_use
    WHERE cpf = :cpf AND holder = :holder AND holder_id = :holder_id AND file_id <> ALL(:keep::uuid[])
    RETURNING file_id
)
UPDATE registry.citizen_file AS file SET unused_since = clock_timestamp()
WHERE cpf = :cpf AND id IN (SELECT file_id FROM released) AND NOT EXISTS (
    SELECT FROM registry.file_use AS use
    WHERE use.cpf = :cpf AND use.file_id = file.id AND NOT (use.holder = :holder AND use.holder_id = :holder_id)
)
""")
async def release_files(
    connection: Connection, cpf: Cpf, holder: str, holder_id: UUID, keep: Sequence[UUID] = ()
) -> None:
    """Remove a record's references to the person's files, except those in `keep`."""


@statement("SELECT id FROM registry.deleted_file ORDER BY deleted_at LIMIT :most")
async def list_deleted_files(connection: Connection, most: int) -> list[UUID]:
    """Return files whose content is to be deleted, oldest first."""


@statement("DELETE FROM registry.deleted_file WHERE id = :id")
async def forget_deleted_file(connection: Connection, id: UUID) -> None: ...


@statement("""
SELECT id FROM unnest(:ids::uuid[]) AS stored (id)
WHERE NOT EXISTS (SELECT FROM registry.citizen_file AS file WHERE file.id = stored.id)
""")
async def find_orphans(connection: Connection, ids: Sequence[UUID]) -> list[UUID]:
    """Return those of the ids that have no row."""


class StoredFile(NamedTuple):
    """A file whose content the storage must contain."""

    id: UUID
    digest: bytes
    created_at: datetime


@statement("""
SELECT id, digest, created_at FROM registry.citizen_file
WHERE (created_at, id) > (:since::timestamptz, :after::uuid)
ORDER BY created_at, id LIMIT :most
""")
async def list_stored_files(connection: Connection, since: datetime, after: UUID, most: int) -> list[StoredFile]:
    """Return the next files that were stored after an instant, or at that instant with a greater id, oldest first."""


# Features call `release_files` when one of their records no longer refers to its files, and `lock_files` before they
# lock a record that is about to refer to files: an erasure deletes the files before it changes records.
OFFERED = (lock_files, release_files)
