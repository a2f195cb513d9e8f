"""SQL of the health units."""

from datetime import datetime

from balcao.core.database.pool import Connection
from balcao.core.values.cnes import Cnes
from balcao.health_units.units.schemas import UnitBody

_PUT = """
INSERT INTO health_units.units
    (cnes, nome, logradouro, numero, complemento, cep, telefone, celular, tipo, area, bairro,
     latitude, longitude, ativa, atualizado_em)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
ON CONFLICT (cnes) DO UPDATE SET
    nome = excluded.nome, logradouro = excluded.logradouro, numero = excluded.numero,
    complemento = excluded.complemento, cep = excluded.cep, telefone = excluded.telefone,
    celular = excluded.celular, tipo = excluded.tipo, area = excluded.area, bairro = excluded.bairro,
    latitude = excluded.latitude, longitude = excluded.longitude, ativa = excluded.ativa,
    atualizado_em = excluded.atualizado_em
RETURNING xmax = 0
"""


async def put(connection: Connection, cnes: Cnes, unit: UnitBody, at: datetime) -> bool:
    """Return true when the unit is new."""
    return bool(await connection.fetchval(_PUT, cnes.digits, *unit.model_dump().values(), at))


_LOCK_ACTIVE = "SELECT true FROM health_units.units WHERE cnes = $1 AND ativa FOR NO KEY UPDATE"


async def lock_active(connection: Connection, cnes: Cnes) -> bool:
    """Lock a unit: whoever holds its row is alone in opening a notification of it."""
    return bool(await connection.fetchval(_LOCK_ACTIVE, cnes.digits))


_KNOWN = "SELECT cnes FROM health_units.units"


async def list_codes(connection: Connection) -> set[str]:
    return {row["cnes"] for row in await connection.fetch(_KNOWN)}
