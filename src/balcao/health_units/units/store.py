"""SQL for health units."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.values.cnes import Cnes
from balcao.health_units.units.schemas import UnitBody

_REPLACE = """
ON CONFLICT (cnes) DO UPDATE SET
    nome = excluded.nome, logradouro = excluded.logradouro, numero = excluded.numero,
    complemento = excluded.complemento, cep = excluded.cep, telefone = excluded.telefone,
    celular = excluded.celular, tipo = excluded.tipo, area = excluded.area, bairro = excluded.bairro,
    latitude = excluded.latitude, longitude = excluded.longitude, ativa = excluded.ativa,
    atualizado_em = excluded.atualizado_em
"""


@statement(f"""
INSERT INTO health_units.units
    (cnes, nome, logradouro, numero, complemento, cep, telefone, celular, tipo, area, bairro,
     latitude, longitude, ativa, atualizado_em)
VALUES (:cnes, :nome, :logradouro, :numero, :complemento, :cep, :telefone, :celular, :tipo, :area, :bairro,
        :latitude, :longitude, :ativa, :at)
{_REPLACE}
RETURNING xmax = 0 AS is_new, atualizado_em
""")
async def upsert_unit(connection: Connection, cnes: Cnes, body: UnitBody, at: datetime) -> tuple[bool, datetime]:
    """Insert or replace a unit. Return whether it is new, and the time that was stored."""


_READ = """
SELECT cnes, nome, logradouro, numero, complemento, cep, telefone, celular, tipo, area, bairro, latitude, longitude,
       ativa, atualizado_em
FROM health_units.units WHERE cnes = :cnes
"""


@lookup(_READ)
async def select_unit_record(source: Source, cnes: Cnes) -> dict[str, Any] | None: ...


@statement(f"{_READ} FOR NO KEY UPDATE")
async def lock_unit_record(connection: Connection, cnes: Cnes) -> dict[str, Any] | None:
    """Lock a unit's row until the transaction ends, and return its columns."""


# The query skips unchanged units, so their rows are not even locked. Changed units are locked in the same order as in
# `lock_units`. OFFSET 0 stops the planner from turning the LATERAL into a join, so PostgreSQL looks up each unit by its
# key.
@statement(f"""
WITH parsed AS MATERIALIZED (
    SELECT offered FROM jsonb_populate_recordset(NULL::health_units.units, :units::jsonb) AS offered
)
INSERT INTO health_units.units
SELECT (offered).* FROM parsed LEFT JOIN LATERAL (
    SELECT units AS known FROM health_units.units WHERE cnes = (offered).cnes OFFSET 0
) AS held ON true
WHERE to_jsonb(known) - 'atualizado_em' IS DISTINCT FROM to_jsonb(offered) - 'atualizado_em'
ORDER BY (offered).cnes
{_REPLACE}
RETURNING cnes
""")
async def put_changed_units(connection: Connection, units: Sequence[Mapping[str, Any]]) -> set[Cnes]:
    """Write the units that differ from the stored units. Return the units that were written.

    Each mapping must contain all columns of the table.
    """


# Only the transaction that holds this lock can open a notification for the unit.
@statement("SELECT true FROM health_units.units WHERE cnes = :cnes AND (ativa OR NOT :active) FOR NO KEY UPDATE")
async def lock_unit(connection: Connection, cnes: Cnes, *, active: bool = False) -> bool:
    """Lock a unit until the transaction ends. Return False if the unit does not exist.

    If `active` is set, a deactivated unit is treated as if it did not exist.
    """


# Lock order: all transactions that lock several units, including imports, lock them in the order of their CNES. This
# prevents deadlocks.
@statement("SELECT cnes FROM health_units.units WHERE cnes = ANY(:codes) ORDER BY cnes FOR NO KEY UPDATE")
async def lock_units(connection: Connection, codes: Sequence[str]) -> set[str]:
    """Lock units, active or not, until the transaction ends. Return the codes of the units that exist."""


@statement("SELECT area FROM health_units.units WHERE cnes = :cnes")
async def read_unit_area(connection: Connection, cnes: Cnes) -> tuple[str | None] | None:
    """Return a tuple with the unit's area, which may be None.

    If the unit is unknown, return None instead of a tuple.
    """


@statement("SELECT cnes FROM health_units.units")
async def select_unit_codes(connection: Connection) -> set[str]: ...


_LINE = """
to_jsonb(stored) || coalesce((
    SELECT jsonb_build_object('semana', semana, 'abre_feriado', abre_feriado)
    FROM health_units.unit_weekly_hours AS hours WHERE hours.cnes = stored.cnes), '{}')
"""
EXPORTS = Exports([Export("units", Rows("health_units.units", _LINE))])


OFFERED = (lock_units,)
