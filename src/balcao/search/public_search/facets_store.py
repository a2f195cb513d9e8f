"""SQL of the facets: how many of the services that match have each value of a field (rules: search 4.6, facets).

Services that are alike in a field are counted together before the values are folded and told apart: of services there
are many, of such groups few.
"""

from collections.abc import Sequence

import msgspec

from balcao.core.database.pool import Connection
from balcao.search.collection.alias import Alias
from balcao.search.public_search.conditions_store import BUDGET_SECONDS, Values, write_condition
from balcao.search.public_search.matching import Matching
from balcao.search.public_search.parameters import SearchRequest

MOST_FACET_VALUES = 20

# Values with how many services have them, by field.
Facets = dict[str, list[tuple[str, int]]]

# Several values come as one text: PostgreSQL compares texts several times as fast as lists.
_COLUMNS = {
    "tema_geral": "service.tema_geral",
    "sub_categoria": "service.sub_categoria",
    "orgao_gestor": "service.orgao_gestor::text",
    "publico_especifico": "service.publico::text",
    "is_free": "service.is_free::text",
}
_SINGLE = "SELECT search.fold_label({field}) AS key, {field} AS label"
# A name that a service has twice counts once.
_SEVERAL = """
SELECT search.fold_label(label) AS key, min(label COLLATE "C") AS label
FROM unnest({field}::text[]) AS named (label) GROUP BY 1
"""
_VALUES = dict.fromkeys(_COLUMNS, _SINGLE) | {"orgao_gestor": _SEVERAL, "publico_especifico": _SEVERAL}
_FACET = """(
    SELECT coalesce(jsonb_agg(jsonb_build_array(label, services) ORDER BY services DESC, key COLLATE "C"), '[]') FROM (
        SELECT each.key, min(each.label COLLATE "C") AS label, sum(services)::bigint AS services
        FROM {alike} AS alike, LATERAL ({values}) AS each
        WHERE {field} IS NOT NULL
        GROUP BY each.key ORDER BY services DESC, each.key COLLATE "C" LIMIT {most}
    ) AS most_frequent
)"""


def write_columns(fields: Sequence[str]) -> str:
    """Return the columns, each behind a comma, that these facets are counted by; a service's row is named `service`."""
    return "".join(f", {_COLUMNS[field]} AS {field}" for field in fields)


def write_facets(fields: Sequence[str], matched: str) -> str:
    """Return an expression of the facets, as a text, of the rows of `matched`, which have these columns."""
    grouped = "(SELECT {field}, count(*) AS services FROM {matched} GROUP BY 1)"
    return _write({field: grouped.format(field=field, matched=matched) for field in fields})


def _write(alike: dict[str, str]) -> str:
    """Return an expression of the facets; of each field there is what has its values with their counts."""
    facets = {
        field: _FACET.format(
            alike=source, field=field, values=_VALUES[field].format(field=field), most=MOST_FACET_VALUES
        )
        for field, source in alike.items()
    }
    pairs = ", ".join(f"'{field}', {facet}" for field, facet in facets.items())
    return f"jsonb_build_object({pairs})::text"


def decode_facets(text: str) -> Facets:
    """Return the facets that such an expression has."""
    return msgspec.json.decode(text, type=Facets)


# One pass over all that match, of which no row is kept.
_COUNT_ALL = """
WITH alike AS MATERIALIZED (
    SELECT {fields}, count(*) AS services
    FROM (SELECT service.id{columns} FROM search.{physical} AS service WHERE {condition}) AS matched
    GROUP BY GROUPING SETS ({sets})
)
SELECT {facets}
"""


async def count_facets(connection: Connection, alias: Alias, matching: Matching, request: SearchRequest) -> Facets:
    """Return the facets of all services that match, whatever their number. Raises TableGone and Unavailable."""
    values = Values()
    statement = _COUNT_ALL.format(
        fields=", ".join(request.facets),
        columns=write_columns(request.facets),
        physical=alias.physical,
        condition=" AND ".join(write_condition(alias, matching, request, values)),
        sets=", ".join(f"({field})" for field in request.facets),
        facets=_write(dict.fromkeys(request.facets, "alike")),
    )
    return decode_facets(await connection.fetchval(statement, *values.values, timeout=BUDGET_SECONDS))
