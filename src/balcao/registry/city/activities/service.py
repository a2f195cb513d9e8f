"""Read the national classification of economic activities (CNAE). It is public, and only the import writes it."""

from collections.abc import Mapping

from balcao.core.context.call import Call
from balcao.core.values.page import Page
from balcao.registry.city.activities import store
from balcao.registry.city.activities.schemas import Activities
from balcao.registry.city.activities.store import ActivityFilters
from balcao.registry.filters import parse_code, parse_search

CODES = ("secao", "divisao", "grupo", "classe", "subclasse")


async def list_activities(call: Call, query: Mapping[str, str], page: Page) -> Activities:
    """Return a page of activities, sorted by subclass. Raises Invalid if a filter is not valid."""
    filters = ActivityFilters(parse_search(query), *(parse_code(query, name) for name in CODES))
    async with call.reader.connection() as connection:
        found, total = await store.select_activities(connection, filters, page)
    return Activities(found, page.of(total))
