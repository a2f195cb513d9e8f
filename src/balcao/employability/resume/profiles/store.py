"""SQL of the resume's root."""

from balcao.core.cpf import Cpf
from balcao.core.database import Connection

_OPEN = """
INSERT INTO employability.resume (cpf) VALUES ($1)
ON CONFLICT (cpf) DO UPDATE SET updated_at = clock_timestamp()
"""


async def open_root(connection: Connection, cpf: Cpf) -> None:
    await connection.execute(_OPEN, cpf.digits)
