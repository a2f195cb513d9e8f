"""SQL for the sessions and drafts of each surface. A draft is text that a person typed but did not send."""

from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.database.statements import Statements, statements
from balcao.web.database import SCHEMAS

P = ParamSpec("P")
T = TypeVar("T")


def statement_of_surface(
    text: str,
) -> Callable[[Callable[Concatenate[Connection, str, P], Coroutine[Any, Any, T]]], Statements[str, P, T]]:
    """Declare the same statement for every surface's schema."""
    return statements({schema: text.replace("{schema}", schema) for schema in SCHEMAS})


class StoredSession(NamedTuple):
    """A stored session, whose columns are still encrypted.

    `is_active` is True if the session may be used. `is_recent` is True if text typed in it may still be stored as a
    draft.
    """

    key: bytes
    subject_key: bytes
    identity: bytes
    tokens: bytes | None
    notice: bytes | None
    counts: bytes | None
    actions: bytes | None
    counted_at: datetime | None
    counted_ago: timedelta | None
    generation: int
    unused_seconds: float
    is_active: bool
    is_recent: bool


class LivingSession(NamedTuple):
    """One of a person's sessions, for the list of sessions. `tokens` are encrypted."""

    key: bytes
    provider_key: bytes | None
    tokens: bytes
    begun_at: datetime
    used_at: datetime


class StoredDraft(NamedTuple):
    """A stored draft. `content` is encrypted."""

    id: UUID
    content: bytes


@statement_of_surface("""
INSERT INTO {schema}.session (key, subject_key, provider_key, identity, tokens)
VALUES (:key, :subject_key, :provider_key, :identity, :tokens)
""")
async def insert_session(
    connection: Connection,
    schema: str,
    key: bytes,
    subject_key: bytes,
    provider_key: bytes | None,
    identity: bytes,
    tokens: bytes,
) -> None: ...


@statement_of_surface("""
SELECT key, subject_key, identity, tokens, notice, counts, actions, counted_at, now() - counted_at AS counted_ago,
       generation, extract(epoch FROM now() - used_at)::float8 AS unused_seconds,
       ended_at IS NULL AND tokens IS NOT NULL
           AND used_at > now() - :idle::interval AND begun_at > now() - :longest::interval AS is_active,
       least(ended_at, used_at + :idle::interval, begun_at + :longest::interval) > now() - :kept::interval AS is_recent
FROM {schema}.session WHERE key = :key
""")
async def find_session(
    connection: Connection, schema: str, key: bytes, idle: timedelta, longest: timedelta, kept: timedelta
) -> StoredSession | None: ...


@statement_of_surface("UPDATE {schema}.session SET used_at = now() WHERE key = :key")
async def touch_session(connection: Connection, schema: str, key: bytes) -> None: ...


@statement_of_surface("UPDATE {schema}.session SET notice = :notice WHERE key = :key")
async def write_notice(connection: Connection, schema: str, key: bytes, notice: bytes | None) -> None: ...


@statement_of_surface("""
UPDATE {schema}.session SET counts = :counts, counted_at = CASE WHEN :is_all THEN now() ELSE counted_at END
WHERE key = :key AND ended_at IS NULL
""")
async def write_counts(connection: Connection, schema: str, key: bytes, counts: bytes, is_all: bool) -> None: ...


@statement_of_surface("UPDATE {schema}.session SET actions = :actions WHERE key = :key AND ended_at IS NULL")
async def write_actions(connection: Connection, schema: str, key: bytes, actions: bytes) -> None: ...


@statement_of_surface("""
UPDATE {schema}.session SET counted_at = now()
WHERE key = :key AND counted_at IS NOT DISTINCT FROM :seen AND ended_at IS NULL
""")
async def claim_counting(connection: Connection, schema: str, key: bytes, seen: datetime | None) -> bool:
    """Claim the next count of waiting items. Return False if another page has claimed it since `seen`."""


@statement_of_surface("""
UPDATE {schema}.session SET refreshing_until = now() + :lease::interval
WHERE key = :key AND generation = :generation AND ended_at IS NULL
      AND (refreshing_until IS NULL OR refreshing_until < now())
""")
async def lease_refresh(connection: Connection, schema: str, key: bytes, generation: int, lease: timedelta) -> bool:
    """Take the lease for refreshing the tokens of this generation. Return False if another process holds it."""


@statement_of_surface("""
UPDATE {schema}.session SET tokens = :tokens, generation = generation + 1, refreshing_until = NULL
WHERE key = :key AND generation = :generation AND ended_at IS NULL
""")
async def write_tokens(connection: Connection, schema: str, key: bytes, generation: int, tokens: bytes) -> bool: ...


@statement_of_surface("""
UPDATE {schema}.session SET refreshing_until = NULL WHERE key = :key AND generation = :generation
""")
async def give_up_refresh(connection: Connection, schema: str, key: bytes, generation: int) -> None: ...


@statement_of_surface("""
UPDATE {schema}.session SET ended_at = now(), tokens = NULL, notice = NULL WHERE key = :key AND ended_at IS NULL
""")
async def end_session(connection: Connection, schema: str, key: bytes) -> bool: ...


@statement_of_surface("""
SELECT key, provider_key, tokens, begun_at, used_at
FROM {schema}.session
WHERE subject_key = :subject_key AND ended_at IS NULL AND tokens IS NOT NULL
      AND used_at > now() - :idle::interval AND begun_at > now() - :longest::interval
ORDER BY used_at DESC
""")
async def list_living_sessions(
    connection: Connection, schema: str, subject_key: bytes, idle: timedelta, longest: timedelta
) -> list[LivingSession]: ...


@statement_of_surface("""
UPDATE {schema}.session SET ended_at = now(), tokens = NULL, notice = NULL
WHERE provider_key = :provider_key AND ended_at IS NULL
""")
async def end_provider_session(connection: Connection, schema: str, provider_key: bytes) -> int: ...


@statement_of_surface("""
UPDATE {schema}.session SET ended_at = now(), tokens = NULL, notice = NULL
WHERE subject_key = :subject_key AND ended_at IS NULL AND begun_at <= to_timestamp(:until)
""")
async def end_sessions_of(connection: Connection, schema: str, subject_key: bytes, until: float) -> int: ...


# Delete at most 1,000 rows, so that the statement holds its locks only briefly. The next sweep deletes more.
@statement_of_surface("""
DELETE FROM {schema}.session
WHERE key IN (SELECT key FROM {schema}.session WHERE used_at < now() - :kept::interval LIMIT 1000)
""")
async def delete_old_sessions(connection: Connection, schema: str, kept: timedelta) -> int: ...


@statement_of_surface("""
INSERT INTO {schema}.draft (id, subject_key, content) VALUES (:id, :subject_key, :content)
ON CONFLICT (id) DO UPDATE SET content = excluded.content, saved_at = now()
    WHERE draft.subject_key = excluded.subject_key
""")
async def write_draft(connection: Connection, schema: str, id: UUID, subject_key: bytes, content: bytes) -> None: ...


@statement_of_surface("""
SELECT id, content FROM {schema}.draft
WHERE subject_key = :subject_key AND saved_at > now() - :kept::interval ORDER BY saved_at DESC
""")
async def list_drafts(
    connection: Connection, schema: str, subject_key: bytes, kept: timedelta
) -> list[StoredDraft]: ...


@statement_of_surface("""
SELECT id, content FROM {schema}.draft
WHERE id = :id AND subject_key = :subject_key AND saved_at > now() - :kept::interval
""")
async def find_draft(
    connection: Connection, schema: str, id: UUID, subject_key: bytes, kept: timedelta
) -> StoredDraft | None: ...


@statement_of_surface("""
SELECT saved_at FROM {schema}.draft
WHERE id = :id AND subject_key = :subject_key AND saved_at > now() - :kept::interval
""")
async def find_saving(
    connection: Connection, schema: str, id: UUID, subject_key: bytes, kept: timedelta
) -> datetime | None: ...


@statement_of_surface("DELETE FROM {schema}.draft WHERE id = :id AND subject_key = :subject_key")
async def delete_draft(connection: Connection, schema: str, id: UUID, subject_key: bytes) -> bool: ...


@statement_of_surface("""
DELETE FROM {schema}.draft WHERE subject_key = :subject_key AND id NOT IN
    (SELECT id FROM
        (SELECT id, row_number() OVER newest AS number, sum(octet_length(content)) OVER newest AS bytes
         FROM {schema}.draft WHERE subject_key = :subject_key
         WINDOW newest AS (ORDER BY saved_at DESC, id ROWS UNBOUNDED PRECEDING)) AS counted
     WHERE number <= :most AND bytes <= :most_bytes)
""")
async def delete_drafts_beyond(
    connection: Connection, schema: str, subject_key: bytes, most: int, most_bytes: int
) -> int:
    """Delete a person's drafts, except the newest ones that are within both limits."""


# Delete at most 1,000 rows, for the same reason as in `delete_old_sessions`.
@statement_of_surface("""
DELETE FROM {schema}.draft
WHERE id IN (SELECT id FROM {schema}.draft WHERE saved_at < now() - :kept::interval LIMIT 1000)
""")
async def delete_old_drafts(connection: Connection, schema: str, kept: timedelta) -> int: ...
