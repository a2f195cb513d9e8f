"""SQL of the legacy mappings and of the old systems that they name."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from balcao.core.context.audit import record_sql
from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import affected
from balcao.search.legacy_mappings.schemas import LegacyMapping


class NewMapping(msgspec.Struct, frozen=True):
    """One row as it is written."""

    id: str
    origem: str
    id_servico_antigo: str
    id_servico_novo: str
    criado_em: datetime
    criado_por: str
    observacoes: str | None


_ENTER_SOURCES = """
INSERT INTO search.legacy_sources (name)
SELECT name FROM unnest($1::text[]) WITH ORDINALITY AS given (name, place) ORDER BY place
ON CONFLICT DO NOTHING
"""


async def enter_sources(connection: Connection, names: Sequence[str]) -> None:
    """Enter old systems that are not known yet."""
    await connection.execute(_ENTER_SOURCES, list(names))


_SOURCES = "SELECT name FROM search.legacy_sources ORDER BY position"


async def list_sources(connection: Connection) -> list[str]:
    """Return the names of the old systems in their order."""
    return [row["name"] for row in await connection.fetch(_SOURCES)]


_COLUMNS = """
    id::text, origem, id_servico_antigo, id_servico_novo::text,
    floor(extract(epoch FROM criado_em))::bigint AS criado_em, criado_por, observacoes
"""

# The head is locked in share mode: a service that is being deleted is waited for, and then gone.
_ALIVE = "SELECT id FROM search.service_head WHERE id = {target} AND deleted_at IS NULL FOR SHARE"
_INSERT = f"""
WITH alive AS ({_ALIVE.format(target="$4")}), inserted AS (
    INSERT INTO search.tombamentos
        (id, origem, id_servico_antigo, id_servico_novo, criado_em, criado_por, observacoes)
    SELECT $1::uuid, $2, $3, alive.id, $5, $6, $7 FROM alive
    ON CONFLICT (origem, id_servico_antigo) DO NOTHING
    RETURNING {_COLUMNS}
), recorded AS ({record_sql("$8::jsonb", "inserted")})
SELECT EXISTS (SELECT FROM alive) AS is_alive, inserted.*
FROM (VALUES (true)) AS always LEFT JOIN inserted ON true
"""


class Written(msgspec.Struct, frozen=True):
    """What came of a write; `mapping` is None when the pair is taken or the service is none."""

    is_alive: bool
    mapping: LegacyMapping | None


async def insert(connection: Connection, mapping: NewMapping, trail: str) -> Written:
    """Write a mapping and its audit event, unless the pair is taken or the service is unknown or deleted."""
    row = await connection.fetchrow(_INSERT, *msgspec.structs.astuple(mapping), trail)
    return Written(row["is_alive"], _parse(row) if row["id"] is not None else None)


_FIND = f"SELECT {_COLUMNS} FROM search.tombamentos WHERE origem = $1 AND id_servico_antigo = $2"


async def find(connection: Connection, origem: str, old_id: str) -> LegacyMapping | None:
    row = await connection.fetchrow(_FIND, origem, old_id)
    return _parse(row) if row else None


_READ = f"SELECT {_COLUMNS} FROM search.tombamentos WHERE id = $1"


async def read(connection: Connection, mapping_id: str) -> LegacyMapping | None:
    row = await connection.fetchrow(_READ, mapping_id)
    return _parse(row) if row else None


_LOCK = f"{_READ} FOR UPDATE"


async def lock(connection: Connection, mapping_id: str) -> LegacyMapping | None:
    """Lock a mapping until the transaction ends."""
    row = await connection.fetchrow(_LOCK, mapping_id)
    return _parse(row) if row else None


_LOCK_TARGET = _ALIVE.format(target="$1")


async def lock_target(connection: Connection, service_id: str) -> bool:
    """Keep a service from being deleted until the transaction ends; return false for one that is not there."""
    return await connection.fetchval(_LOCK_TARGET, service_id) is not None


_UPDATE = f"""
UPDATE search.tombamentos SET origem = $2, id_servico_antigo = $3, id_servico_novo = $4, observacoes = $5
WHERE id = $1 AND NOT EXISTS (
    SELECT FROM search.tombamentos AS other WHERE (other.origem, other.id_servico_antigo) = ($2, $3) AND other.id <> $1)
RETURNING {_COLUMNS}
"""


async def update(
    connection: Connection, mapping_id: str, origem: str, old_id: str, service_id: str, notes: str | None
) -> LegacyMapping | None:
    """Change a mapping; None when the pair is another mapping's."""
    row = await connection.fetchrow(_UPDATE, mapping_id, origem, old_id, service_id, notes)
    return _parse(row) if row else None


_DELETE = f"""
WITH deleted AS (DELETE FROM search.tombamentos WHERE id = $1 RETURNING id),
recorded AS ({record_sql("$2::jsonb", "deleted")})
SELECT id FROM deleted
"""


async def delete(connection: Connection, mapping_id: str, trail: str) -> bool:
    """Delete a mapping and record it; return false when there is none."""
    return await connection.fetchval(_DELETE, mapping_id, trail) is not None


_DELETE_OF_SERVICE = "DELETE FROM search.tombamentos WHERE id_servico_novo = $1"


async def delete_of_service(connection: Connection, service_id: str) -> int:
    """Delete the mappings to a service; return how many there were."""
    return affected(await connection.execute(_DELETE_OF_SERVICE, service_id))


_MATCHING = """
FROM search.tombamentos
WHERE ($1::text IS NULL OR origem = $1)
  AND ($2::text IS NULL OR search.fold_label(criado_por) = search.fold_label($2))
  AND ($3::text IS NULL OR id_servico_novo::text = lower($3))
"""
_LIST = f"""
SELECT (SELECT count(*) {_MATCHING}) AS found, (SELECT count(*) FROM search.tombamentos) AS out_of, page.*
FROM (VALUES (true)) AS always
LEFT JOIN (
    SELECT row_number() OVER (ORDER BY tombamentos.criado_em DESC, tombamentos.id DESC) AS place, {_COLUMNS}
    {_MATCHING} ORDER BY place LIMIT $4 OFFSET $5
) AS page ON true
ORDER BY page.place
"""


async def list_mappings(
    connection: Connection, origem: str | None, author: str | None, service_id: str | None, offset: int, limit: int
) -> tuple[int, int, list[LegacyMapping]]:
    """Return how many pass the filters, how many there are, and one page, newest first."""
    rows = await connection.fetch(_LIST, origem, author, service_id, limit, offset)
    return rows[0]["found"], rows[0]["out_of"], [_parse(row) for row in rows if row["id"] is not None]


def _parse(row: Row) -> LegacyMapping:
    return LegacyMapping(**{name: row[name] for name in LegacyMapping.__struct_fields__})
