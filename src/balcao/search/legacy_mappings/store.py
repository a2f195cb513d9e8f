"""SQL for the legacy mappings and the old systems."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from balcao.core.context.audit import record_sql
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.search.legacy_mappings.schemas import LegacyMapping


class NewMapping(msgspec.Struct, frozen=True):
    """A new row of `search.tombamentos`."""

    id: str
    origem: str
    id_servico_antigo: str
    id_servico_novo: str
    criado_em: datetime
    criado_por: str
    observacoes: str | None


@statement("""
INSERT INTO search.legacy_sources (name)
SELECT name FROM unnest(:names::text[]) WITH ORDINALITY AS given (name, place) ORDER BY place
ON CONFLICT DO NOTHING
""")
async def insert_legacy_sources(connection: Connection, names: Sequence[str]) -> None:
    """Insert the old systems that are not stored yet."""


@statement("SELECT name FROM search.legacy_sources ORDER BY position")
async def list_legacy_sources(connection: Connection) -> list[str]:
    """Return the names of the old systems, in the order in which they were added."""


_COLUMNS = """
    id::text, origem, id_servico_antigo, id_servico_novo::text,
    floor(extract(epoch FROM criado_em))::bigint AS criado_em, criado_por, observacoes
"""


def _alive_sql(service_id: str) -> str:
    """Return a SELECT statement that share-locks the head of a service, unless the service is deleted.

    If the service is being deleted, the statement waits and then returns no row.
    """
    return f"SELECT id FROM search.service_head WHERE id = {service_id} AND deleted_at IS NULL FOR SHARE"


class WrittenMapping(NamedTuple):
    """The result of a write. `mapping` is None if the number already has a mapping or the service does not exist."""

    is_alive: bool
    mapping: LegacyMapping | None


@statement(f"""
WITH alive AS ({_alive_sql(":id_servico_novo")}), inserted AS (
    INSERT INTO search.tombamentos
        (id, origem, id_servico_antigo, id_servico_novo, criado_em, criado_por, observacoes)
    SELECT :id::uuid, :origem, :id_servico_antigo, alive.id, :criado_em, :criado_por, :observacoes FROM alive
    ON CONFLICT (origem, id_servico_antigo) DO NOTHING
    RETURNING {_COLUMNS}
), recorded AS ({record_sql(":trail::jsonb", "inserted")})
SELECT EXISTS (SELECT FROM alive) AS is_alive, inserted.*
FROM (VALUES (true)) AS always LEFT JOIN inserted ON true
""")
async def insert_legacy_mapping(connection: Connection, mapping: NewMapping, trail: str) -> WrittenMapping:
    """Write a mapping and its audit event, unless the number is mapped or the service does not exist."""


@lookup(f"SELECT {_COLUMNS} FROM search.tombamentos WHERE origem = :origem AND id_servico_antigo = :old_id")
async def find_legacy_mapping(source: Source, origem: str, old_id: str) -> LegacyMapping | None: ...


_READ = f"SELECT {_COLUMNS} FROM search.tombamentos WHERE id = :mapping_id::uuid"


@lookup(_READ)
async def select_legacy_mapping(source: Source, mapping_id: str) -> LegacyMapping | None: ...


@statement(f"{_READ} FOR UPDATE")
async def lock_mapping(connection: Connection, mapping_id: str) -> LegacyMapping | None:
    """Lock a mapping until the transaction ends."""


@statement(_alive_sql(":service_id"))
async def lock_target_service(connection: Connection, service_id: str) -> bool:
    """Protect a service from deletion until the transaction ends. Return false if it does not exist."""


@statement(f"""
UPDATE search.tombamentos
SET origem = :origem, id_servico_antigo = :old_id, id_servico_novo = :service_id, observacoes = :notes
WHERE id = :mapping_id AND NOT EXISTS (
    SELECT FROM search.tombamentos AS other
    WHERE (other.origem, other.id_servico_antigo) = (:origem, :old_id) AND other.id <> :mapping_id)
RETURNING {_COLUMNS}
""")
async def update_legacy_mapping(
    connection: Connection, mapping_id: str, origem: str, old_id: str, service_id: str, notes: str | None
) -> LegacyMapping | None:
    """Change a mapping. Return None if another mapping has the number."""


@statement(f"""
WITH deleted AS (DELETE FROM search.tombamentos WHERE id = :mapping_id RETURNING id),
recorded AS ({record_sql(":trail::jsonb", "deleted")})
SELECT id FROM deleted
""")
async def delete_legacy_mapping(connection: Connection, mapping_id: str, trail: str) -> bool:
    """Delete a mapping and write the audit event. Return false if there is no mapping."""


@statement("DELETE FROM search.tombamentos WHERE id_servico_novo = :service_id")
async def delete_mappings_of_service(connection: Connection, service_id: str) -> int:
    """Delete the mappings to a service, and return their number."""


class ListedMapping(NamedTuple):
    """A mapping on a page, the number of matches, and the number of all mappings.

    If the page is empty, the only row has no mapping.
    """

    found: int
    out_of: int
    mapping: LegacyMapping | None


_MATCHING = """
FROM search.tombamentos
WHERE (:origem::text IS NULL OR origem = :origem)
  AND (:author::text IS NULL OR search.fold_label(criado_por) = search.fold_label(:author))
  AND (:service_id::text IS NULL OR id_servico_novo::text = lower(:service_id))
"""


@statement(f"""
SELECT (SELECT count(*) {_MATCHING}) AS found, (SELECT count(*) FROM search.tombamentos) AS out_of, page.*
FROM (VALUES (true)) AS always
LEFT JOIN (
    SELECT row_number() OVER (ORDER BY tombamentos.criado_em DESC, tombamentos.id DESC) AS place, {_COLUMNS}
    {_MATCHING} ORDER BY place LIMIT :limit OFFSET :offset
) AS page ON true
ORDER BY page.place
""")
async def _list_mappings(
    connection: Connection, origem: str | None, author: str | None, service_id: str | None, offset: int, limit: int
) -> list[ListedMapping]: ...


async def list_legacy_mappings(
    connection: Connection, origem: str | None, author: str | None, service_id: str | None, offset: int, limit: int
) -> tuple[int, int, list[LegacyMapping]]:
    """Return the number of matches, the number of all mappings, and one page, newest first."""
    listed = await _list_mappings(connection, origem, author, service_id, offset, limit)
    return listed[0].found, listed[0].out_of, [each.mapping for each in listed if each.mapping is not None]


OFFERED = (delete_mappings_of_service,)
