"""SQL of the wallet."""

from balcao.core.database.pool import Connection, Row
from balcao.core.values.cpf import Cpf

_READ = """
SELECT base.wallet::text AS wallet,
       base.cpf IS NOT NULL OR EXISTS (SELECT FROM registry.mirror_head WHERE cpf = $1) AS known
FROM (VALUES (1)) AS always LEFT JOIN registry.base_record AS base ON base.cpf = $1
"""


async def read(connection: Connection, cpf: Cpf) -> Row:
    """Return the wallet as JSON, and whether anything is `known` of the citizen, here or in the mirror."""
    row = await connection.fetchrow(_READ, cpf.digits)
    assert row is not None  # the left side has its one row
    return row
