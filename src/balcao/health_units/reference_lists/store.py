"""SQL for reference lists."""

from collections.abc import Sequence
from typing import NamedTuple

from balcao.core.database.pool import Connection
from balcao.core.database.queries import name_order_sql
from balcao.core.database.statements import statement
from balcao.health_units.reference_lists.schemas import Lista, ReferenceValue


@statement(f"""
SELECT codigo, nome, ativo FROM health_units.reference_values WHERE lista = :lista
ORDER BY {name_order_sql("nome")}, codigo
""")
async def list_reference_values(connection: Connection, lista: Lista) -> list[ReferenceValue]: ...


@statement("""
INSERT INTO health_units.reference_values (lista, codigo, nome, ativo) VALUES (:lista, :codigo, :nome, :ativo)
ON CONFLICT (lista, codigo) DO UPDATE SET nome = excluded.nome, ativo = excluded.ativo
RETURNING xmax = 0
""")
async def upsert_reference_value(connection: Connection, lista: Lista, value: ReferenceValue) -> bool:
    """Insert or replace a value. Return whether it is new (`xmax` is 0 only for an inserted row)."""


class NamedValue(NamedTuple):
    """The key of a value that a notification refers to."""

    lista: Lista
    codigo: str


@statement("""
SELECT place - 1
FROM unnest(:named.lista::text[], :named.codigo::text[]) WITH ORDINALITY AS named (lista, codigo, place)
WHERE NOT EXISTS (
    SELECT FROM health_units.reference_values AS value
    WHERE value.lista = named.lista AND value.codigo = named.codigo AND value.ativo
)
ORDER BY place
""")
async def find_unknown_values(connection: Connection, named: Sequence[NamedValue]) -> list[int]:
    """Return the indexes of the values that are unknown or no longer active."""
