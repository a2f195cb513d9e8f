"""Opening, changing, confirming and closing a notification (rules: health_units 4.1).

Each act leaves its event, its entry in the feed and its audit event in one transaction.
"""

from datetime import datetime
from uuid import UUID

from balcao.core.context.audit import Action
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, NotFound
from balcao.core.http.responses import require_match
from balcao.core.values.clock import utc_now
from balcao.core.values.cnes import Cnes
from balcao.core.values.ids import new_id
from balcao.health_units.feed import service as feed
from balcao.health_units.notifications import states, store
from balcao.health_units.notifications.schemas import ChangeBody, CloseBody, LogQuery, OpenBody
from balcao.health_units.notifications.states import Notification, NotificationEvent
from balcao.health_units.notifications.store import RecordedEvent
from balcao.health_units.units import service as units


async def open_notification(call: Call, cnes: Cnes, body: OpenBody, at: datetime | None = None) -> Notification:
    """Open a notification as of `at` (now unless given).

    Raises NotFound for an unknown or deactivated unit, Conflict while one is active.
    """
    async with call.platform.database.transaction() as connection:
        await units.lock_active(connection, cnes)
        last = await store.read_latest(connection, cnes)
        after = last.ultima_atualizacao if last else None
        event = states.open_event(body.risco, states.next_instant(at or utc_now(), after))
        notification = states.begin(UUID(new_id()), cnes.digits, event)
        if not await store.insert(connection, notification):
            raise _make_already_active(last)
        await _record(call, connection, "create", notification, event, body.motivo)
    return notification


async def change_notification(
    call: Call, cnes: Cnes, id: UUID, body: ChangeBody, at: datetime | None = None
) -> Notification:
    """Change the colour; the same one again confirms it.

    Raises NotFound, Conflict once closed, PreconditionFailed (`If-Match`).
    """
    async with call.platform.database.transaction() as connection:
        present = await _lock(call, connection, cnes, id)
        event = states.change_event(present, body.risco, at or utc_now())
        return await _advance(call, connection, present, event, body.motivo)


async def close_notification(
    call: Call, cnes: Cnes, id: UUID, body: CloseBody, at: datetime | None = None
) -> Notification:
    """Close a notification. Raises as `change_notification`."""
    async with call.platform.database.transaction() as connection:
        present = await _lock(call, connection, cnes, id)
        event = states.close_event(present, body.causa, body.risco, at or utc_now())
        return await _advance(call, connection, present, event, body.motivo)


async def read_notification(call: Call, cnes: Cnes, id: UUID) -> tuple[Notification, list[RecordedEvent]]:
    """Return a notification and its log; the read is recorded. Raises NotFound."""
    async with call.platform.database.transaction() as connection:
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


async def _lock(call: Call, connection: Connection, cnes: Cnes, id: UUID) -> Notification:
    present = await store.lock(connection, cnes, id)
    if present is None:
        raise _make_unknown()
    require_match(call.if_match, present.etag)
    return present


async def _advance(
    call: Call, connection: Connection, present: Notification, event: NotificationEvent, motivo: str | None
) -> Notification:
    new = states.apply(present, event)
    await store.update(connection, new)
    await _record(call, connection, "update", new, event, motivo)
    return new


async def _record(
    call: Call,
    connection: Connection,
    action: Action,
    state: Notification,
    event: NotificationEvent,
    motivo: str | None,
) -> None:
    await store.append_event(connection, state.id, event, motivo, call.author)
    await call.platform.audit.record(connection, call, action, fields=["risco", "status"])
    await feed.publish_risk(call, connection, Cnes(state.cnes))


def _make_already_active(present: Notification | None) -> Conflict:
    named = f" ({present.id}, {present.risco})" if present else ""
    text = f"A unidade já tem uma notificação ativa{named}: altere-a ou encerre-a."
    return Conflict(text, code="notification-active")


def _make_unknown() -> NotFound:
    return NotFound("Notificação não encontrada nesta unidade.", code="notification-not-found")
