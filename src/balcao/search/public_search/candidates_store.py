"""SQL of the candidates where more services match than are read whole: the 2000 nearest of them, group by group.

A group is read whole by its index as long as it is small; a large one is dense, and so is read in the order of the
popularity until enough of it has come (rules: search 4.6, two stages). The last group is large: the others left room.
"""

from collections.abc import Callable

from balcao.core.database.pool import Connection
from balcao.search.collection.alias import Alias
from balcao.search.public_search.conditions_store import (
    BUDGET_SECONDS,
    IN_HEAD,
    IN_NAME,
    MOST_CANDIDATES,
    Values,
    write_condition,
    write_filters,
)
from balcao.search.public_search.matching import Matching
from balcao.search.public_search.parameters import SearchRequest

# About where both ways cost the same in a hundred thousand services.
LARGEST_READ_WHOLE = 15_000
# Names that only look like the query are found by the index of all names alone: one by one each would ask it anew.
ANY_SIZE = 2**31 - 2

# Writes what a service must meet to belong to the group, its parameters among these.
_Condition = Callable[[Values], str]

_READ_WHOLE = """
WITH found AS MATERIALIZED (
    SELECT service.ctid AS place, service.id FROM search.{physical} AS service WHERE {condition} LIMIT {largest} + 1
)
SELECT (SELECT count(*) FROM found) > {largest} AS is_large, ARRAY(
    SELECT place::text FROM found WHERE (SELECT count(*) FROM found) <= {largest}
    ORDER BY coalesce((SELECT percentile FROM search.service_popularity WHERE service_id = found.id), 0) DESC, id
    LIMIT {most}
) AS places
"""
# First those with a popularity, then all others by their ids. OFFSET 0 keeps the planner to this order: it takes a
# condition on words for a rare one, and would read and sort everything that meets it.
_READ_BY_POPULARITY = """
WITH popular AS MATERIALIZED (
    SELECT service.place
    FROM (SELECT service_id FROM search.service_popularity ORDER BY percentile DESC, service_id OFFSET 0) AS ranked,
         LATERAL (SELECT service.ctid AS place FROM search.{physical} AS service
                  WHERE service.id = ranked.service_id AND {condition} OFFSET 0) AS service
    LIMIT {most}
), others AS MATERIALIZED (
    SELECT service.place
    FROM (SELECT id, ctid AS place FROM search.{physical} ORDER BY id OFFSET 0) AS ranked,
         LATERAL (SELECT service.ctid AS place FROM search.{physical} AS service
                  WHERE service.ctid = ranked.place AND {condition} OFFSET 0) AS service
    WHERE NOT EXISTS (SELECT FROM search.service_popularity WHERE service_id = ranked.id OFFSET 0)
    LIMIT {most} - (SELECT count(*) FROM popular)
)
SELECT ARRAY(SELECT place::text FROM popular UNION ALL SELECT place::text FROM others)
"""


async def list_search_candidates(
    connection: Connection, alias: Alias, matching: Matching, request: SearchRequest
) -> tuple[list[str], list[int]]:
    """Return the services that are scored, by their places in the table, and the group of each.

    A place means the same row only within one transaction that sees one state.
    """
    places: list[str] = []
    nearness: list[int] = []
    for group, condition in _write_groups(alias, matching, request).items():
        if wanted := MOST_CANDIDATES - len(places):
            if matching.similar_to:
                found = await _list_group(connection, alias, condition, wanted, largest=ANY_SIZE)
            elif group:
                found = await _list_group(connection, alias, condition, wanted, largest=LARGEST_READ_WHOLE)
            else:
                found = await _list_most_popular(connection, alias, condition, wanted)
            places += found
            nearness += [group] * len(found)
    return places, nearness


def _write_groups(alias: Alias, matching: Matching, request: SearchRequest) -> dict[int, _Condition]:
    def write(matched: str, missed: str) -> _Condition:
        def condition(values: Values) -> str:
            groups = [f"service.head @@ {values.add(matched, 'tsquery')}"] if matched else []
            groups += [f"NOT service.head @@ {values.add(missed, 'tsquery')}"] if missed else []
            # What is found in the name or in `head` is found, unless something is excluded or counted.
            whole = write_condition if not matched or matching.is_strict else write_filters
            return " AND ".join([*groups, *whole(alias, matching, request, values)])

        return condition

    if not matching.query:
        return {0: write("", "")}
    return {
        IN_NAME: write(matching.name, ""),
        IN_HEAD: write(matching.head, matching.name),
        0: write("", matching.head),
    }


async def _list_group(connection: Connection, alias: Alias, write: _Condition, most: int, *, largest: int) -> list[str]:
    values = Values()
    statement = _READ_WHOLE.format(
        physical=alias.physical, condition=write(values), largest=largest, most=values.add(most, "int")
    )
    [row] = await connection.fetch(statement, *values.values, timeout=BUDGET_SECONDS)
    if not row["is_large"]:
        places: list[str] = row["places"]
        return places
    return await _list_most_popular(connection, alias, write, most)


async def _list_most_popular(connection: Connection, alias: Alias, write: _Condition, most: int) -> list[str]:
    values = Values()
    statement = _READ_BY_POPULARITY.format(
        physical=alias.physical, condition=write(values), most=values.add(most, "int")
    )
    return list(await connection.fetchval(statement, *values.values, timeout=BUDGET_SECONDS))
