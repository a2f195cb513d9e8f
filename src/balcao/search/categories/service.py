"""Public lists of categories and subcategories, and the order of the categories, which staff set."""

import re

from balcao.core.context.audit import guard_audit_write
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import NotFound
from balcao.core.values.clock import to_unix_seconds, utc_now
from balcao.core.values.text import clean_text
from balcao.search.categories import store
from balcao.search.categories.parameters import LONGEST_NAME, CategoryRequest, is_name
from balcao.search.categories.schemas import (
    Categories,
    CategoryBody,
    FilteredCategory,
    ListMetadata,
    OrderedCategories,
    OrderedCategory,
    Subcategories,
    SubcategoryServices,
)
from balcao.search.categories.store import ServicesPage
from balcao.search.collection.store import read_alias
from balcao.search.conventions import describe_event, make_fault, require_present_match
from balcao.search.popularity import service as popularity
from balcao.search.public import to_listed
from balcao.search.public_search.state import find_reader

UNKNOWN = "Categoria não encontrada."
_NO_SERVICES = ServicesPage(0, [])


async def list_categories(call: Call, request: CategoryRequest) -> Categories:
    """Return the categories, and the services of `request.category` if it is set."""
    async with find_reader(call).connection() as connection:
        alias = await read_alias(connection)
        listed = await store.list_categories(connection, alias, request)
        found = Categories(listed, len(listed), await _describe(connection))
        if request.category is not None:
            services, name = _NO_SERVICES, request.category
            if is_name(request.category):
                name = await store.find_category_name(connection, request.category) or name
                services = await store.list_services_of_category(connection, alias, name, request)
            found.filtered_category = FilteredCategory(
                name, [to_listed(one) for one in services.services], services.total, request.page, request.per_page
            )
    return found


async def list_subcategories(call: Call, category: str, request: CategoryRequest) -> Subcategories:
    """Return the subcategories of a category. For an unknown category, return an empty list."""
    async with find_reader(call).connection() as connection:
        alias = await read_alias(connection)
        listed, name = [], category
        if is_name(category):
            listed = await store.list_subcategories(connection, alias, category, request)
            name = await store.find_category_name(connection, category) or (listed[0].category if listed else category)
        for subcategory in listed:
            subcategory.category = name
        return Subcategories(listed, len(listed), name, await _describe(connection))


async def list_subcategory_services(
    call: Call, subcategory: str, category: str | None, *, sees_drafts: bool, page: int, per_page: int
) -> SubcategoryServices:
    """Return a page of the services in a subcategory, for one category or all categories."""
    services = _NO_SERVICES
    async with find_reader(call).connection() as connection:
        if is_name(subcategory) and is_name(category or ""):
            services = await store.list_services_of_subcategory(
                connection,
                await read_alias(connection),
                subcategory,
                category,
                sees_drafts=sees_drafts,
                page=page,
                per_page=per_page,
            )
        metadata = await _describe(connection)
    listed = [to_listed(one) for one in services.services]
    name = (listed[0].subcategory if listed else None) or subcategory
    return SubcategoryServices(name, listed, services.total, page, per_page, metadata)


async def _describe(connection: Connection) -> ListMetadata:
    return ListMetadata(to_unix_seconds(utc_now()), await popularity.find_source(connection))


async def list_ordered(call: Call) -> OrderedCategories:
    """Return all categories that staff have ordered, including hidden ones."""
    async with call.platform.database.connection() as connection:
        return OrderedCategories(await store.list_ordered_categories(connection))


async def read_ordered(call: Call, name: str) -> OrderedCategory:
    """Return the seed of a category and whether lists show it. Raises NotFound if staff have not ordered it."""
    found = None
    if is_name(name):
        found = await store.read_ordered_category(call.platform.database, name)
    if found is None:
        raise NotFound(UNKNOWN)
    return found


async def order_category(call: Call, name: str, body: CategoryBody) -> OrderedCategory:
    """Set the seed of a category, or create it.

    Raises Invalid for a bad name, and PreconditionFailed if `If-Match` does not match.
    """
    name = clean_text("name", name, longest=LONGEST_NAME)
    if not re.search(r"\w", name):
        raise make_fault("name", "um nome com letras")
    trail = call.platform.audit.encode_event(call, "update", fields=describe_event(category=name))
    async with call.platform.database.transaction() as connection:
        if call.if_match is not None:
            require_present_match(call, await store.lock_ordered_category(connection, name))
        with guard_audit_write():
            return await store.put_ordered_category(connection, name, body.popularity_seed, body.active, trail)
