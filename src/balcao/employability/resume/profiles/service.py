"""The resume's root: every save of a resume passes through it, one after the other for each citizen."""

from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.profiles import store


async def open_resume(connection: Connection, cpf: Cpf) -> None:
    """Create the root when it is missing and lock it until the transaction ends (rules: employability 5.2)."""
    await store.open_root(connection, cpf)
