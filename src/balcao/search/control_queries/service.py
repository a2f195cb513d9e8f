"""Control queries, which measure the search and show how a migration would change the results.

Rules: search 2.5, 4.4 step 6.
"""

import asyncio
from collections.abc import Hashable, Mapping, Sequence

import msgspec
from msgspec import UNSET

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid, Unavailable
from balcao.core.values.ids import is_uuid
from balcao.core.values.text import clean_text
from balcao.search.collection.alias import Alias
from balcao.search.control_queries import evaluation, store
from balcao.search.control_queries.evaluation import SHOWN, Judgement
from balcao.search.control_queries.schemas import (
    ControlEvaluation,
    ControlQueries,
    ControlReport,
    ControlResult,
    ExpectedService,
    ExpectedServices,
    NamedService,
)
from balcao.search.control_queries.store import ControlQuery
from balcao.search.conventions import describe_event, require_present_match
from balcao.search.index.building import index_table
from balcao.search.index.public_index import PublicIndex
from balcao.search.index.reader import ServiceIndex
from balcao.search.public_search import service as public_search
from balcao.search.public_search.parameters import LONGEST_QUERY, SearchRequest
from balcao.search.public_search.service import Found
from balcao.search.public_search.synonyms import Synonyms

MOST_QUERIES = 200
MOST_EXPECTED = 10
# The evaluation looks for the expected services only among the first results, because citizens do not scroll further.
LOOKED_AT = 50
# The number of results that a curator sees for each query.
NAMED = 3
# The deadline of an evaluation. An idle process needs about a second for 200 queries.
LONGEST_SECONDS = 2.5


class LastEvaluation:
    """The most recent evaluation in this process, and a lock that allows one evaluation at a time."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.key: Hashable = None
        self.value: ControlEvaluation | None = None


async def read_control_queries(call: Call) -> ControlQueries:
    """Return the list of control queries."""
    async with call.platform.database.connection() as connection:
        return _to_wire(await store.list_control_queries(connection))


async def replace_control_queries(call: Call, body: ControlQueries) -> ControlQueries:
    """Replace the list. If `body` has no `expected`, each query keeps its expected services.

    Raises Invalid for a bad query or an unknown service, and PreconditionFailed if `If-Match` does not match.
    """
    if len(body.queries) > MOST_QUERIES:
        raise Invalid(f"O campo `queries` deve ter no máximo {MOST_QUERIES} itens.", code="queries-count")
    queries = list(dict.fromkeys(_clean_query("queries", query) for query in body.queries))
    given = None if body.expected is UNSET else _clean_expected(body.expected, queries)
    async with call.platform.database.transaction() as connection:
        await store.lock_control_queries(connection)
        present = await store.list_control_queries(connection)
        require_present_match(call, _to_wire(present))
        if given is not None:
            await _require_known(connection, given)
        expected = {each.query: each.expected for each in present} if given is None else given
        stored = [ControlQuery(query, expected.get(query, [])) for query in queries]
        await store.replace_control_queries(connection, stored)
        await call.platform.audit.record(
            connection, call, "update", fields=describe_event(control_queries=len(queries))
        )
    return _to_wire(stored)


async def evaluate(call: Call) -> ControlEvaluation:
    """Run the control queries and return the figures. Raises Unavailable without an index or if it takes too long."""
    last = call.platform.part(LastEvaluation)
    try:
        async with asyncio.timeout(LONGEST_SECONDS), last.lock:
            return await _evaluate(call, last)
    except TimeoutError:
        text = "A busca está ocupada demais para medir as buscas de controle. Tente de novo em instantes."
        raise Unavailable(text, code="evaluation-timeout", retry_after=5) from None


async def compare_tables(connection: Connection, source: Alias, target: Alias) -> ControlReport:
    """Run the control queries on two tables and compare the results. This indexes both tables in memory."""
    queries, synonyms = await store.list_control_queries(connection), await public_search.read_synonyms(connection)
    if not queries:
        return ControlReport(0, 1.0, 0.0)
    found = []
    for alias in (source, target):
        index = await index_table(connection, alias)
        found.append([_list_ids(_search(index, synonyms, each.query)) for each in queries])
    overlaps = [_overlap(before, after) for before, after in zip(*found, strict=True)]
    return ControlReport(len(queries), sum(overlaps) / len(queries), found[1].count([]) / len(queries))


async def _evaluate(call: Call, last: LastEvaluation) -> ControlEvaluation:
    async with call.platform.database.connection() as connection:
        queries = await store.list_control_queries(connection)
    public_index, synonyms = call.platform.part(PublicIndex), await public_search.find_synonyms(call.platform)
    await public_index.read()
    key = (public_index.version, synonyms, msgspec.json.encode(queries))
    if last.value is not None and last.key == key:
        return last.value
    results, judgements = [], []
    for each in queries:
        result, judgement = _judge_query(await public_index.read(), synonyms, each)
        results.append(result)
        if each.expected:
            judgements.append(judgement)
        await asyncio.sleep(0)  # let other requests run
    rating = evaluation.rate(judgements)
    first, among_three, ndcg = (
        round(share, 4) if judgements else None for share in (rating.first, rating.among_three, rating.ndcg)
    )
    last.key, last.value = key, ControlEvaluation(rating.count, first, among_three, ndcg, results)
    return last.value


def _judge_query(index: ServiceIndex, synonyms: Synonyms, asked: ControlQuery) -> tuple[ControlResult, Judgement]:
    expected = [_describe_expected(index, service_id) for service_id in asked.expected]
    right = {each.id for each in expected if each.is_public}
    found = _search(index, synonyms, asked.query)
    judgement = evaluation.judge(_list_ids(found), right)
    if right and judgement.rank is None and found.total > SHOWN:
        judgement = evaluation.judge(_list_ids(_search(index, synonyms, asked.query, LOOKED_AT)), right)
    result = ControlResult(
        asked.query,
        expected,
        [NamedService(each.service.id, each.service.nome_servico) for each in found.services[:NAMED]],
        found.total,
        found.suggestion,
        judgement.rank,
        judgement.find_cause(found.total) if right else "not_public" if expected else None,
    )
    return result, judgement


def _describe_expected(index: ServiceIndex, service_id: str) -> ExpectedService:
    service = index.find_service(service_id)
    if service is None:
        return ExpectedService(service_id, None, is_public=False)
    return ExpectedService(service_id, service.nome_servico, is_public=service.status == 1 and not service.is_exclusive)


def _search(index: ServiceIndex, synonyms: Synonyms, query: str, most: int = SHOWN) -> Found:
    return public_search.search_index(index, synonyms, SearchRequest(q=query, per_page=most, highlight=False))


def _list_ids(found: Found) -> list[str]:
    return [each.service.id for each in found.services]


def _overlap(before: list[str], after: list[str]) -> float:
    if not before and not after:
        return 1.0
    return len(set(before) & set(after)) / max(len(before), len(after))


def _clean_query(field: str, query: str) -> str:
    return clean_text(field, query, longest=LONGEST_QUERY)


def _clean_expected(given: Sequence[ExpectedServices], queries: Sequence[str]) -> dict[str, list[str]]:
    """Return the services of each query. Raises Invalid for an unknown query, a malformed id or too many services."""
    expected: dict[str, list[str]] = {}
    for each in given:
        query = _clean_query("expected", each.query)
        if query not in queries or not all(map(is_uuid, each.services)):
            text = "O campo `expected` deve ter buscas de `queries`, com identificadores de serviços."
            raise Invalid(text, code="expected-invalid")
        expected[query] = list(dict.fromkeys([*expected.get(query, ()), *map(str.lower, each.services)]))
        if len(expected[query]) > MOST_EXPECTED:
            text = f"O campo `expected` deve ter no máximo {MOST_EXPECTED} serviços para cada busca."
            raise Invalid(text, code="expected-count")
    return expected


async def _require_known(connection: Connection, expected: Mapping[str, Sequence[str]]) -> None:
    """Raise Invalid if a service never existed. A deleted service may stay in the list."""
    ids = list({service_id for services in expected.values() for service_id in services})
    if len(await store.list_known_services(connection, ids)) < len(ids):
        raise Invalid("O campo `expected` tem um serviço que não existe.", code="expected-unknown")


def _to_wire(stored: Sequence[ControlQuery]) -> ControlQueries:
    expected = [ExpectedServices(each.query, each.expected) for each in stored if each.expected]
    return ControlQueries([each.query for each in stored], expected or UNSET)
