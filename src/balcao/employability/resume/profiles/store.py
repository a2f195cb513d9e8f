"""SQL of the resume's root."""

from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf

_OPEN = """
INSERT INTO employability.resume (cpf) VALUES ($1)
ON CONFLICT (cpf) DO UPDATE SET updated_at = clock_timestamp()
"""


async def open_root(connection: Connection, cpf: Cpf) -> None:
    """Insert or touch the row; either way it is locked until the transaction ends."""
    await connection.execute(_OPEN, cpf.digits)
