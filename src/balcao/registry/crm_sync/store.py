"""SQL of the CRM's events."""

from datetime import datetime
from typing import Any

import msgspec

from balcao.core.cpf import Cpf
from balcao.core.database import Connection, json_text
from balcao.core.ids import new_id
from balcao.registry.crm_sync.door import Event

# The same event again (same person, kind, `updatedAt` and bytes) makes no second row (spec: webhook rule 6).
_KEEP = """
INSERT INTO registry.crm_event
    (id, cpf, evento, event_at, dados, dados_sha256, has_updated_at, azp, request_id)
VALUES ($1, $2, $3, coalesce($4, now()), $5::jsonb, $6, $4 IS NOT NULL, $7, $8)
ON CONFLICT (cpf, evento, event_at, dados_sha256) WHERE has_updated_at DO NOTHING
RETURNING id::text
"""


async def keep(connection: Connection, event: Event, client: str, request_id: str) -> str | None:
    """Answers the new event's id, or None when it is known already."""
    dados = None if event.dados is None else json_text(event.dados)
    found: str | None = await connection.fetchval(
        _KEEP, new_id(), event.cpf.digits, event.evento, event.at, dados, event.dados_sha256, client, request_id
    )
    return found


_WAITING = "SELECT count(*) FROM (SELECT FROM registry.crm_event WHERE applied_at IS NULL LIMIT $1) AS waiting"


async def count_waiting(connection: Connection, at_most: int) -> int:
    waiting: int = await connection.fetchval(_WAITING, at_most)
    return waiting


class Waiting(msgspec.Struct, frozen=True):
    """An event to apply; `dados` is None for a clearing, or when a later clearing has erased it."""

    cpf: Cpf
    evento: str
    at: datetime
    dados: dict[str, Any] | None
    request_id: str


_TAKE = """
SELECT cpf, evento, event_at, dados::text, request_id
FROM registry.crm_event WHERE id = $1 AND applied_at IS NULL
FOR UPDATE
"""


async def take(connection: Connection, event_id: str) -> Waiting | None:
    """Locks an event that has not been applied; None when it has."""
    row = await connection.fetchrow(_TAKE, event_id)
    if row is None:
        return None
    dados = None if row["dados"] is None else msgspec.json.decode(row["dados"], type=dict[str, Any])
    return Waiting(Cpf(row["cpf"]), row["evento"], row["event_at"], dados, row["request_id"])


_FINISH = "UPDATE registry.crm_event SET dados = NULL, applied_at = clock_timestamp(), result = $2 WHERE id = $1"


async def finish(connection: Connection, event_id: str, result: str) -> None:
    """What was applied is not kept a second time."""
    await connection.execute(_FINISH, event_id, result)


# A clearing also reaches what still waits. A row that is locked is being applied: it waits for the mirror, then meets
# the tombstone and is erased by its own transaction; to wait for it here would be a deadlock.
_ERASE_COVERED = """
UPDATE registry.crm_event SET dados = NULL
WHERE id IN (
    SELECT id FROM registry.crm_event
    WHERE cpf = $1 AND applied_at IS NULL AND event_at <= $2 AND dados IS NOT NULL
    FOR UPDATE SKIP LOCKED)
RETURNING true
"""


async def erase_covered(connection: Connection, cpf: Cpf, at: datetime) -> int:
    """Answers how many payloads it were."""
    return len(await connection.fetch(_ERASE_COVERED, cpf.digits, at))
