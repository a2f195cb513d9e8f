"""Conversions between schema versions lose nothing, and a faulty one blocks no writes (rules: search 3.5, 4.4)."""

import asyncio
import json
import re
import unicodedata
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.core.context.platform import Platform
from balcao.core.errors import Invalid, Unavailable
from balcao.search.collection.service import check_collection
from balcao.search.collection.store import swap_tables
from balcao.search.schema_migrations import service as migrations
from balcao.search.schema_migrations.schemas import StartBody
from balcao.search.services import service as services
from balcao.search.services.schemas import StaffService
from tests.search.support import act_as_staff, body, migrate, with_v4
from tests.support.polling import PATIENCE

pytestmark = pytest.mark.usefixtures("empty_catalogue")

_FIELDS = "SELECT fields FROM search.schema_versions WHERE version = $1"
_STEP = "SELECT doc, carried FROM search.step($1, $2, $3, $4, $5)"

names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=80)
ids = st.uuids(version=4)


class Steps:
    """Synchronous calls to `search.step` and `search.slug_of`, and the versions' fields, for property tests."""

    def __init__(self, url: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._connection = self._loop.run_until_complete(asyncpg.connect(url))

    def close(self) -> None:
        self._loop.run_until_complete(self._connection.close())
        self._loop.close()

    def fields(self, version: str) -> list[str]:
        fields: list[str] = self._run(_FIELDS, version)[0]["fields"]
        return fields

    def slug(self, name: str, service_id: UUID) -> str:
        return str(self._run("SELECT search.slug_of($1, $2, 8) AS slug", name, service_id)[0]["slug"])

    def step(self, service_id: UUID, doc: Any, carried: Any, start: str, goal: str) -> tuple[Any, Any]:
        row = self._run(_STEP, service_id, json.dumps(doc), json.dumps(carried), start, goal)[0]
        return json.loads(row["doc"]), json.loads(row["carried"])

    def _run(self, statement: str, *args: Any) -> list[asyncpg.Record]:
        return self._loop.run_until_complete(self._connection.fetch(statement, *args))


@pytest.fixture(scope="module")
def steps(database_url: str) -> Iterator[Steps]:
    opened = Steps(database_url)
    yield opened
    opened.close()


documents = st.fixed_dictionaries(
    {
        "nome_servico": names,
        "sub_categoria": st.one_of(st.none(), names),
        "slug": st.one_of(st.none(), st.just("outro-slug")),
        "slug_history": st.lists(st.sampled_from(["a-1", "b-2"]), max_size=2),
    }
)
unknown = st.dictionaries(st.sampled_from(["novo_campo", "outro"]), st.integers(), max_size=2)


@given(ids, documents, unknown)
def test_the_way_to_v1_and_back_loses_nothing(steps: Steps, service_id: UUID, doc: Any, carried: Any) -> None:
    doc["slug"] = doc["slug"] or steps.slug(doc["nome_servico"], service_id)
    down = steps.step(service_id, doc, carried, "v3", "v1")
    assert not {"slug", "slug_history", "sub_categoria"} & set(down[0])
    assert steps.step(service_id, *down, "v1", "v3") == (doc, carried)


@given(ids, names, st.fixed_dictionaries({}, optional={"sub_categoria": names}), unknown)
def test_a_row_that_never_had_the_new_members_comes_back_as_it_was(
    steps: Steps, service_id: UUID, name: str, own: Any, carried: Any
) -> None:
    doc, carried = {"nome_servico": name}, own | carried
    up = steps.step(service_id, doc, carried, "v1", "v3")
    assert up[0] == doc | {
        "sub_categoria": own.get("sub_categoria"),
        "slug": steps.slug(name, service_id),
        "slug_history": [],
    }
    assert steps.step(service_id, *up, "v3", "v1") == (doc, carried)


@given(ids, names)
def test_a_slug_is_plain_short_and_ends_with_the_id(steps: Steps, service_id: UUID, name: str) -> None:
    slug = steps.slug(name, service_id)
    assert re.fullmatch(r"([a-z0-9]+-)*[0-9a-f]{8}", slug)
    assert slug.endswith(str(service_id)[:8])
    assert len(slug) <= 59
    assert slug == steps.slug(unicodedata.normalize("NFD", name), service_id)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Segunda via do IPTU", "segunda-via-do-iptu-"),
        ("Licença-prêmio: 1ª concessão!", "licenca-premio-1a-concessao-"),
        ("ÀÉÎÕÜ  ç", "aeiou-c-"),
        ("!!!", ""),
        ("a" * 60, "a" * 50 + "-"),
        ("credencial de estacionamento para pessoa com deficiencia", "credencial-de-estacionamento-para-pessoa-com-"),
    ],
)
def test_slugs_read_as_the_name(steps: Steps, name: str, words: str) -> None:
    service_id = UUID("aaaaaaaa-1111-4111-8111-111111111111")
    assert steps.slug(name, service_id) == f"{words}aaaaaaaa"


async def read(platform: Platform, service_id: str) -> StaffService:
    """Return the service in the response to a change that has no effect."""
    return await services.update_service(act_as_staff(platform), service_id, body(sub_categoria="Áreas verdes"))


@pytest.mark.cases("search", "67")
async def test_v3_to_v1_and_back_changes_no_answer(platform: Platform, owner: asyncpg.Connection) -> None:
    call = act_as_staff(platform)
    service = await services.create_service(call, body(nome_servico="Corte"))
    service = await services.update_service(call, service.id, body(sub_categoria="Áreas verdes"))
    history = await owner.fetch("SELECT * FROM search.service_versions")
    for version in ("v1", "v2", "v3"):
        assert (await migrate(platform, version)).status == "completed"
        assert await read(platform, service.id) == service
    assert await owner.fetch("SELECT * FROM search.service_versions") == history


async def test_every_write_reaches_both_tables_whatever_their_schemas(
    platform: Platform, owner: asyncpg.Connection
) -> None:
    call = act_as_staff(platform)
    kept, removed = [await services.create_service(call, body()) for _ in range(2)]
    assert (await migrate(platform, "v1")).status == "completed"
    await services.update_service(call, kept.id, body(sub_categoria="Nova"))
    await services.delete_service(call, removed.id)
    await services.create_service(call, body())
    physical, mirror = await owner.fetchrow("SELECT physical, mirror FROM search.search_collection")
    assert await owner.fetchval(f"SELECT count(*) FROM search.{mirror}") == 2
    assert await compare(owner, physical, mirror) == []
    derived = "SELECT id, tema_fold, sub_fold, orgao_fold, publico_fold, nome_fold FROM search.{} ORDER BY id"
    rows, mirrored = [await owner.fetch(derived.format(table)) for table in (physical, mirror)]
    assert rows == mirrored
    assert {row["sub_fold"] for row in rows} == {"nova", None}


@pytest.mark.cases("search", "62")
async def test_a_step_that_fails_for_one_row_fails_the_run_and_no_writer(
    platform: Platform, owner: asyncpg.Connection
) -> None:
    call = act_as_staff(platform)
    good, bad = (
        await services.create_service(call, body()),
        await services.create_service(call, body(nome_servico="Quebra")),
    )
    async with with_v4(owner):
        active = await owner.fetchrow("SELECT * FROM search.search_collection")
        status = await migrate(platform, "v4")
        assert (status.status, status.is_locked, status.migrated_documents) == ("failed", False, 1)
        assert bad.id in status.error_message
        assert good.id not in status.error_message
        assert await owner.fetchrow("SELECT * FROM search.search_collection") == active
        assert (await services.update_service(call, bad.id, body(nome_servico="Quebra", resumo="Novo"))).version == 2


async def test_a_write_that_cannot_be_mirrored_passes(platform: Platform, owner: asyncpg.Connection) -> None:
    call = act_as_staff(platform)
    async with with_v4(owner):
        service = await services.create_service(call, body())
        assert (await migrate(platform, "v4")).status == "completed"
        assert (await migrate(platform, "v3")).status == "completed"
        assert (await services.update_service(call, service.id, body(nome_servico="Quebra"))).nome_servico == "Quebra"
        failed = await owner.fetchrow("SELECT service_id::text, reason FROM search.search_migration_errors")
        assert tuple(failed) == (service.id, "SQLSTATE 22012")


async def test_a_target_that_differs_in_one_row_is_found_though_the_counts_agree(
    platform: Platform, owner: asyncpg.Connection
) -> None:
    call = act_as_staff(platform)
    services_made = [await services.create_service(call, body()) for _ in range(3)]
    await migrate(platform, "v2")
    physical, mirror = await owner.fetchrow("SELECT physical, mirror FROM search.search_collection")
    await owner.execute(f"UPDATE search.{mirror} SET carried = '{{\"x\": 1}}' WHERE id = $1", services_made[1].id)
    assert await compare(owner, physical, mirror) == [services_made[1].id]


async def compare(owner: asyncpg.Connection, source: str, target: str) -> list[str]:
    """Return the ids of the services that differ between the tables."""
    found = await owner.fetchval("SELECT differing FROM search.compare_chunk($1, $2, NULL, NULL)", source, target)
    return [str(one) for one in found]


@pytest.mark.parametrize("reverse", ["'no_such_function'", "'volatile_step'", "NULL"])
async def test_a_version_without_a_sound_way_back_is_not_registered(owner: asyncpg.Connection, reverse: str) -> None:
    await owner.execute("""
        CREATE OR REPLACE FUNCTION search.volatile_step(id uuid, doc jsonb, carried jsonb) RETURNS search.divided
            LANGUAGE sql VOLATILE AS 'SELECT doc, carried'
    """)
    with pytest.raises(asyncpg.PostgresError):
        await owner.execute(f"""
            INSERT INTO search.schema_versions (version, position, fields, columns, indexes, forward, reverse)
            SELECT 'v4', 4, fields, columns, indexes, 'v3_forward', {reverse} FROM search.schema_versions
            WHERE version = 'v3'
        """)


async def test_a_table_of_a_newer_program_is_neither_written_nor_called_ready(
    platform: Platform, owner: asyncpg.Connection
) -> None:
    assert await check_collection(platform) == {"collection": True}
    await owner.execute("UPDATE search.search_collection SET fold_revision = 99")
    try:
        assert await check_collection(platform) == {"collection": False}
        with pytest.raises(Unavailable):
            await services.create_service(act_as_staff(platform), body())
    finally:
        await owner.execute("UPDATE search.search_collection SET fold_revision = search.fold_revision()")


async def test_a_release_gives_the_tables_other_columns_and_keeps_every_row(
    platform: Platform, owner: asyncpg.Connection
) -> None:
    call = act_as_staff(platform)
    service = await services.create_service(call, body(sub_categoria="Áreas verdes"))
    assert (await migrate(platform, "v2")).status == "completed"
    former = await owner.fetchrow("SELECT physical, mirror, generation FROM search.search_collection")
    async with _rolled_back(owner):
        await owner.execute("UPDATE search.schema_versions SET fold_revision = 7 WHERE version = 'v2'")
        built = await owner.fetchval("SELECT search.rebuild()")
        alias = await owner.fetchrow("SELECT * FROM search.search_collection")
        assert tuple(alias) == ("services", built, None, "v2", 7, former["generation"] + 1, None)
        assert await owner.fetchval(f"SELECT id::text FROM search.{built}") == service.id
        assert await owner.fetchval("SELECT array_agg(name) FROM search.physical_tables") == [built]
        assert await owner.fetchval("SELECT count(*) FROM search.search_migrations WHERE rollback_until > now()") == 0


async def test_a_writer_that_waited_for_a_switch_writes_to_the_table_it_leads_to(
    platform: Platform, owner: asyncpg.Connection
) -> None:
    assert (await migrate(platform, "v2")).status == "completed"
    former, goal = await owner.fetchrow("SELECT physical, mirror FROM search.search_collection")
    async with owner.transaction():
        assert await swap_tables(owner, former, goal)
        writer = asyncio.create_task(services.create_service(act_as_staff(platform), body()))
        async with asyncio.timeout(PATIENCE):
            while not await owner.fetchval(_WAITING_WRITERS):  # noqa: ASYNC110 - the server tells nobody
                await asyncio.sleep(0)
    service = await writer
    assert await owner.fetchval(f"SELECT id::text FROM search.{goal}") == service.id


_WAITING_WRITERS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND NOT granted"


@asynccontextmanager
async def _rolled_back(owner: asyncpg.Connection) -> AsyncIterator[None]:
    transaction = owner.transaction()
    await transaction.start()
    try:
        yield
    finally:
        await transaction.rollback()


async def test_an_unknown_schema_version_is_refused_with_the_known_ones(platform: Platform) -> None:
    with pytest.raises(Invalid, match="v1, v2, v3") as refused:
        await migrations.start_migration(act_as_staff(platform), StartBody("v9"))
    assert refused.value.code == "schema-unknown"
