"""The use cases with which staff manage services."""

import asyncio
from typing import Any

import asyncpg
import pytest

from balcao.core.context.platform import Platform
from balcao.core.errors import BalcaoError, Conflict, Forbidden, NotFound, PreconditionFailed
from balcao.search.services import service as services
from balcao.search.services.schemas import ServiceRollbackBody, StaffService
from tests.search.support import NOBODY, act_as_staff, body, make_button

FULL = {
    "sub_categoria": "Áreas verdes",
    "agents": {"tool_hint": "poda", "exclusive_for_agents": True},
    "is_free": True,
    "published_at": 1_700_000_000,
    "documentos_necessarios": ["RG"],
    "buttons": [make_button()],
    "fixar_destaque": True,
    "extra_fields": {"prioridade": 2},
}


async def versions(owner: asyncpg.Connection, service_id: str) -> list[tuple[int, str]]:
    rows = await owner.fetch(
        "SELECT version_number, change_type FROM search.service_versions WHERE service_id = $1 ORDER BY 1", service_id
    )
    return [tuple(row) for row in rows]


async def stored(owner: asyncpg.Connection, service_id: str) -> list[Any]:
    """Return all rows about one service in the database."""
    physical = await owner.fetchval("SELECT physical FROM search.search_collection")
    tables = [f"search.{physical} WHERE id", "search.service_head WHERE id"]
    tables += ["search.service_versions WHERE service_id", "search.service_slugs WHERE service_id"]
    return [await owner.fetch(f"SELECT * FROM {table} = $1 ORDER BY 1", service_id) for table in tables]


async def test_the_required_members_are_enough(platform: Platform, owner: asyncpg.Connection) -> None:
    created = await services.create_service(act_as_staff(platform), body())
    assert (created.version, created.status, created.documentos_necessarios, created.agents) == (1, 0, [], None)
    assert created.slug == f"poda-de-arvore-{created.id[:8]}"
    assert (created.autor, created.resumo_plaintext) == ("Jorge Valente", "Solicita a poda de árvores.")
    assert await versions(owner, created.id) == [(1, "create")]


@pytest.mark.cases("search", "18", "19", "20")
async def test_a_put_keeps_clears_and_resets_as_the_table_says(platform: Platform) -> None:
    call = act_as_staff(platform)
    created = await services.create_service(call, body(**FULL))
    kept = await services.update_service(call, created.id, body(publico_especifico=[]))
    assert (kept.sub_categoria, kept.agents, kept.published_at, kept.is_free, kept.publico_especifico) == (
        created.sub_categoria, created.agents, created.published_at, created.is_free, created.publico_especifico,
    )  # fmt: skip
    assert (kept.documentos_necessarios, kept.buttons, kept.extra_fields) == ([], [], {"prioridade": 2})
    for nothing in (None, ""):
        await services.update_service(call, created.id, body(sub_categoria="x"))
        assert (await services.update_service(call, created.id, body(sub_categoria=nothing))).sub_categoria is None
    cleared = await services.update_service(call, created.id, body(agents=None, is_free=None, extra_fields=None))
    assert (cleared.agents, cleared.is_free, cleared.extra_fields) == (None, None, {})


@pytest.mark.cases("search", "21")
async def test_an_equal_put_leaves_no_version(platform: Platform, owner: asyncpg.Connection) -> None:
    call = act_as_staff(platform)
    created = await services.create_service(call, body(**FULL))
    again = await services.update_service(call, created.id, body(**FULL))
    assert again == created
    assert await versions(owner, created.id) == [(1, "create")]


@pytest.mark.parametrize("unknown", ["5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b11", "x"])
async def test_an_unknown_service_is_not_found(platform: Platform, unknown: str) -> None:
    with pytest.raises(NotFound):
        await services.update_service(act_as_staff(platform), unknown, body())


async def test_without_the_right_to_publish_nothing_published_changes(
    platform: Platform, owner: asyncpg.Connection
) -> None:
    editor = act_as_staff(platform, NOBODY)
    draft = await services.create_service(editor, body())
    public = await services.create_service(act_as_staff(platform), body(status=1))
    before = await stored(owner, draft.id) + await stored(owner, public.id)
    for attempt in (
        services.create_service(editor, body(status=1)),
        services.update_service(editor, draft.id, body(status=1)),
        services.publish_service(editor, draft.id),
        services.update_service(editor, public.id, body(resumo="outro")),
        services.unpublish_service(editor, public.id),
        services.roll_back_service(editor, public.id, ServiceRollbackBody(to_version=1)),
    ):
        with pytest.raises(Forbidden):
            await attempt
    assert await stored(owner, draft.id) + await stored(owner, public.id) == before


async def test_the_editorial_states_write_their_versions(platform: Platform, owner: asyncpg.Connection) -> None:
    call = act_as_staff(platform)
    service = await services.create_service(call, body())
    assert (await services.update_service(call, service.id, body(awaiting_approval=True))).awaiting_approval
    published = await services.publish_service(call, service.id)
    assert (published.status, published.awaiting_approval, published.published_at is not None) == (1, False, True)
    assert await services.publish_service(call, service.id) == published
    unpublished = await services.unpublish_service(call, service.id)
    assert (unpublished.status, unpublished.awaiting_approval) == (0, True)
    assert unpublished.published_at == published.published_at
    both = await services.update_service(call, service.id, body(status=1, awaiting_approval=True))
    assert (both.status, both.awaiting_approval) == (1, False)
    assert [kind for _, kind in await versions(owner, service.id)] == [
        "create", "update", "publish", "unpublish", "publish",
    ]  # fmt: skip


async def test_thirty_parallel_writers_leave_no_gap(platform: Platform, owner: asyncpg.Connection) -> None:
    service = await services.create_service(act_as_staff(platform), body())
    bodies = [body(resumo=f"Texto {number}") for number in range(30)]
    changed = await asyncio.gather(
        *(services.update_service(act_as_staff(platform), service.id, sent) for sent in bodies)
    )
    assert sorted(service.version for service in changed) == list(range(2, 32))
    assert [number for number, _ in await versions(owner, service.id)] == list(range(1, 32))


async def test_of_two_writers_that_read_the_same_state_one_is_told(platform: Platform) -> None:
    service = await services.create_service(act_as_staff(platform), body())
    writers = [
        services.update_service(act_as_staff(platform, if_match='"v1"'), service.id, body(resumo=text))
        for text in ("um", "dois")
    ]
    results = await asyncio.gather(*writers, return_exceptions=True)
    assert {type(result) for result in results} == {StaffService, PreconditionFailed}


async def test_a_rollback_brings_back_content_and_nothing_else(platform: Platform, owner: asyncpg.Connection) -> None:
    call = act_as_staff(platform)
    first = await services.create_service(call, body(**FULL))
    await services.update_service(call, first.id, body(buttons=[], sub_categoria=None))
    published = await services.publish_service(call, first.id)
    back = await services.roll_back_service(call, first.id, ServiceRollbackBody(to_version=1, change_reason="Engano"))
    assert (back.buttons, back.sub_categoria) == (first.buttons, first.sub_categoria)
    assert (back.id, back.created_at, back.autor, back.slug) == (first.id, first.created_at, first.autor, first.slug)
    assert (back.status, back.published_at, back.version) == (1, published.published_at, 4)
    newest = "SELECT * FROM search.service_versions WHERE service_id = $1 AND version_number = 4"
    row = await owner.fetchrow(newest, first.id)
    assert (row["is_rollback"], row["rollback_to_version"], row["previous_version"]) == (True, 1, 3)
    assert (row["change_reason"], row["created_by_cpf"]) == ("Engano", "***.000.202-**")


async def test_a_rollback_names_an_older_version_that_exists(platform: Platform) -> None:
    call = act_as_staff(platform)
    service = await services.create_service(call, body())
    with pytest.raises(Conflict):
        await services.roll_back_service(call, service.id, ServiceRollbackBody(to_version=1))
    with pytest.raises(NotFound):
        await services.roll_back_service(call, service.id, ServiceRollbackBody(to_version=2))


async def test_a_deleted_service_comes_back_in_edition_with_its_id_and_slugs(platform: Platform) -> None:
    call = act_as_staff(platform)
    service = await services.create_service(call, body(status=1))
    renamed = await services.update_service(call, service.id, body(nome_servico="Corte de árvore"))
    await services.delete_service(call, service.id)
    with pytest.raises(NotFound):
        await services.delete_service(call, service.id)
    back = await services.roll_back_service(call, service.id, ServiceRollbackBody(to_version=2))
    assert (back.id, back.status, back.awaiting_approval, back.version) == (service.id, 0, False, 4)
    assert (back.slug, back.slug_history) == (renamed.slug, renamed.slug_history)
    assert (back.autor, back.created_at) == (service.autor, service.created_at)


async def test_a_former_slug_stays_and_comes_back_with_its_name(platform: Platform) -> None:
    call = act_as_staff(platform)
    first = await services.create_service(call, body())
    second = await services.update_service(call, first.id, body(nome_servico="Corte"))
    third = await services.update_service(call, first.id, body(nome_servico="Derrubada"))
    assert third.slug_history == [first.slug, second.slug]
    back = await services.update_service(call, first.id, body())
    assert (back.slug, back.slug_history) == (first.slug, [second.slug, third.slug])


async def test_a_slug_of_another_service_lengthens_the_id_part(platform: Platform) -> None:
    call = act_as_staff(platform)
    one = await services.create_service(call, body(), service_id="aaaaaaaa-1111-4111-8111-111111111111")
    other = await services.create_service(call, body(), service_id="aaaaaaaa-2222-4222-8222-222222222222")
    assert (one.slug, other.slug) == ("poda-de-arvore-aaaaaaaa", "poda-de-arvore-aaaaaaaa-2222")


async def test_two_services_that_want_one_slug_at_once_get_one_each(platform: Platform) -> None:
    ids = ["bbbbbbbb-1111-4111-8111-111111111111", "bbbbbbbb-2222-4222-8222-222222222222"]
    made = await asyncio.gather(
        *(services.create_service(act_as_staff(platform), body(), service_id=service_id) for service_id in ids)
    )
    assert sorted(service.slug.removeprefix("poda-de-arvore-") for service in made) in (
        ["bbbbbbbb", "bbbbbbbb-1111"],
        ["bbbbbbbb", "bbbbbbbb-2222"],
    )


_BREAK = {
    "fault": "RAISE EXCEPTION 'injected'",
    "killed backend": "PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(10)",
}


@pytest.mark.cases("search", "25")
@pytest.mark.parametrize("how", _BREAK.values(), ids=_BREAK)
@pytest.mark.parametrize("table", ["search.service_versions", "platform.audit_event"])
async def test_a_change_that_cannot_be_finished_leaves_nothing(
    platform: Platform, owner: asyncpg.Connection, how: str, table: str
) -> None:
    service = await services.create_service(act_as_staff(platform), body())
    before = await stored(owner, service.id)
    await owner.execute(f"""
        CREATE FUNCTION public.break_off() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
            $$ BEGIN {how}; RETURN NEW; END $$;
        CREATE TRIGGER break_off BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION public.break_off();
    """)
    try:
        with pytest.raises((BalcaoError, asyncpg.PostgresError)):
            await services.update_service(act_as_staff(platform), service.id, body(nome_servico="Outro nome"))
        with pytest.raises((BalcaoError, asyncpg.PostgresError)):
            await services.delete_service(act_as_staff(platform), service.id)
    finally:
        await owner.execute("DROP FUNCTION public.break_off CASCADE")
    assert await stored(owner, service.id) == before
    assert (
        await services.update_service(act_as_staff(platform), service.id, body(nome_servico="Outro nome"))
    ).version == 2


async def test_versions_are_history_also_for_the_service_itself(platform: Platform) -> None:
    service = await services.create_service(act_as_staff(platform), body())
    for statement in ("UPDATE search.service_versions SET created_by = 'x'", "DELETE FROM search.service_versions"):
        async with platform.database.connection() as connection:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(statement)
    assert service.version == 1


async def test_each_change_is_in_the_audit_trail_by_its_members(platform: Platform, owner: asyncpg.Connection) -> None:
    call = act_as_staff(platform)
    service = await services.create_service(call, body())
    await services.update_service(call, service.id, body(resumo="Novo", is_free=True))
    await services.delete_service(call, service.id)
    trail = "SELECT action, fields FROM platform.audit_event WHERE request_id = $1 ORDER BY at"
    created, updated, deleted = await owner.fetch(trail, call.request_id)
    assert (created["action"], created["fields"][:2]) == ("create", [f"service={service.id}", "version=1"])
    assert tuple(updated) == ("update", [f"service={service.id}", "version=2", "resumo", "is_free"])
    assert tuple(deleted) == ("delete", [f"service={service.id}", "version=3"])
