"""Opening, changing, confirming and closing a notification (rules: health_units 4.1).

Each act leaves its event, its entry in the feed and its audit event in one transaction.
"""

from datetime import UTC, datetime
from functools import reduce
from uuid import UUID, uuid5

from balcao.core.context.audit import Action
from balcao.core.context.call import Author, Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid, NotFound
from balcao.core.http.responses import require_match
from balcao.core.values.clock import utc_now
from balcao.core.values.cnes import Cnes
from balcao.core.values.ids import new_id
from balcao.health_units.feed import service as feed
from balcao.health_units.notifications import states, store
from balcao.health_units.notifications.schemas import ChangeBody, CloseBody, LogQuery, OpenBody, Remarks
from balcao.health_units.notifications.states import ImportedNotification, Notification, NotificationEvent
from balcao.health_units.notifications.store import RecordedEvent
from balcao.health_units.reference_lists import service as reference_lists
from balcao.health_units.units import service as units

# What names the notifications of a former system, which has no ids that we know.
_FORMER = UUID("0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d90")
_IMPORTER = Author("Importação", "import")


async def open_notification(call: Call, cnes: Cnes, body: OpenBody, at: datetime | None = None) -> Notification:
    """Open a notification as of `at` (now unless given).

    Raises Unprocessable for a code that is on no list, NotFound for an unknown or deactivated unit, Conflict while
    one is active.
    """
    async with call.platform.database.transaction() as connection:
        await _check(call, connection, cnes, body.remarks)
        await units.lock_active(connection, cnes)
        last = await store.read_latest(connection, cnes)
        after = last.ultima_atualizacao if last else None
        event = states.open_event(body.risco, states.next_instant(at or utc_now(), after))
        notification = states.begin(UUID(new_id()), cnes.digits, event)
        if not await store.insert(connection, notification):
            raise _make_already_active(last)
        await _record(call, connection, "create", notification, event, body.remarks)
    return notification


async def change_notification(
    call: Call, cnes: Cnes, id: UUID, body: ChangeBody, at: datetime | None = None
) -> Notification:
    """Change the colour; the same one again confirms it.

    Raises Unprocessable as `open_notification`, NotFound, Conflict once closed, PreconditionFailed (`If-Match`).
    """
    async with call.platform.database.transaction() as connection:
        present = await _lock(call, connection, cnes, id, body.remarks)
        event = states.change_event(present, body.risco, at or utc_now())
        return await _advance(call, connection, present, event, body.remarks)


async def close_notification(
    call: Call, cnes: Cnes, id: UUID, body: CloseBody, at: datetime | None = None
) -> Notification:
    """Close a notification. Raises as `change_notification`."""
    async with call.platform.database.transaction() as connection:
        present = await _lock(call, connection, cnes, id, body.remarks)
        event = states.close_event(present, body.causa, body.risco, at or utc_now())
        return await _advance(call, connection, present, event, body.remarks)


async def read_notification(call: Call, cnes: Cnes, id: UUID) -> tuple[Notification, list[RecordedEvent]]:
    """Return a notification and its log; the read is recorded. Raises NotFound."""
    async with call.platform.database.transaction() as connection:
        await units.require_area(call, connection, cnes)
        found = await store.read(connection, cnes, id)
        if found is None:
            raise _make_unknown()
        await call.platform.audit.record(connection, call, "read", fields=["eventos"])
        return found, await store.list_events(connection, id)


async def list_notifications(call: Call, cnes: Cnes, query: LogQuery, before: datetime | None) -> list[Notification]:
    """Return up to `limit` + 1 public notifications opened before an instant, newest first. Raises NotFound."""
    async with call.platform.database.connection() as connection:
        bounds = query.de, query.ate
        found = await store.list_public(connection, cnes, query.status, bounds, before, query.limit + 1)
    if found is None:
        raise NotFound("Unidade de saúde não encontrada.", code="unit-not-found")
    return found


async def read_latest(call: Call, cnes: Cnes) -> Notification | None:
    """Return the unit's newest notification, mistakes included."""
    async with call.platform.database.connection() as connection:
        return await store.read_latest(connection, cnes)


async def count_events(call: Call, cnes: Cnes) -> int:
    """Count the entries in the logs of a unit's notifications."""
    async with call.platform.database.connection() as connection:
        return await store.count_events(connection, cnes)


async def import_notification(
    connection: Connection, cnes: Cnes, old: ImportedNotification, motivo: str | None, id_: UUID | None = None
) -> bool:
    """Write a notification of a former system, or what happened to it since; return whether there was anything.

    Unit and opening name it, unless it has an id. Raises Invalid for an unknown unit, and where the unit has another
    active one, or is to get an active one that is not its newest.
    """
    if id_ is None:  # whole seconds, so that a system that tells fractions only now and then is not heard twice
        old = states.cut_to_seconds(old)
    id_ = id_ or uuid5(_FORMER, f"{cnes} {old.aberta_em.astimezone(UTC).isoformat(timespec='seconds')}")
    present = await store.lock(connection, cnes, id_)
    if present is None:
        latest = await store.read_latest(connection, cnes)
        if latest is None and not await units.exists(connection, cnes):
            raise Invalid("O campo `cnes` não é o de uma unidade daqui: importe-a antes.")
        if latest is not None and latest.aberta_em >= old.aberta_em and old.encerrada_em is None:
            raise Invalid("A notificação está ativa, mas a unidade tem outra mais nova: falta o campo `encerrada_em`.")
        if latest is not None and latest.active and latest.aberta_em <= old.aberta_em:
            raise Invalid("A unidade já tem outra notificação ativa.")
        opening = states.open_event(old.risco, old.aberta_em)
        begun = states.begin(id_, cnes.digits, opening)
        later = states.list_later_events(begun, old)
        if not await store.insert(connection, reduce(states.apply, later, begun)):
            raise Invalid("A unidade já tem outra notificação ativa.")
        events = [opening, *later]
    else:
        events = states.list_later_events(present, old)
        if events:
            await store.update(connection, reduce(states.apply, events, present))
    for event in events:
        await store.append_event(connection, id_, event, Remarks(motivo), _IMPORTER)
    return bool(events)


async def _check(call: Call, connection: Connection, cnes: Cnes, remarks: Remarks) -> None:
    """Raise Forbidden outside of the caller's areas, Unprocessable for a code that is on no list."""
    await units.require_area(call, connection, cnes)
    await reference_lists.require_known(connection, remarks.ocorrencia, remarks.consequencias)


async def _lock(call: Call, connection: Connection, cnes: Cnes, id: UUID, remarks: Remarks) -> Notification:
    await _check(call, connection, cnes, remarks)
    present = await store.lock(connection, cnes, id)
    if present is None:
        raise _make_unknown()
    require_match(call.if_match, present.etag)
    return present


async def _advance(
    call: Call, connection: Connection, present: Notification, event: NotificationEvent, remarks: Remarks
) -> Notification:
    new = states.apply(present, event)
    await store.update(connection, new)
    await _record(call, connection, "update", new, event, remarks)
    return new


async def _record(
    call: Call,
    connection: Connection,
    action: Action,
    state: Notification,
    event: NotificationEvent,
    remarks: Remarks,
) -> None:
    await store.append_event(connection, state.id, event, remarks, call.author)
    await call.platform.audit.record(connection, call, action, fields=["risco", "status"])
    await feed.publish_risk(connection, Cnes(state.cnes), call.zone)


def _make_already_active(present: Notification | None) -> Conflict:
    named = f" ({present.id}, {present.risco})" if present else ""
    text = f"A unidade já tem uma notificação ativa{named}: altere-a ou encerre-a."
    return Conflict(text, code="notification-active")


def _make_unknown() -> NotFound:
    return NotFound("Notificação não encontrada nesta unidade.", code="notification-not-found")
