"""SQL of an invitation's e-mail: where it stands, on the link's row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from balcao.core.database.pool import Connection
from balcao.core.jobs.declaration import Subject
from balcao.core.values.cpf import Cpf


@dataclass(frozen=True)
class Letter:
    """`tries` counts this one."""

    to: str
    invitee: Cpf
    tries: int


# A letter sent is not sent again; one that failed for the last time is, when an operator asks for it.
_TAKE = """
UPDATE registry.vehicle_conductor
SET email_status = 'queued', email_attempts = email_attempts + 1, email_attempted_at = clock_timestamp()
WHERE id = $1 AND status = 'pending' AND email_status IN ('pending', 'queued', 'failed')
RETURNING notify_email, conductor_cpf, email_attempts
"""
_SKIP = """
UPDATE registry.vehicle_conductor SET email_status = 'skipped'
WHERE id = $1 AND email_status IN ('pending', 'queued')
"""
_FINISH = "UPDATE registry.vehicle_conductor SET email_status = $2 WHERE id = $1"


async def take(connection: Connection, link_id: str) -> Letter | None:
    """The letter to send now; None when there is nothing to send any more."""
    row = await connection.fetchrow(_TAKE, link_id)
    return Letter(row["notify_email"], Cpf(row["conductor_cpf"]), row["email_attempts"]) if row else None


async def skip(connection: Connection, link_id: str) -> None:
    await connection.execute(_SKIP, link_id)


async def finish(connection: Connection, link_id: str, status: str) -> None:
    await connection.execute(_FINISH, link_id, status)


_INVITEES = "SELECT id::text, conductor_cpf FROM registry.vehicle_conductor WHERE id = ANY ($1::text[]::uuid[])"


async def invitees(connection: Connection, ids: Sequence[str]) -> Mapping[str, Subject]:
    """Whom a letter is for, by the link's id."""
    rows = await connection.fetch(_INVITEES, list(ids))
    return {row["id"]: Subject(Cpf(row["conductor_cpf"]), fields=["notify_email"]) for row in rows}


_INVITATIONS_OF = "SELECT id::text FROM registry.vehicle_conductor WHERE conductor_cpf = $1"


async def invitations_of(connection: Connection, cpf: Cpf) -> list[str]:
    return [row["id"] for row in await connection.fetch(_INVITATIONS_OF, cpf.digits)]
