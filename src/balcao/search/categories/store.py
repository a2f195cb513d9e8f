"""SQL for the categories: their order and their services."""

from typing import NamedTuple

import msgspec

from balcao.core.context.audit import record_sql
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.search.categories.parameters import CategoryRequest
from balcao.search.categories.schemas import Category, OrderedCategory, Subcategory
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import PROGRAM_VERSION
from balcao.search.public import PublicService

# The lists exclude services that only conversational agents use. `$1` is true if drafts are counted too.
_COUNTED = """
FROM search.{physical} AS service
LEFT JOIN search.service_popularity AS popularity ON popularity.service_id = service.id
WHERE (service.status = 1 OR $1) AND NOT service.exclusive
"""
_ORDERS = {
    "popularity": "popularity_score {order}, count {order}, fold",
    "count": "count {order}, popularity_score {order}, fold",
    "alpha": "fold {order}",
}

# If staff have not ordered a category, use the spelling of its name that is most common among its services.
_CATEGORIES = f"""
SELECT coalesce(category.name, counted.name) AS name, coalesce(counted.count, 0) AS count,
       coalesce(category.popularity_seed, 0) + coalesce(counted.views, 0) AS popularity_score,
       coalesce(category.fold, counted.fold) AS fold
FROM (
    SELECT service.tema_fold AS fold, count(*) AS count, coalesce(sum(popularity.recent), 0) AS views,
           mode() WITHIN GROUP (ORDER BY service.tema_geral) AS name
    {_COUNTED} GROUP BY service.tema_fold
) AS counted
FULL JOIN search.categories AS category ON category.fold = counted.fold
WHERE coalesce(category.active, true) AND (counted.count > 0 OR $2)
ORDER BY {{order}}
"""


async def list_categories(connection: Connection, alias: Alias, request: CategoryRequest) -> list[Category]:
    statement = _CATEGORIES.format(physical=alias.physical, order=_format_order(request))
    rows = await connection.fetch(statement, request.sees_drafts, request.include_empty)
    return [Category(row["name"], row["count"], int(row["popularity_score"])) for row in rows]


_SUBCATEGORIES = f"""
SELECT mode() WITHIN GROUP (ORDER BY service.sub_categoria) AS name, service.sub_fold AS fold, count(*) AS count,
       coalesce(sum(popularity.recent), 0) AS popularity_score,
       mode() WITHIN GROUP (ORDER BY service.tema_geral) AS category
{_COUNTED} AND service.tema_fold = search.fold_label($2) AND service.sub_fold <> ''
GROUP BY service.sub_fold ORDER BY {{order}}
"""


async def list_subcategories(
    connection: Connection, alias: Alias, category: str, request: CategoryRequest
) -> list[Subcategory]:
    statement = _SUBCATEGORIES.format(physical=alias.physical, order=_format_order(request))
    rows = await connection.fetch(statement, request.sees_drafts, category)
    return [Subcategory(row["name"], row["category"], row["count"], int(row["popularity_score"])) for row in rows]


def _format_order(request: CategoryRequest) -> str:
    return _ORDERS[request.sort_by].format(order=request.order)


class ServicesPage(NamedTuple):
    """The services of one page, and the number on all pages."""

    total: int
    services: list[PublicService]


# The LEFT JOIN returns one row even for an empty page, because that row contains the total.
_SERVICES = f"""
SELECT (SELECT count(*) {_COUNTED} AND {{condition}}) AS total, page.doc
FROM (VALUES (true)) AS always
LEFT JOIN (
    SELECT listed.place, stepped.doc::text AS doc
    FROM (
        SELECT service.id, service.doc, service.carried,
               row_number() OVER (
                   ORDER BY coalesce(popularity.percentile, 0) DESC, service.last_update DESC, service.id) AS place
        {_COUNTED} AND {{condition}} ORDER BY place LIMIT $4 OFFSET $5
    ) AS listed, search.step(listed.id, listed.doc, listed.carried, $6, $7) AS stepped
) AS page ON true
ORDER BY page.place
"""
_IN_CATEGORY = "service.tema_fold = search.fold_label($2) AND $3::text IS NULL"
_IN_SUBCATEGORY = (
    "service.sub_fold = search.fold_label($2) AND ($3::text IS NULL OR service.tema_fold = search.fold_label($3))"
)


async def list_services_of_category(
    connection: Connection, alias: Alias, category: str, request: CategoryRequest
) -> ServicesPage:
    values = (request.sees_drafts, category, None)
    return await _list_services(connection, alias, _IN_CATEGORY, values, request.page, request.per_page)


async def list_services_of_subcategory(
    connection: Connection,
    alias: Alias,
    subcategory: str,
    category: str | None,
    *,
    sees_drafts: bool,
    page: int,
    per_page: int,
) -> ServicesPage:
    values = (sees_drafts, subcategory, category)
    return await _list_services(connection, alias, _IN_SUBCATEGORY, values, page, per_page)


async def _list_services(
    connection: Connection,
    alias: Alias,
    condition: str,
    values: tuple[bool, str, str | None],
    page: int,
    per_page: int,
) -> ServicesPage:
    statement = _SERVICES.format(physical=alias.physical, condition=condition)
    offset = (page - 1) * per_page
    rows = await connection.fetch(statement, *values, per_page, offset, alias.schema_version, PROGRAM_VERSION)
    docs = [row["doc"] for row in rows if row["doc"] is not None]
    return ServicesPage(rows[0]["total"], [msgspec.json.decode(doc, type=PublicService) for doc in docs])


@statement("SELECT name FROM search.categories WHERE fold = search.fold_label(:name)")
async def find_category_name(connection: Connection, name: str) -> str | None:
    """Return the name of a category as staff wrote it, or None if staff have not ordered it."""


_ORDERED = "SELECT name, popularity_seed, active FROM search.categories"


@statement(f"{_ORDERED} ORDER BY popularity_seed DESC, fold")
async def list_ordered_categories(connection: Connection) -> list[OrderedCategory]: ...


@lookup(f"{_ORDERED} WHERE fold = search.fold_label(:name)")
async def read_ordered_category(source: Source, name: str) -> OrderedCategory | None: ...


@statement(f"{_ORDERED} WHERE fold = search.fold_label(:name) FOR UPDATE")
async def lock_ordered_category(connection: Connection, name: str) -> OrderedCategory | None: ...


@statement(f"""
WITH written AS (
    INSERT INTO search.categories (fold, name, popularity_seed, active)
    VALUES (search.fold_label(:name), :name, :seed, :active)
    ON CONFLICT (fold) DO UPDATE SET popularity_seed = excluded.popularity_seed, active = excluded.active
    RETURNING name, popularity_seed, active
), recorded AS ({record_sql(":trail::jsonb", "written")})
SELECT * FROM written
""")
async def put_ordered_category(
    connection: Connection, name: str, seed: int, active: bool, trail: str
) -> OrderedCategory:
    """Write the order of a category and the audit event. An existing category keeps its name."""
