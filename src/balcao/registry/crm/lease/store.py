"""SQL for the leases."""

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf


# Any process may take an expired lease.
@statement("""
INSERT INTO registry.crm_lease AS held (cpf, purpose, holder, until)
VALUES (:cpf, :purpose, :holder::uuid, clock_timestamp() + make_interval(secs => :seconds))
ON CONFLICT (cpf, purpose) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE held.until <= clock_timestamp()
""")
async def take_lease(connection: Connection, cpf: Cpf, purpose: str, holder: str, seconds: float) -> bool:
    """Take the lease. Return whether it was free or expired."""


@statement("DELETE FROM registry.crm_lease WHERE cpf = :cpf AND purpose = :purpose AND holder = :holder::uuid")
async def release_lease(connection: Connection, cpf: Cpf, purpose: str, holder: str) -> None:
    """Release the lease if the holder still has it."""
