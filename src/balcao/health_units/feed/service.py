"""The numbered feed of public changes, which processes and streams follow (rules: health_units 4.3)."""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from balcao.core.access.caller import Caller
from balcao.core.audit.retention import RetentionCount
from balcao.core.context import tickets
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.database.reloader import notify_processes
from balcao.core.values.clock import format_rfc3339_seconds
from balcao.core.values.cnes import Cnes
from balcao.health_units.feed import store, streams
from balcao.health_units.feed.schemas import ResetEvent, RiskEvent, StreamQuery, StreamTicket, Tipo, UnitEvent
from balcao.health_units.feed.store import NewChange, StoredChange
from balcao.health_units.feed.streams import Change, Hub, Listener
from balcao.health_units.operations import READ
from balcao.health_units.risk import service as risk
from balcao.health_units.risk.board import UnitBoard
from balcao.health_units.risk.schemas import UnitRisk
from balcao.zones import load_zone

# The NOTIFY channel on which a commit announces its entries to all processes.
CHANNEL = "balcao_health_units"
# The background job that sends one entry to one webhook.
WEBHOOK_JOB = "health_units.deliver_webhook"
RISK: Literal["risco"] = "risco"
UNIT: Literal["unidade"] = "unidade"
RESET = "reset"
# The operation to which a ticket gives access.
STREAM = "health_units.stream_changes"
KEPT_FOR = timedelta(days=7)
_PAGE = 500
_decode_risk = msgspec.json.Decoder(UnitRisk).decode


async def publish_risk(connection: Connection, cnes: Cnes, zone: ZoneInfo) -> None:
    """Publish a unit's risk, as this transaction sees it. The times are in `zone`, the city's zone."""
    found = await risk.read_unit_risk(connection, cnes, zone)
    await store.append_changes(connection, CHANNEL, WEBHOOK_JOB, RISK, [NewChange(cnes, found)])


async def publish_imported_risks(connection: Connection, units: Collection[Cnes]) -> None:
    """Publish the risk of each of these units. An import's connection uses the city's time zone."""
    if units:
        found = await risk.list_unit_risks(connection, units, load_zone(await store.read_time_zone(connection)))
        changes = [NewChange(cnes, found[cnes.digits]) for cnes in units]
        await store.append_changes(connection, CHANNEL, WEBHOOK_JOB, RISK, changes)


async def publish_unit(connection: Connection, cnes: Cnes) -> None:
    """Publish that a unit was created or replaced, or that its timetable changed."""
    await publish_units(connection, [cnes])


async def publish_units(connection: Connection, units: Sequence[Cnes]) -> None:
    """Publish, in this order, that these units were created or replaced, or that their timetables changed."""
    if units:
        changes = [NewChange(cnes, {"cnes": cnes.digits}) for cnes in units]
        await store.append_changes(connection, CHANNEL, WEBHOOK_JOB, UNIT, changes)


async def announce_changes(connection: Connection) -> None:
    """Make every process read all units again after a change, such as a holiday, that belongs to no single unit.

    This adds no entry to the feed.
    """
    await notify_processes(connection, CHANNEL)


async def follow_changes(platform: Platform, board: UnitBoard, hub: Hub) -> None:
    """Refresh the board, then send the new changes to the listeners.

    This order ensures that a client that reads a unit after an event gets the new state.
    """
    await risk.refresh_board(platform, board)
    if hub.last is None:
        hub.last = board.sequence
    async for changes in _list_pages(platform, hub.last, board.sequence, ()):
        hub.publish(changes)


async def open_stream(
    call: Call, address: str, codes: Collection[str], after: int | None
) -> AsyncGenerator[bytes, None]:
    """Return the events of these units, or of all units, after the change with the number `after`.

    Without `after`, return only new events. If some changes after `after` are not stored, the first event is `reset`.

    Raises Unavailable if the board is stale, and TooMany if too many streams are open.
    """
    return await _open(call, call.identified_caller, address, codes, after)


async def issue_ticket(call: Call, query: StreamQuery) -> StreamTicket:
    """Issue a single-use ticket for a stream with these parameters, so that a browser needs no token."""
    ticket, ends_at = await tickets.issue_ticket(call, STREAM, query.model_dump())
    return StreamTicket(ticket, format_rfc3339_seconds(ends_at, call.zone))


async def open_stream_by_ticket(call: Call, address: str, ticket: str) -> AsyncGenerator[bytes, None]:
    """Return the events for which the ticket was issued, after another check that its holder may read them.

    Raises the same errors as `open_stream`, Unauthenticated for an unknown, used or expired ticket, and Forbidden if
    the holder may no longer read the events.
    """
    caller, parameters = await tickets.redeem_ticket(call.platform, STREAM, READ, ticket)
    query = StreamQuery.model_construct(**parameters)
    return await _open(call, caller, address, query.cnes, query.desde)


async def _open(
    call: Call, caller: Caller, address: str, codes: Collection[str], after: int | None
) -> AsyncGenerator[bytes, None]:
    board, hub = call.platform.part(UnitBoard), call.platform.part(Hub)
    board.require_fresh()
    assert hub.last is not None
    portal = caller.client in call.platform.settings.risk_portals
    holder = (caller.client, address)
    hub.require_capacity(holder, streams.MOST_OF_PORTAL if portal else streams.MOST_OF_CLIENT)
    listener = Listener(
        holder=holder,
        codes=frozenset(codes),
        joined_at=hub.last,
        after=hub.last,
        ends_at=min(caller.expires_at, time.time() + streams.LONGEST_SECONDS),
        is_current=lambda: board.fresh,
        has_ended=lambda: call.platform.has_ended(caller),
        replay=lambda first, last: _replay(call.platform, first, last, codes),
    )
    hub.listeners.add(listener)  # the listener now receives every new change
    if after is None or await _has_all_changes(call, after):
        listener.after = listener.after if after is None else after
        return hub.listen(listener, b"")
    return hub.listen(listener, _encode_event(RESET, listener.joined_at, ResetEvent(listener.joined_at)))


async def _has_all_changes(call: Call, after: int) -> bool:
    """Return whether all changes after this number are stored.

    Return false if the number is greater than the last one.
    """
    async with call.platform.database.connection() as connection:
        stored = await store.read_feed_range(connection)
    return stored.first - 1 <= after <= stored.last


async def _replay(platform: Platform, after: int, up_to: int, codes: Collection[str]) -> AsyncIterator[bytes]:
    async for changes in _list_pages(platform, after, up_to, codes):
        yield b"".join(change.text for change in changes)


async def _list_pages(
    platform: Platform, after: int, up_to: int, codes: Collection[str]
) -> AsyncIterator[list[Change]]:
    """Yield pages of the changes after the number `after`, up to the number `up_to`."""
    while after < up_to:
        async with platform.database.connection() as connection:
            found = await store.list_feed_changes(connection, after, up_to, codes or None, _PAGE)
        if not found:
            return
        yield [
            Change(each.sequencia, each.cnes, _encode_event(each.tipo, each.sequencia, _to_event(each)))
            for each in found
        ]
        after = found[-1].sequencia


class Published(NamedTuple):
    """An entry of the feed: its kind, its time of publication, and the event for listeners."""

    kind: Tipo
    at: datetime
    event: RiskEvent | UnitEvent


async def read_event(connection: Connection, sequence: int) -> Published | None:
    """Return an entry of the feed, or None if it is no longer stored."""
    found = await store.read_change(connection, sequence)
    return None if found is None else Published(found.change.tipo, found.em, _to_event(found.change))


def _to_event(change: StoredChange) -> RiskEvent | UnitEvent:
    if change.tipo == RISK:
        found = _decode_risk(change.dados)
        return RiskEvent(change.sequencia, change.cnes, found.notificacao_ativa, found.ultima_notificacao)
    return UnitEvent(change.sequencia, change.cnes)


def _encode_event(kind: str, number: int, data: RiskEvent | UnitEvent | ResetEvent) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, kind.encode(), msgspec.json.encode(data))


async def apply_retention(_: Call, connection: Connection) -> RetentionCount:
    """Delete the entries that are older than KEPT_FOR."""
    return await store.delete_old_changes(connection, KEPT_FOR)
