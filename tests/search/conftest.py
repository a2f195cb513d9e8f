"""Fixtures: the owner's connection, an empty catalogue, and staff who call over HTTP."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, cast

import asyncpg
import httpx
import pytest
import pytest_asyncio

from balcao.core.database.pool import Connection
from balcao.search.public_search.service import read_synonyms
from balcao.search.public_search.synonyms import Synonyms
from balcao.settings import Settings
from tests.search.freshness import Freshness
from tests.search.staff import Ask, Staff
from tests.search.stage import Stage
from tests.support.issuer import Issuer

EMPTY = [
    "TRUNCATE search.service_feedback, search.service_feedback_days, search.zero_results,"
    " search.index_changes, search.service_phrases, search.synonyms, search.service_views,"
    " search.service_popularity, search.tombamentos, search.search_migrations, search.search_migration_errors,"
    " search.service_versions, search.service_proposals, search.feed_entries,"
    " search.service_slugs, search.service_head",
    "UPDATE search.search_collection SET mirror = NULL",
    "SELECT search.begin_with('v3')",
    "SELECT search.drop_physical(name) FROM search.physical_tables"
    " WHERE name <> (SELECT physical FROM search.search_collection)",
]


@pytest.fixture
def empty_catalogue(sql: Callable[..., list[asyncpg.Record]]) -> None:
    """Reset the catalogue to that of a new installation: the newest schema version, no services, no migration runs."""
    for statement in EMPTY:
        sql(statement)


@pytest_asyncio.fixture
async def owner(database_url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


@pytest.fixture(scope="module")
def freshness(settings: Settings, database_url: str) -> Freshness:
    return Freshness(settings, database_url)


@pytest.fixture(scope="module")
def seeded_synonyms(database_url: str) -> Synonyms:
    """Return the synonyms of a new installation."""

    async def read() -> Synonyms:
        connection = await asyncpg.connect(database_url)
        try:
            return await read_synonyms(cast(Connection, connection))
        finally:
            await connection.close()

    return asyncio.run(read())


@pytest.fixture
def staff(http: httpx.Client, issuer: Issuer) -> Staff:
    return Staff(http, issuer)


@pytest.fixture
def ask(staff: Staff) -> Ask:
    """Return a function that calls the service routes as an administrator of the search, or with another `role`."""
    return lambda method, path="", **options: staff(method, f"/services{path}", **options)


@pytest.fixture
def service(staff: Staff) -> dict[str, Any]:
    return staff.create()


@pytest.fixture(scope="module")
def stage(settings: Settings, database_url: str) -> Iterator[Stage]:
    made = Stage(settings, database_url)
    yield made
    made.close()
