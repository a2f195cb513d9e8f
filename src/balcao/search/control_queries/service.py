"""Control queries, which show how a schema migration changes search results (rules: search 4.4 step 6)."""

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid
from balcao.core.values.text import clean_text
from balcao.search.collection.alias import Alias
from balcao.search.control_queries import store
from balcao.search.control_queries.schemas import ControlQueries, ControlReport
from balcao.search.conventions import describe_event, require_present_match
from balcao.search.index.building import index_table
from balcao.search.index.reader import ServiceIndex
from balcao.search.public_search import service as public_search
from balcao.search.public_search.parameters import LONGEST_QUERY, SearchRequest
from balcao.search.public_search.synonyms import Synonyms

MOST_QUERIES = 200
COMPARED = 10


async def read_control_queries(call: Call) -> ControlQueries:
    """Return the list of control queries."""
    async with call.platform.database.connection() as connection:
        return ControlQueries(await store.list_control_queries(connection))


async def replace_control_queries(call: Call, body: ControlQueries) -> ControlQueries:
    """Replace the list of control queries. Raises Invalid, PreconditionFailed."""
    if len(body.queries) > MOST_QUERIES:
        raise Invalid(f"O campo `queries` deve ter no máximo {MOST_QUERIES} itens.", code="queries-count")
    queries = list(dict.fromkeys(clean_text("queries", query, longest=LONGEST_QUERY) for query in body.queries))
    async with call.platform.database.transaction() as connection:
        await store.lock_control_queries(connection)
        require_present_match(call, ControlQueries(await store.list_control_queries(connection)))
        await store.replace_control_queries(connection, queries)
        await call.platform.audit.record(
            connection, call, "update", fields=describe_event(control_queries=len(queries))
        )
    return ControlQueries(queries)


async def compare_tables(connection: Connection, source: Alias, target: Alias) -> ControlReport:
    """Run the control queries on two tables and compare the results. This indexes both tables in memory."""
    queries, synonyms = await store.list_control_queries(connection), await public_search.read_synonyms(connection)
    if not queries:
        return ControlReport(0, 1.0, 0.0)
    found = []
    for alias in (source, target):
        index = await index_table(connection, alias)
        found.append([_list_ids(index, synonyms, query) for query in queries])
    overlaps = [_overlap(before, after) for before, after in zip(*found, strict=True)]
    return ControlReport(len(queries), sum(overlaps) / len(queries), found[1].count([]) / len(queries))


def _list_ids(index: ServiceIndex, synonyms: Synonyms, query: str) -> list[str]:
    request = SearchRequest(q=query, per_page=COMPARED, highlight=False)
    return [found.service.id for found in public_search.search_index(index, synonyms, request).services]


def _overlap(before: list[str], after: list[str]) -> float:
    if not before and not after:
        return 1.0
    return len(set(before) & set(after)) / max(len(before), len(after))
