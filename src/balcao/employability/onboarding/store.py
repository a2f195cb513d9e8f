"""SQL of the first login to the job listings."""

from datetime import datetime

from balcao.core.database.pool import Connection
from balcao.core.database.queries import affected
from balcao.core.values.cpf import Cpf

_READ = "SELECT completed_at FROM employability.onboarding WHERE cpf = $1"
_COMPLETE = "INSERT INTO employability.onboarding (cpf) VALUES ($1) ON CONFLICT (cpf) DO NOTHING"
_DELETE = "DELETE FROM employability.onboarding WHERE cpf = $1"


async def read(connection: Connection, cpf: Cpf) -> datetime | None:
    """Return when the person completed it; None before."""
    found: datetime | None = await connection.fetchval(_READ, cpf.digits)
    return found


async def complete(connection: Connection, cpf: Cpf) -> bool:
    """Store that it is complete; return false when it was before."""
    return bool(affected(await connection.execute(_COMPLETE, cpf.digits)))


async def delete(connection: Connection, cpf: Cpf) -> int:
    """Delete the mark and return how many there were."""
    return affected(await connection.execute(_DELETE, cpf.digits))
