"""SQL of an invitation's e-mail: where it stands, on the link's row."""

from dataclasses import dataclass

from balcao.core.cpf import Cpf
from balcao.core.database import Connection


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
