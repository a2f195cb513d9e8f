"""The sandbox catalogue: the same everywhere, through the same code, and ready to show (rules: search 7)."""

from collections.abc import Mapping
from typing import Any

import asyncpg
import httpx
import pytest
import pytest_asyncio

from balcao.core.context.platform import Platform
from balcao.search import demo
from tests.support.issuer import Issuer, bearer

pytestmark = pytest.mark.usefixtures("empty_catalogue")

_COUNTS = """
SELECT (SELECT count(*) FROM search.service_head) AS services,
       (SELECT count(*) FROM search.service_head WHERE deleted_at IS NOT NULL) AS deleted,
       (SELECT count(*) FROM search.service_head WHERE next_version = 7) AS long_histories,
       (SELECT count(*) FROM search.service_versions) AS versions,
       (SELECT count(*) FROM search.search_migrations) AS runs
"""


async def test_a_second_load_changes_nothing(platform: Platform, owner: asyncpg.Connection) -> None:
    await demo.load(platform)
    first = await owner.fetchrow(_COUNTS)
    assert dict(first) == {"services": 182, "deleted": 2, "long_histories": 3, "versions": 239, "runs": 1}
    await demo.load(platform)
    assert await owner.fetchrow(_COUNTS) == first


async def test_an_interrupted_load_goes_on_where_it_stopped(platform: Platform, owner: asyncpg.Connection) -> None:
    await owner.execute("""
        CREATE FUNCTION public.stop_half_way() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF (SELECT count(*) FROM search.service_versions) = 27 THEN RAISE EXCEPTION 'stopped'; END IF;
            RETURN NEW;
        END $$;
        CREATE TRIGGER stop_half_way BEFORE INSERT ON search.service_versions
            FOR EACH ROW EXECUTE FUNCTION public.stop_half_way();
    """)
    try:
        with pytest.raises(asyncpg.RaiseError):
            await demo.load(platform)
    finally:
        await owner.execute("DROP FUNCTION public.stop_half_way CASCADE")
    await demo.load(platform)
    assert (await owner.fetchrow(_COUNTS))["versions"] == 239


_STATES = """
SELECT count(*) FILTER (WHERE status = 1) AS published, count(*) FILTER (WHERE awaiting_approval) AS awaiting,
       count(*) FILTER (WHERE status = 0 AND NOT awaiting_approval) AS in_edition,
       count(*) FILTER (WHERE exclusive) AS exclusive, count(*) FILTER (WHERE fixar_destaque) AS highlighted,
       count(DISTINCT tema_fold) AS categories, count(DISTINCT (tema_fold, sub_fold)) AS subcategories,
       (SELECT count(*) FROM search.tombamentos) AS mappings
FROM search.{physical}
"""


async def test_the_catalogue_has_everything_to_show(platform: Platform, owner: asyncpg.Connection) -> None:
    await demo.load(platform)
    physical = await owner.fetchval("SELECT physical FROM search.search_collection")
    assert dict(await owner.fetchrow(_STATES.format(physical=physical))) == {
        "published": 140, "awaiting": 20, "in_edition": 20, "exclusive": 6, "highlighted": 4,
        "categories": 23, "subcategories": 60, "mappings": 8,
    }  # fmt: skip
    assert await owner.fetchval("SELECT bool_and(created_at < now()) FROM search.service_versions")


@pytest_asyncio.fixture
async def examples(platform: Platform) -> Mapping[str, Any]:
    await demo.load(platform)
    return await demo.examples(platform)


def test_the_examples_work(examples: Mapping[str, Any], http: httpx.Client, issuer: Issuer) -> None:
    assert examples["versions"] == [1, 2, 3, 4, 5, 6]
    token = bearer(issuer.admin())
    path = f"/search/api/v1/admin/services/{examples['service_id']}/versions/compare"
    changed = [
        [change["field_name"] for change in http.get(path, params=query, headers=token).json()["changes"]]
        for query in ({"from_version": number, "to_version": number + 1} for number in range(1, 6))
    ]
    assert changed == [
        ["documentos_necessarios"], ["buttons"], ["published_at", "status"], ["nome_servico"], ["nome_servico"],
    ]  # fmt: skip


def test_the_migration_can_be_rolled_back_at_once(
    examples: Mapping[str, Any], http: httpx.Client, issuer: Issuer
) -> None:
    token = bearer(issuer.admin())
    [run] = http.get("/search/api/v1/admin/migration/history", headers=token).json()["migrations"]
    assert (run["id"], run["status"], run["previous_schema_version"], run["schema_version"], run["started_by"]) == (
        examples["migration_id"], "completed", "v2", "v3", "Marina Sales",
    )  # fmt: skip
    body = {"migration_id": examples["migration_id"]}
    assert http.post("/search/api/v1/admin/migration/rollback", json=body, headers=token).status_code == 200
