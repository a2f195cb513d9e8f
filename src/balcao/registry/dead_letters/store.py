"""SQL of what stands behind the registry's jobs: events of the CRM, and own changes that it is still to be told."""

from collections.abc import Mapping, Sequence

import msgspec

from balcao.core.cpf import Cpf
from balcao.core.database import Connection
from balcao.core.queue import Try
from balcao.registry.dead_letters.about import Subject

_EVENTS = """
SELECT id::text, cpf, request_id,
    coalesce((SELECT array_agg(key ORDER BY key) FROM jsonb_object_keys(dados) AS key), '{}') AS fields
FROM registry.crm_event WHERE id = ANY ($1::text[]::uuid[])
"""


async def events(connection: Connection, ids: Sequence[str]) -> Mapping[str, Subject]:
    rows = await connection.fetch(_EVENTS, list(ids))
    return {row["id"]: Subject(Cpf(row["cpf"]), row["request_id"], row["fields"]) for row in rows}


_EVENTS_OF = "SELECT id::text FROM registry.crm_event WHERE cpf = $1 AND applied_at IS NULL"


async def events_of(connection: Connection, cpf: Cpf) -> list[str]:
    return [row["id"] for row in await connection.fetch(_EVENTS_OF, cpf.digits)]


# An event that nobody is to apply any more has no effect, and its values are not kept.
_GIVE_UP_EVENT = """
UPDATE registry.crm_event SET dados = NULL, applied_at = clock_timestamp(), result = 'no_effect'
WHERE id = $1::text::uuid AND applied_at IS NULL
"""


async def give_up_event(connection: Connection, event_id: str) -> None:
    await connection.execute(_GIVE_UP_EVENT, event_id)


_PUSHES = """
SELECT id::text, cpf, request_id, attempts_log::text AS log,
    coalesce((SELECT array_agg(key ORDER BY key) FROM jsonb_object_keys(dirty) AS key), '{}') AS fields
FROM registry.outbox WHERE id = ANY ($1::text[]::uuid[])
"""


async def pushes(connection: Connection, ids: Sequence[str]) -> Mapping[str, Subject]:
    rows = await connection.fetch(_PUSHES, list(ids))
    return {
        row["id"]: Subject(
            Cpf(row["cpf"]), row["request_id"], row["fields"], msgspec.json.decode(row["log"], type=list[Try])[::-1]
        )
        for row in rows
    }


_PUSHES_OF = "SELECT id::text FROM registry.outbox WHERE cpf = $1"


async def pushes_of(connection: Connection, cpf: Cpf) -> list[str]:
    return [row["id"] for row in await connection.fetch(_PUSHES_OF, cpf.digits)]


_GIVE_UP_PUSH = "DELETE FROM registry.outbox WHERE id = $1::text::uuid"


async def give_up_push(connection: Connection, outbox_id: str) -> None:
    """The CRM differs until the citizen's next change (registry document, 4.5)."""
    await connection.execute(_GIVE_UP_PUSH, outbox_id)
