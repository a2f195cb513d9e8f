"""SQL of the reference lists."""

from collections.abc import Sequence

import msgspec

from balcao.core.database.pool import Connection
from balcao.health_units.reference_lists.schemas import Lista, ReferenceValue

_LIST = "SELECT codigo, nome, ativo FROM health_units.reference_values WHERE lista = $1 ORDER BY nome, codigo"


async def list_values(connection: Connection, lista: Lista) -> list[ReferenceValue]:
    return [msgspec.convert(dict(row), ReferenceValue) for row in await connection.fetch(_LIST, lista)]


_PUT = """
INSERT INTO health_units.reference_values (lista, codigo, nome, ativo) VALUES ($1, $2, $3, $4)
ON CONFLICT (lista, codigo) DO UPDATE SET nome = excluded.nome, ativo = excluded.ativo
RETURNING xmax = 0
"""


async def put(connection: Connection, lista: Lista, value: ReferenceValue) -> bool:
    """Return whether the value is new."""
    return bool(await connection.fetchval(_PUT, lista, *msgspec.structs.astuple(value)))


_UNKNOWN = """
SELECT place FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS named (lista, codigo, place)
WHERE NOT EXISTS (
    SELECT FROM health_units.reference_values AS value
    WHERE value.lista = named.lista AND value.codigo = named.codigo AND value.ativo
)
ORDER BY place
"""


async def find_unknown(connection: Connection, named: Sequence[tuple[Lista, str]]) -> list[int]:
    """Return the places, from 0, of those that no list has, or has switched off."""
    lists, codes = [lista for lista, _ in named], [codigo for _, codigo in named]
    return [row["place"] - 1 for row in await connection.fetch(_UNKNOWN, lists, codes)]
