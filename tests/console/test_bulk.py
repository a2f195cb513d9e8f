"""Long work on many records, as a page begins it: with a real session, real calls and what may go wrong."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

import pytest

from balcao.console.api import Api, Away
from balcao.console.areas import AREAS
from balcao.console.bulk.service import BulkKind, Failure, Work
from balcao.console.panel import Panel
from balcao.console.rights import read_rights
from balcao.console.sessions.service import Session
from tests.support.panel import PanelClient
from tests.support.patience import until
from tests.support.sandbox import Sandbox

RECORDS = [f"record-{number}" for number in range(25)]


async def do_some(api: Api, given: Mapping[str, str], records: Sequence[str]) -> Sequence[Failure]:
    """Call a service as the person; one in ten is refused, and the chunk that holds `away` is not answered."""
    await read_rights(api)
    if given.get("away") in records:
        raise Away("O serviço não respondeu a tempo.")
    return [Failure(record, f"Pessoa {record}", "já decidida") for record in records if record.endswith("7")]


async def stand_still(_: Api, __: Mapping[str, str], ___: Sequence[str]) -> Sequence[Failure]:
    raise RuntimeError("the process ends")


DOING = BulkKind("test.do", "Decidir", do_some, chunk=10)
STOPPING = BulkKind("test.stop", "Decidir", stand_still, chunk=10)


@asynccontextmanager
async def opened_panel(sandbox: Sandbox, cookie: str) -> AsyncIterator[tuple[Panel, Session]]:
    area = dataclasses.replace(AREAS[0], bulk=[DOING, STOPPING])
    panel = Panel(sandbox.settings, sandbox.database_url, [area])
    async with panel.open():
        session = await panel.sessions.find(cookie)
        assert session is not None
        yield panel, session


async def wait_for(panel: Panel, session: Session, number: object) -> Work:
    await until(lambda: not panel.bulk.is_busy)
    work = await panel.bulk.find(session, str(number))
    assert work is not None
    assert work.is_over
    return work


@pytest.fixture
def cookie(panel: PanelClient, sandbox: Sandbox) -> str:
    panel.login("kleber")
    return panel.http.cookies[f"painel-{sandbox.settings.port}"]


async def test_work_is_done_in_chunks_and_says_what_could_not_be_done(sandbox: Sandbox, cookie: str) -> None:
    async with opened_panel(sandbox, cookie) as (panel, session):
        number = await panel.bulk.begin(session, DOING, "Vaga", RECORDS, {}, "/painel")
        work = await wait_for(panel, session, number)
        assert (work.stored.total, work.stored.done, work.stored.failed) == (25, 23, 2)
        assert [failure.record for failure in work.content.failures] == ["record-7", "record-17"]
        again = await panel.bulk.repeat_failed(session, work)
        assert (await wait_for(panel, session, again)).stored.total == 2


async def test_a_chunk_that_a_service_does_not_answer_is_told_and_the_others_are_done(
    sandbox: Sandbox, cookie: str
) -> None:
    async with opened_panel(sandbox, cookie) as (panel, session):
        number = await panel.bulk.begin(session, DOING, "Vaga", RECORDS, {"away": "record-3"}, "/painel")
        work = await wait_for(panel, session, number)
        assert (work.stored.done, work.stored.failed) == (14, 11)


async def test_nobody_finds_the_work_of_another_and_the_table_says_nothing_of_it(
    panel: PanelClient, sandbox: Sandbox, cookie: str, sql: Callable[..., list[dict[str, bytes]]]
) -> None:
    panel.http.cookies.clear()
    panel.login("ana")
    other = panel.http.cookies[f"painel-{sandbox.settings.port}"]
    async with opened_panel(sandbox, cookie) as (ours, session):
        number = await ours.bulk.begin(session, DOING, "Vaga", RECORDS, {}, "/painel")
        await wait_for(ours, session, number)
        stranger = await ours.sessions.find(other)
        assert stranger is not None
        assert await ours.bulk.find(stranger, str(number)) is None
        assert await ours.bulk.find(session, "nothing") is None
    rows = await asyncio.to_thread(sql, "SELECT content FROM console.bulk_work")
    assert not any(b"record-" in row["content"] for row in rows)


async def test_work_that_lost_its_process_stands_still_until_the_person_goes_on(
    sandbox: Sandbox, cookie: str, sql: Callable[..., list[dict[str, bytes]]]
) -> None:
    async with opened_panel(sandbox, cookie) as (panel, session):
        number = await panel.bulk.begin(session, STOPPING, "Vaga", RECORDS, {}, "/painel")
        await until(lambda: not panel.bulk.is_busy)
        await asyncio.to_thread(sql, "UPDATE console.bulk_work SET worked_at = now() - interval '2 minutes'")
        work = await panel.bulk.find(session, str(number))
        assert work is not None
        assert (work.stored.is_still, work.stored.done) == (True, 0)
        going_on = dataclasses.replace(work)
        going_on.content.kind = DOING.name
        await panel.bulk.go_on(session, going_on)
        assert (await wait_for(panel, session, number)).stored.done == 23
