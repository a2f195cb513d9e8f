"""The staff list uses its database indexes (rules: search 2.2)."""

import asyncio
import json
import re
from typing import cast

import asyncpg
import pytest

from balcao.core.database.pool import Connection
from balcao.search.collection.store import read_alias
from balcao.search.services import listing_store
from balcao.search.services.filters import ServiceFilters
from bench.catalogue import make_services
from tests.search.support import Explained, Explaining

SERVICES = 250


@pytest.fixture(scope="module", autouse=True)
def catalogue(database_url: str) -> None:
    asyncio.run(_fill(database_url))


async def _fill(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    try:
        physical = await connection.fetchval("SELECT physical FROM search.search_collection")
        documents = list(make_services(SERVICES))
        await connection.executemany(
            "INSERT INTO search.service_head (id, next_version, created_at) VALUES ($1, 2, now())",
            [(each["id"],) for each in documents],
        )
        await connection.executemany(
            f"INSERT INTO search.{physical} (id, doc, carried, version) VALUES ($1, $2::jsonb, '{{}}', 1)",
            [(each["id"], json.dumps(each)) for each in documents],
        )
        await connection.execute("ANALYZE")
    finally:
        await connection.close()


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("sort_by", ["last_update", "created_at", "published_at"])
async def test_the_staff_list_is_read_in_its_order(owner: asyncpg.Connection, sort_by: str, order: str) -> None:
    alias = await read_alias(owner)
    await owner.execute("SET enable_seqscan = off")
    explaining = Explaining(owner)
    with pytest.raises(Explained):
        await listing_store.list_services(
            cast(Connection, explaining), alias, ServiceFilters(sort_by=sort_by, order=order), 1, 10
        )
    assert re.search(r"Index Scan( Backward)? using \S+_(last_update|int8)_id_idx", explaining.plan), explaining.plan
