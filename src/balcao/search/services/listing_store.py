"""SQL for the service list that staff see."""

import uuid
from typing import Any

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.results import read_part
from balcao.core.values.ids import is_uuid
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import PROGRAM_VERSION, StoredService
from balcao.search.services.filters import ServiceFilters
from balcao.search.services.schemas import ServiceStates, ServiceSummary

# The condition for each member. `{value}` is the SQL parameter. Every physical table has the folded columns.
_CONDITIONS = {
    "id": "service.id = {value}::uuid",
    "status": "service.status = {value}",
    "awaiting_approval": "service.awaiting_approval = {value}",
    "is_free": "service.is_free = {value}",
    "published_at": "(service.doc ->> 'published_at')::bigint = {value}",
    # The first condition uses the index to find names that contain the longest word. The second one checks all words.
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
_STATES = frozenset({"status", "awaiting_approval"})
# Sort names by `fold_label`, because the folding of the search turns "segunda" into 2, which sorts before all letters.
_ORDERS = {
    "last_update": "service.last_update {order}",
    "nome_servico": "search.fold_label(service.doc ->> 'nome_servico') {order}",
    "published_at": "(service.doc ->> 'published_at')::bigint {order} NULLS LAST",
    "created_at": "(service.doc ->> 'created_at')::bigint {order}",
}

# The LEFT JOIN returns one row even for an empty page, because that row contains the counts.
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
    """One page, the number of services that match the filters, and the number of all services."""

    found: int
    out_of: int
    services: list[StoredService]


async def list_services(
    connection: Connection, alias: Alias, filters: ServiceFilters, page: int, per_page: int
) -> ServicePage:
    whatever_state, states, values = _build_conditions(filters)
    condition = f"{whatever_state} AND {states}"
    order = f"{_ORDERS[filters.sort_by].format(order=filters.order)}, service.id {filters.order}"
    statement = _LIST.format(physical=alias.physical, condition=condition, order=order)
    offset = (page - 1) * per_page
    rows = await connection.fetch(statement, per_page, offset, alias.schema_version, PROGRAM_VERSION, *values)
    services = [StoredService.from_row(row) for row in rows if row["doc"] is not None]
    return ServicePage(rows[0]["found"], rows[0]["out_of"], services)


def _build_conditions(filters: ServiceFilters) -> tuple[str, str, list[Any]]:
    """Return the condition without the editorial state, the condition for that state, and the SQL values of both."""
    if filters.matches_nothing:
        return "false", "true", []
    others, states, values = ["true"], ["true"], []
    for member, value in filters.members:
        if member == "id" and not is_uuid(value):
            return "false", "true", []
        values.append(uuid.UUID(value) if member == "id" else value)
        condition = _CONDITIONS[member].format(value=f"${len(values) + 4}")
        (states if member in _STATES else others).append(condition)
    return " AND ".join(others), " AND ".join(states), values


# One pass counts the services in each state. The newest change is looked up only for the services of the page. The
# number of waiting proposals excludes those of deleted services, because the list of proposals hides them too.
_SUMMARIES = """
WITH counted AS (
    SELECT count(*) FILTER (WHERE {states})::int AS found,
           count(*) FILTER (WHERE service.status = 0 AND NOT service.awaiting_approval)::int AS in_edition,
           count(*) FILTER (WHERE service.status = 0 AND service.awaiting_approval)::int AS awaiting,
           count(*) FILTER (WHERE service.status = 1)::int AS published
    FROM search.{physical} AS service WHERE {others}
)
SELECT counted.*, (SELECT count(*) FROM search.{physical})::int AS out_of,
       (SELECT count(*) FROM search.service_proposals AS proposal
        JOIN search.service_head AS head ON head.id = proposal.service_id AND head.deleted_at IS NULL
        WHERE proposal.awaiting_approval)::int AS awaiting_proposals, page.*
FROM counted LEFT JOIN (
    SELECT listed.place, listed.id::text AS id, stepped.doc ->> 'nome_servico' AS nome_servico,
           stepped.doc ->> 'slug' AS slug, listed.orgao_gestor, stepped.doc ->> 'tema_geral' AS tema_geral,
           stepped.doc ->> 'sub_categoria' AS sub_categoria, listed.status, listed.awaiting_approval,
           (stepped.doc ->> 'published_at')::bigint AS published_at,
           (stepped.doc ->> 'last_update')::bigint AS last_update, listed.version,
           coalesce(newest.created_by, '') AS changed_by,
           CASE WHEN listed.status = 0 AND NOT listed.awaiting_approval
                     AND (former.snapshot ->> 'awaiting_approval')::boolean
                THEN coalesce(newest.change_reason, '') END AS returned_reason,
           (SELECT count(*) FROM search.service_proposals WHERE service_id = listed.id)::int AS proposals
    FROM (
        SELECT *, row_number() OVER (ORDER BY {order}) AS place
        FROM (
            SELECT * FROM search.{physical} AS service WHERE {others} AND {states} ORDER BY {order} LIMIT $1 OFFSET $2
        ) AS service
    ) AS listed
    CROSS JOIN LATERAL search.step(listed.id, listed.doc, listed.carried, $3, $4) AS stepped
    LEFT JOIN search.service_versions AS newest
        ON newest.service_id = listed.id AND newest.version_number = listed.version
    LEFT JOIN search.service_versions AS former
        ON former.service_id = listed.id AND former.version_number = listed.version - 1
) AS page ON true
ORDER BY page.place
"""


class SummaryPage(msgspec.Struct, frozen=True):
    """One page with counts: matching services, all services, services in each state, and waiting proposals."""

    found: int
    out_of: int
    states: ServiceStates
    awaiting_proposals: int
    services: list[ServiceSummary]


async def list_summaries(
    connection: Connection, alias: Alias, filters: ServiceFilters, page: int, per_page: int
) -> SummaryPage:
    others, states, values = _build_conditions(filters)
    order = f"{_ORDERS[filters.sort_by].format(order=filters.order)}, service.id {filters.order}"
    text = _SUMMARIES.format(physical=alias.physical, others=others, states=states, order=order)
    offset = (page - 1) * per_page
    rows = await connection.fetch(text, per_page, offset, alias.schema_version, PROGRAM_VERSION, *values)
    first = rows[0]
    counts = ServiceStates(first["in_edition"], first["awaiting"], first["published"])
    services = [read_part(ServiceSummary, row) for row in rows if row["id"] is not None]
    return SummaryPage(first["found"], first["out_of"], counts, first["awaiting_proposals"], services)


_AFTER = """
SELECT stepped.doc::text AS doc, stepped.carried::text AS carried, listed.version
FROM (SELECT * FROM search.{physical} WHERE id > $1 ORDER BY id LIMIT $2) AS listed,
     search.step(listed.id, listed.doc, listed.carried, $3, $4) AS stepped
ORDER BY listed.id
"""


async def list_services_after(connection: Connection, alias: Alias, service_id: str, limit: int) -> list[StoredService]:
    """Return up to `limit` services with ids above `service_id`, in the order of their ids."""
    statement = _AFTER.format(physical=alias.physical)
    rows = await connection.fetch(statement, service_id, limit, alias.schema_version, PROGRAM_VERSION)
    return [StoredService.from_row(row) for row in rows]
