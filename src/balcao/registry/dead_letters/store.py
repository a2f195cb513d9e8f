"""SQL of what stands behind a push: the row of the outbox."""

from collections.abc import Mapping, Sequence

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.jobs.declaration import Subject
from balcao.core.jobs.queue import Try
from balcao.core.values.cpf import Cpf

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
    """The CRM differs until the citizen's next change (rules: registry 4.5)."""
    await connection.execute(_GIVE_UP_PUSH, outbox_id)
