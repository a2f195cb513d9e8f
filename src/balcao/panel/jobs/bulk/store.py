"""SQL for decisions on many candidates."""

from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


class StoredDecision(NamedTuple):
    """A decision. `content` is encrypted. `is_idle` is true if no process holds a valid lease."""

    id: UUID
    content: bytes
    total: int
    done: int
    failed: int
    state: str
    is_stopping: bool
    is_idle: bool


_COLUMNS = """id, content, total, done, failed, state, is_stopping,
       lease_until IS NULL OR lease_until < now() AS is_idle"""


@statement("""
INSERT INTO panel.bulk_decision (id, subject_key, content, total) VALUES (:id, :subject_key, :content, :total)
""")
async def insert_decision(connection: Connection, id: UUID, subject_key: bytes, content: bytes, total: int) -> None: ...


@statement(f"SELECT {_COLUMNS} FROM panel.bulk_decision WHERE id = :id AND subject_key = :subject_key")
async def find_decision(connection: Connection, id: UUID, subject_key: bytes) -> StoredDecision | None: ...


@statement(f"""
SELECT {_COLUMNS} FROM panel.bulk_decision
WHERE subject_key = :subject_key AND state <> 'chosen' AND seen_at IS NULL AND chosen_at > now() - :kept::interval
ORDER BY chosen_at DESC LIMIT 10
""")
async def list_unseen_decisions(connection: Connection, subject_key: bytes, kept: timedelta) -> list[StoredDecision]:
    """Return running decisions, and ended decisions that the person has not seen."""


@statement("""
UPDATE panel.bulk_decision SET state = 'running', is_stopping = false, ended_at = NULL, seen_at = NULL
WHERE id = :id AND subject_key = :subject_key AND state IN ('chosen', 'paused', 'stopped')
""")
async def start_decision(connection: Connection, id: UUID, subject_key: bytes) -> bool: ...


@statement("""
UPDATE panel.bulk_decision SET is_stopping = true
WHERE id = :id AND subject_key = :subject_key AND state = 'running'
""")
async def ask_to_stop(connection: Connection, id: UUID, subject_key: bytes) -> bool: ...


@statement("""
UPDATE panel.bulk_decision SET lease_until = now() + :lease::interval, generation = generation + 1
WHERE id = :id AND state = 'running' AND (lease_until IS NULL OR lease_until < now())
RETURNING generation
""")
async def lease_decision(connection: Connection, id: UUID, lease: timedelta) -> int | None:
    """Take the lease and return its generation.

    Return None if another process holds the lease or the decision is not running.
    """


@statement("""
UPDATE panel.bulk_decision SET content = :content, done = :done, failed = :failed,
    lease_until = now() + :lease::interval
WHERE id = :id AND generation = :generation
RETURNING is_stopping
""")
async def write_progress(
    connection: Connection, id: UUID, generation: int, content: bytes, done: int, failed: int, lease: timedelta
) -> bool | None:
    """Store the progress and return whether a stop was requested. Return None if the lease was lost."""


@statement("""
UPDATE panel.bulk_decision SET content = :content, state = :state, lease_until = NULL,
    ended_at = CASE WHEN :state = 'running' THEN NULL ELSE now() END
WHERE id = :id AND generation = :generation
""")
async def end_run(connection: Connection, id: UUID, generation: int, content: bytes, state: str) -> bool:
    """Release the lease, and store the final state and time. Return False if the lease was lost."""


@statement("""
UPDATE panel.bulk_decision SET seen_at = now() WHERE id = :id AND subject_key = :subject_key AND seen_at IS NULL
""")
async def mark_seen(connection: Connection, id: UUID, subject_key: bytes) -> bool: ...


# Delete at most 1,000 rows, so that the statement holds its locks only briefly. The next decision deletes more.
@statement("""
DELETE FROM panel.bulk_decision
WHERE id IN (SELECT id FROM panel.bulk_decision WHERE chosen_at < now() - :kept::interval LIMIT 1000)
""")
async def delete_old_decisions(connection: Connection, kept: timedelta) -> int: ...
