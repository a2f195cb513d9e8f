"""SQL of the base record."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import affected
from balcao.core.values.cpf import Cpf

_READ = "SELECT record::text FROM registry.base_record WHERE cpf = $1"


async def read_base(connection: Connection, cpf: Cpf) -> dict[str, Any] | None:
    found = await connection.fetchval(_READ, cpf.digits)
    return None if found is None else msgspec.json.decode(found, type=dict[str, Any])


_READ_ORIGIN = "SELECT source, loaded_at FROM registry.base_record WHERE cpf = $1"


async def read_origin(connection: Connection, cpf: Cpf) -> Row | None:
    """Return where the record comes from, and when it was imported."""
    return await connection.fetchrow(_READ_ORIGIN, cpf.digits)


class Loaded(NamedTuple):
    """One citizen's row; both documents as JSON text."""

    cpf: str
    record: str
    wallet: str | None
    source: str


# A row that says the same as before is not even locked: it keeps its time, and the disk its peace. OFFSET makes it one
# look-up by key for each line, also when the plan was made while the table was small.
_LOAD = """
WITH line AS MATERIALIZED (
    SELECT cpf, record::jsonb, wallet::jsonb, source
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS line(cpf, record, wallet, source)
)
INSERT INTO registry.base_record (cpf, record, wallet, source)
SELECT line.* FROM line LEFT JOIN LATERAL (
    SELECT record, wallet, source FROM registry.base_record WHERE cpf = line.cpf OFFSET 0
) AS held ON true
WHERE (held.record, held.wallet, held.source) IS DISTINCT FROM (line.record, line.wallet, line.source)
ON CONFLICT (cpf) DO UPDATE SET
    record = excluded.record, wallet = excluded.wallet, source = excluded.source, loaded_at = now()
"""


async def load(connection: Connection, rows: Sequence[Loaded]) -> int:
    """By the owner of the table only, one row a CPF. Answers how many are new or other than before."""
    done = await connection.execute(_LOAD, *map(list, zip(*rows, strict=True))) if rows else "INSERT 0 0"
    return affected(done)
