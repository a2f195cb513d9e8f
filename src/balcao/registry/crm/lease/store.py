"""SQL of the leases."""

from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf

# A lease whose time is over may be taken by anybody.
_TAKE = """
INSERT INTO registry.crm_lease AS held (cpf, purpose, holder, until)
VALUES ($1, $2, $3::uuid, clock_timestamp() + make_interval(secs => $4))
ON CONFLICT (cpf, purpose) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE held.until <= clock_timestamp()
RETURNING true
"""


async def take(connection: Connection, cpf: Cpf, purpose: str, holder: str, seconds: float) -> bool:
    """Take the lease; return whether nobody else has it."""
    return bool(await connection.fetchval(_TAKE, cpf.digits, purpose, holder, seconds))


_RELEASE = "DELETE FROM registry.crm_lease WHERE cpf = $1 AND purpose = $2 AND holder = $3::uuid"


async def release(connection: Connection, cpf: Cpf, purpose: str, holder: str) -> None:
    """Give a lease back, if the holder still has it."""
    await connection.execute(_RELEASE, cpf.digits, purpose, holder)
