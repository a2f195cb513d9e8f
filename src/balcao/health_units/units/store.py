"""SQL of the health units."""

from collections.abc import Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from balcao.core.database.pool import Connection, Row, json_text
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.values.clock import format_rfc3339_seconds
from balcao.core.values.cnes import Cnes
from balcao.health_units.records import UnitRecord
from balcao.health_units.units.schemas import UnitBody

_REPLACE = """
ON CONFLICT (cnes) DO UPDATE SET
    nome = excluded.nome, logradouro = excluded.logradouro, numero = excluded.numero,
    complemento = excluded.complemento, cep = excluded.cep, telefone = excluded.telefone,
    celular = excluded.celular, tipo = excluded.tipo, area = excluded.area, bairro = excluded.bairro,
    latitude = excluded.latitude, longitude = excluded.longitude, ativa = excluded.ativa,
    atualizado_em = excluded.atualizado_em
"""
_PUT = f"""
INSERT INTO health_units.units
    (cnes, nome, logradouro, numero, complemento, cep, telefone, celular, tipo, area, bairro,
     latitude, longitude, ativa, atualizado_em)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
{_REPLACE}
RETURNING xmax = 0 AS is_new, atualizado_em
"""


async def put(
    connection: Connection, cnes: Cnes, body: UnitBody, at: datetime, zone: ZoneInfo
) -> tuple[UnitRecord, bool]:
    """Return the unit, and whether it is new."""
    members = body.model_dump()
    row = await connection.fetchrow(_PUT, cnes.digits, *members.values(), at)
    updated = format_rfc3339_seconds(row["atualizado_em"], zone)
    return UnitRecord(cnes=cnes.digits, **members, atualizado_em=updated), row["is_new"]


# A unit that is so already is not even locked. OFFSET makes it one look-up by key for each.
_PUT_CHANGED = f"""
WITH parsed AS MATERIALIZED (
    SELECT offered FROM jsonb_populate_recordset(NULL::health_units.units, $1::jsonb) AS offered
)
INSERT INTO health_units.units
SELECT (offered).* FROM parsed LEFT JOIN LATERAL (
    SELECT units AS known FROM health_units.units WHERE cnes = (offered).cnes OFFSET 0
) AS held ON true
WHERE to_jsonb(known) - 'atualizado_em' IS DISTINCT FROM to_jsonb(offered) - 'atualizado_em'
{_REPLACE}
RETURNING cnes
"""


async def put_changed(connection: Connection, units: Mapping[Cnes, UnitBody], at: datetime) -> set[Cnes]:
    """Write the units unless they are so already; return those that were written."""
    rows = [{"cnes": cnes.digits, "atualizado_em": at} | body.model_dump() for cnes, body in units.items()]
    return {Cnes(row["cnes"]) for row in await connection.fetch(_PUT_CHANGED, json_text(rows))}


# Whoever holds a unit's row is alone in opening a notification of it.
_LOCK = "SELECT true FROM health_units.units WHERE cnes = $1 AND (ativa OR NOT $2) FOR NO KEY UPDATE"


async def lock(connection: Connection, cnes: Cnes, *, active: bool = False) -> bool:
    """Lock a unit, or only an active one; return whether there is one."""
    return bool(await connection.fetchval(_LOCK, cnes.digits, active))


_AREA = "SELECT area FROM health_units.units WHERE cnes = $1"


async def read_area(connection: Connection, cnes: Cnes) -> Row | None:
    """Return the unit's area, which may be None; no row for an unknown unit."""
    return await connection.fetchrow(_AREA, cnes.digits)


_KNOWN = "SELECT cnes FROM health_units.units"


async def list_codes(connection: Connection) -> set[str]:
    return {row["cnes"] for row in await connection.fetch(_KNOWN)}


_LINE = """
to_jsonb(stored) || coalesce((
    SELECT jsonb_build_object('semana', semana, 'abre_feriado', abre_feriado)
    FROM health_units.unit_weekly_hours AS hours WHERE hours.cnes = stored.cnes), '{}')
"""
EXPORTS = Exports([Export("units", Rows("health_units.units", _LINE))])
