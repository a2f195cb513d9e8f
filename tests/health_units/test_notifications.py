"""Notifications stored in a real database."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from datetime import timedelta

import asyncpg
import pydantic
import pytest
import pytest_asyncio

from balcao.core.context.call import Call, operator_call
from balcao.core.context.headers import Headers
from balcao.core.context.platform import Platform, assemble
from balcao.core.errors import Conflict, NotFound, PreconditionFailed
from balcao.core.values.clock import utc_now
from balcao.core.values.cnes import Cnes
from balcao.health_units.notifications import service, states, store
from balcao.health_units.notifications.cursors import decode_notification_cursor, encode_notification_cursor
from balcao.health_units.notifications.schemas import Causa, ChangeBody, CloseBody, LogQuery, OpenBody
from balcao.health_units.records import Tipo
from balcao.health_units.situation import Risco
from balcao.health_units.units import service as units
from balcao.health_units.units.schemas import UnitBody
from balcao.settings import Settings
from tests.support.open_platform import opened
from tests.support.rules import read_values

_codes = itertools.count(6000001)


@pytest.fixture
def call(platform: Platform) -> Call:
    return operator_call(platform, "health_units.test")


@pytest_asyncio.fixture
async def unit(call: Call) -> Cnes:
    cnes = Cnes(str(next(_codes)))
    await units.put_unit(call, cnes, UnitBody(nome="Unidade de teste", tipo=Tipo.UPA))
    return cnes


@pytest_asyncio.fixture
async def second_process(settings: Settings, database_url: str) -> AsyncIterator[Call]:
    platform = assemble(settings, database_url)
    async with opened(platform):
        yield operator_call(platform, "health_units.test")


async def rows(call: Call, statement: str, *args: object) -> list[asyncpg.Record]:
    async with call.platform.database.connection() as connection:
        return list(await connection.fetch(statement, *args))


@pytest.mark.cases("health_units", "12")
async def test_opening_while_one_is_active_writes_nothing(call: Call, unit: Cnes) -> None:
    present = await service.open_notification(call, unit, OpenBody(risco=Risco.LARANJA))
    before = await rows(call, "SELECT (SELECT last FROM health_units.feed_counter), count(*) FROM platform.audit_event")
    with pytest.raises(Conflict, match=f"{present.id}, Laranja"):
        await service.open_notification(call, unit, OpenBody(risco=Risco.VERDE))
    assert await service.count_notification_events(call, unit) == 1
    after = await rows(call, "SELECT (SELECT last FROM health_units.feed_counter), count(*) FROM platform.audit_event")
    assert before == after


@pytest.mark.cases("health_units", "13")
async def test_of_twenty_parallel_openings_one_wins(call: Call, second_process: Call, unit: Cnes) -> None:
    attempts = [
        service.open_notification((call, second_process)[number % 2], unit, OpenBody(risco=Risco.AMARELO))
        for number in range(20)
    ]
    results = await asyncio.gather(*attempts, return_exceptions=True)
    assert sum(isinstance(result, Conflict) for result in results) == 19
    assert await service.count_notification_events(call, unit) == 1


async def test_an_unknown_or_deactivated_unit_gets_no_notification(call: Call, unit: Cnes) -> None:
    await units.put_unit(call, unit, UnitBody(nome="Unidade de teste", tipo=Tipo.UPA, ativa=False))
    for cnes in (unit, Cnes("9999999")):
        with pytest.raises(NotFound):
            await service.open_notification(call, cnes, OpenBody(risco=Risco.AMARELO))


@pytest.mark.cases("health_units", "14")
async def test_a_closed_notification_never_changes_again(call: Call, unit: Cnes) -> None:
    opened = await service.open_notification(call, unit, OpenBody(risco=Risco.AMARELO))
    await service.close_notification(call, unit, opened.id, CloseBody())
    with pytest.raises(Conflict):
        await service.change_notification(call, unit, opened.id, ChangeBody(risco=Risco.VERDE))
    with pytest.raises(Conflict):
        await service.close_notification(call, unit, opened.id, CloseBody())
    assert await service.count_notification_events(call, unit) == 2


@pytest.mark.cases("health_units", "15")
async def test_another_units_notification_is_not_found(call: Call, unit: Cnes) -> None:
    opened = await service.open_notification(call, unit, OpenBody(risco=Risco.AMARELO))
    with pytest.raises(NotFound):
        await service.change_notification(call, Cnes("9999999"), opened.id, ChangeBody(risco=Risco.VERDE))


async def test_of_two_changes_of_the_same_state_the_second_is_refused(call: Call, unit: Cnes) -> None:
    opened = await service.open_notification(call, unit, OpenBody(risco=Risco.AMARELO))
    call.headers = Headers({b"if-match": opened.etag.encode()})
    changes = [
        service.change_notification(call, unit, opened.id, ChangeBody(risco=risco))
        for risco in (Risco.LARANJA, Risco.VERDE)
    ]
    results = await asyncio.gather(*changes, return_exceptions=True)
    assert sum(isinstance(result, PreconditionFailed) for result in results) == 1


async def test_the_stored_state_is_what_the_stored_events_add_up_to(call: Call, unit: Cnes) -> None:
    opened = await service.open_notification(call, unit, OpenBody(risco=Risco.LARANJA, motivo="barulho na rua"))
    await service.change_notification(call, unit, opened.id, ChangeBody(risco=Risco.VERMELHO))
    await service.change_notification(call, unit, opened.id, ChangeBody(risco=Risco.VERMELHO))
    closed = await service.close_notification(call, unit, opened.id, CloseBody(causa=Causa.ENGANO, risco=Risco.VERDE))
    async with call.platform.database.connection() as connection:
        events = [each.event for each in await store.list_notification_events(connection, opened.id)]
    assert [event.tipo for event in events] == ["abertura", "mudanca", "confirmacao", "encerramento"]
    assert (
        states.replay_events(opened.id, unit.digits, events)
        == closed
        == await service.read_latest_notification(call, unit)
    )


async def test_instants_move_forward_when_the_clock_does_not(call: Call, unit: Cnes) -> None:
    now = utc_now()
    opened = await service.open_notification(call, unit, OpenBody(risco=Risco.AMARELO), now)
    closed = await service.close_notification(call, unit, opened.id, CloseBody(), now - timedelta(hours=1))
    again = await service.open_notification(call, unit, OpenBody(risco=Risco.VERDE), now - timedelta(hours=2))
    assert opened.ultima_atualizacao < closed.ultima_atualizacao < again.aberta_em


async def test_many_acts_at_once_are_never_told_ahead_of_the_clock(call: Call, unit: Cnes) -> None:
    """The time of a change is never in the future.

    An earlier version of the code added a second for each concurrent change.
    """
    opened = await service.open_notification(call, unit, OpenBody(risco=Risco.AMARELO))
    body = ChangeBody(risco=Risco.LARANJA)
    changes = [service.change_notification(call, unit, opened.id, body) for _ in range(40)]
    changed = await asyncio.gather(*changes)
    assert max(each.ultima_atualizacao for each in changed) <= utc_now()


async def test_a_notification_is_found_by_the_instant_that_was_shown(call: Call, unit: Cnes) -> None:
    at = utc_now().replace(microsecond=700_000)
    opened = await service.open_notification(call, unit, OpenBody(risco=Risco.AMARELO), at)
    shown = at.replace(microsecond=0)
    (found,) = await service.list_notifications(call, unit, LogQuery(de=shown, ate=shown), None)
    assert found.id == opened.id
    none = await service.list_notifications(call, unit, LogQuery(ate=shown - timedelta(seconds=1)), None)
    assert none == []


async def test_notifications_of_one_second_are_paged_without_loss(call: Call, unit: Cnes) -> None:
    at = utc_now().replace(microsecond=0)
    opened = []
    for micros in (100, 200, 300):
        moment = at + timedelta(microseconds=micros)
        opened.append((await service.open_notification(call, unit, OpenBody(risco=Risco.AMARELO), moment)).id)
        await service.close_notification(call, unit, opened[-1], CloseBody(), moment)
    before, read = None, []
    while page := await service.list_notifications(call, unit, LogQuery(limit=1), before):
        read.append(page[0].id)
        before = decode_notification_cursor(unit, encode_notification_cursor(unit, page[0].aberta_em))
    assert read == opened[::-1]


@pytest.mark.cases("health_units", "21")
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE health_units.notification_events SET motivo = 'outro'",
        "DELETE FROM health_units.notification_events",
        "UPDATE health_units.change_feed SET tipo = 'unidade'",
        "DELETE FROM health_units.change_feed",
    ],
)
async def test_the_services_own_role_cannot_rewrite_the_log(call: Call, statement: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await rows(call, statement)


@pytest.mark.cases("health_units", "28")
async def test_the_feed_shows_no_number_before_a_lower_one(call: Call, second_process: Call, unit: Cnes) -> None:
    """One writer gets its number before the other one starts. Readers see no gap, whichever writer commits first."""
    unit_of_second = Cnes(str(next(_codes)))
    await units.put_unit(call, unit_of_second, UnitBody(nome="Outra", tipo=Tipo.CF))
    seen: list[list[int]] = []

    async def watch() -> None:
        while len(seen) < 60:
            found = await rows(call, "SELECT sequencia FROM health_units.change_feed ORDER BY sequencia")
            seen.append([row["sequencia"] for row in found])

    async def write(by: Call, cnes: Cnes) -> None:
        opened = await service.open_notification(by, cnes, OpenBody(risco=Risco.AMARELO))
        for risco in (Risco.LARANJA, Risco.VERMELHO, Risco.VERDE):
            await service.change_notification(by, cnes, opened.id, ChangeBody(risco=risco))

    await asyncio.gather(watch(), write(call, unit), write(second_process, unit_of_second))
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in seen)


async def test_a_feed_entry_has_the_instant_of_its_change_and_none_before_the_last(call: Call, unit: Cnes) -> None:
    newest = "SELECT em FROM health_units.change_feed ORDER BY sequencia DESC LIMIT 1"
    before = utc_now()
    opened = await service.open_notification(call, unit, OpenBody(risco=Risco.AMARELO))
    (entry,) = await rows(call, newest)
    assert before <= entry["em"] <= utc_now()
    ahead = utc_now() + timedelta(hours=1)  # as if the clock was set back
    await rows(call, "UPDATE health_units.feed_counter SET em = $1", ahead)
    await service.close_notification(call, unit, opened.id, CloseBody())
    (entry,) = await rows(call, newest)
    assert entry["em"] == ahead
    await rows(call, "UPDATE health_units.feed_counter SET em = $1", before)


async def test_a_feed_entry_carries_both_objects_as_callers_see_them(call: Call, unit: Cnes) -> None:
    await service.open_notification(call, unit, OpenBody(risco=Risco.VERMELHO))
    (entry,) = await rows(
        call,
        "SELECT dados #>> '{notificacao_ativa,risco}' AS ativa, dados #>> '{ultima_notificacao,risco}' AS ultima"
        " FROM health_units.change_feed WHERE cnes = $1 AND tipo = 'risco'",
        unit.digits,
    )
    assert tuple(entry) == ("Vermelho", "Vermelho")


@pytest.mark.cases("health_units", "38")
@pytest.mark.parametrize("motivo", read_values("health_units", "38"))
def test_the_reason_holds_no_persons_data_and_is_short(motivo: str) -> None:
    with pytest.raises(pydantic.ValidationError):
        OpenBody(risco=Risco.AMARELO, motivo=motivo)


@pytest.mark.parametrize("risco", ["Azul", "verde", None])
def test_only_the_four_colours_exist(risco: object) -> None:
    with pytest.raises(pydantic.ValidationError):
        OpenBody.model_validate({"risco": risco})
