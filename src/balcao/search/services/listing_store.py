"""SQL of the staff list: which services pass the filters, in which order."""

import uuid
from typing import Any

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.values.ids import is_uuid
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import PROGRAM_VERSION, StoredService
from balcao.search.services.filters import ServiceFilters

# How a member is compared with the parameter `{value}`; the folded columns are those of every physical table.
_CONDITIONS = {
    "id": "service.id = {value}::uuid",
    "status": "service.status = {value}",
    "awaiting_approval": "service.awaiting_approval = {value}",
    "is_free": "service.is_free = {value}",
    "published_at": "(service.doc ->> 'published_at')::bigint = {value}",
    # The longest word is looked for by the index, and the others in what has it.
    "nome_servico": """service.nome_fold LIKE (SELECT '%' || word || '%' FROM string_to_table(search.fold({value}), ' ')
                                               AS words (word) ORDER BY length(word) DESC LIMIT 1)
                       AND (SELECT bool_and(strpos(service.nome_fold, word) > 0)
                            FROM string_to_table(search.fold({value}), ' ') AS word)""",
    "orgao_gestor": "search.fold_label({value}) = ANY (service.orgao_fold)",
    "publico_especifico": "search.fold_label({value}) = ANY (service.publico_fold)",
    "tema_geral": "service.tema_fold = search.fold_label({value})",
    "sub_categoria": "service.sub_fold = search.fold_label({value})",
    "autor": "search.fold_label(service.doc ->> 'autor') = search.fold_label({value})",
    "slug": "service.id = (SELECT service_id FROM search.service_slugs WHERE slug = {value} AND current)",
}
# Names stand as an alphabet has them: folded for the search "segunda" would be a 2, and come before all letters.
_ORDERS = {
    "last_update": "service.last_update {order}",
    "nome_servico": "search.fold_label(service.doc ->> 'nome_servico') {order}",
    "published_at": "(service.doc ->> 'published_at')::bigint {order} NULLS LAST",
    "created_at": "(service.doc ->> 'created_at')::bigint {order}",
}

# The row that is always there carries the counts of a page that is empty.
_LIST = """
SELECT (SELECT count(*) FROM search.{physical} AS service WHERE {condition}) AS found,
       (SELECT count(*) FROM search.{physical}) AS out_of,
       page.*
FROM (VALUES (true)) AS always
LEFT JOIN (
    SELECT listed.place, stepped.doc::text AS doc, stepped.carried::text AS carried, listed.version
    FROM (
        SELECT *, row_number() OVER (ORDER BY {order}) AS place
        FROM (
            SELECT * FROM search.{physical} AS service WHERE {condition} ORDER BY {order} LIMIT $1 OFFSET $2
        ) AS service
    ) AS listed, search.step(listed.id, listed.doc, listed.carried, $3, $4) AS stepped
) AS page ON true
ORDER BY page.place
"""


class ServicePage(msgspec.Struct, frozen=True):
    """One page, how many services pass the filters, and how many there are."""

    found: int
    out_of: int
    services: list[StoredService]


async def list_services(
    connection: Connection, alias: Alias, filters: ServiceFilters, page: int, per_page: int
) -> ServicePage:
    condition, values = _build_condition(filters)
    order = f"{_ORDERS[filters.sort_by].format(order=filters.order)}, service.id {filters.order}"
    statement = _LIST.format(physical=alias.physical, condition=condition, order=order)
    offset = (page - 1) * per_page
    rows = await connection.fetch(statement, per_page, offset, alias.schema_version, PROGRAM_VERSION, *values)
    services = [StoredService.from_row(row) for row in rows if row["doc"] is not None]
    return ServicePage(rows[0]["found"], rows[0]["out_of"], services)


def _build_condition(filters: ServiceFilters) -> tuple[str, list[Any]]:
    """Return the condition, whose parameters come after the list's own four, and their values."""
    if filters.matches_nothing:
        return "false", []
    conditions, values = ["true"], []
    for member, value in filters.members:
        if member == "id" and not is_uuid(value):
            return "false", []
        values.append(uuid.UUID(value) if member == "id" else value)
        conditions.append(_CONDITIONS[member].format(value=f"${len(values) + 4}"))
    return " AND ".join(conditions), values


_AFTER = """
SELECT stepped.doc::text AS doc, stepped.carried::text AS carried, listed.version
FROM (SELECT * FROM search.{physical} WHERE id > $1 ORDER BY id LIMIT $2) AS listed,
     search.step(listed.id, listed.doc, listed.carried, $3, $4) AS stepped
ORDER BY listed.id
"""


async def list_services_after(connection: Connection, alias: Alias, service_id: str, limit: int) -> list[StoredService]:
    """Return the services whose ids come after this one, in their order."""
    statement = _AFTER.format(physical=alias.physical)
    rows = await connection.fetch(statement, service_id, limit, alias.schema_version, PROGRAM_VERSION)
    return [StoredService.from_row(row) for row in rows]
