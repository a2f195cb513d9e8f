"""Opens, changes, confirms, closes and imports notifications (rules: health_units 4.1).

The operations of staff write the event, the feed entry and the audit event in one transaction.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from balcao.core.context.audit import Action
from balcao.core.context.call import Author, Call
from balcao.core.context.idempotency import run_once
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid, NotFound
from balcao.core.values.clock import utc_now
from balcao.core.values.cnes import Cnes
from balcao.core.values.etags import require_match
from balcao.core.values.ids import new_id
from balcao.health_units.feed import service as feed
from balcao.health_units.notifications import states, store
from balcao.health_units.notifications.imported import ALREADY_ACTIVE, ImportedNotification, Replay
from balcao.health_units.notifications.log import RecordedEvent
from balcao.health_units.notifications.schemas import ChangeBody, CloseBody, LogQuery, OpenBody, Remarks
from balcao.health_units.notifications.states import Notification, NotificationEvent
from balcao.health_units.reference_lists import service as reference_lists
from balcao.health_units.units import service as units
from balcao.health_units.units.store import lock_units

_decode = msgspec.json.Decoder(Notification).decode
_IMPORTER = Author("Importação", "import")


async def open_notification(call: Call, cnes: Cnes, body: OpenBody, at: datetime | None = None) -> Notification:
    """Open a notification. `at` defaults to the current time.

    Raises Forbidden if the caller's right does not cover the unit, Unprocessable for an unknown code, NotFound for an
    unknown or deactivated unit, and Conflict if another notification is active. A repeated `Idempotency-Key` returns
    the first result.
    """

    async def make() -> Notification:
        await reference_lists.require_known_values(connection, body.ocorrencia, body.consequencias)
        await units.lock_active_unit(connection, cnes)
        last = await store.select_latest_notification(connection, cnes)
        after = last.ultima_atualizacao if last else None
        event = states.open_event(body.risco, states.next_instant(at or utc_now(), after))
        notification = states.begin_notification(UUID(new_id()), cnes.digits, event)
        if not await store.insert_notification(connection, notification):
            named = f" ({last.id}, {last.risco})" if last else ""
            text = f"A unidade já tem uma notificação ativa{named}: altere-a ou encerre-a."
            raise Conflict(text, code="notification-active")
        await _record(call, connection, "create", notification, event, body.remarks)
        return notification

    async with call.platform.database.transaction() as connection:
        await units.require_right_to_unit(call, connection, cnes)
        return _decode(await run_once(connection, call, None, [cnes.digits, body.model_dump(mode="json")], make))


async def change_notification(
    call: Call, cnes: Cnes, id: UUID, body: ChangeBody, at: datetime | None = None
) -> Notification:
    """Change a notification's colour. Sending the current colour confirms the notification.

    Raises Forbidden if the caller's right does not cover the unit, Unprocessable for an unknown code, NotFound if the
    unit has no such notification, PreconditionFailed if `If-Match` does not match, and Conflict if the notification is
    closed.
    """
    async with call.platform.database.transaction() as connection:
        await units.require_right_to_unit(call, connection, cnes)
        present = await _lock(call, connection, cnes, id, body.remarks)
        event = states.change_event(present, body.risco, at or utc_now())
        return await _advance(call, connection, present, event, body.remarks)


async def close_notification(
    call: Call, cnes: Cnes, id: UUID, body: CloseBody, at: datetime | None = None
) -> Notification:
    """Close a notification.

    Raises Forbidden if the caller's right does not cover the unit, NotFound if the unit has no such notification,
    PreconditionFailed if `If-Match` does not match, and Conflict if the notification is already closed. A repeated
    `Idempotency-Key` returns the first result.
    """

    async def make() -> Notification:
        present = await _lock(call, connection, cnes, id, body.remarks)
        event = states.close_event(present, body.causa, body.risco, at or utc_now())
        return await _advance(call, connection, present, event, body.remarks)

    async with call.platform.database.transaction() as connection:
        await units.require_right_to_unit(call, connection, cnes)
        parts = [cnes.digits, id, body.model_dump(mode="json")]
        return _decode(await run_once(connection, call, None, parts, make))


async def read_notification(call: Call, cnes: Cnes, id: UUID) -> tuple[Notification, list[RecordedEvent]]:
    """Return a notification and its log, and record the read in the audit trail.

    Raises Forbidden if the caller's right does not cover the unit, and NotFound if the unit has no such notification.
    """
    async with call.platform.database.transaction() as connection:
        await units.require_right_to_unit(call, connection, cnes)
        found = await store.select_notification(connection, cnes, id)
        if found is None:
            raise _make_unknown()
        await call.platform.audit.record(connection, call, "read", fields=["eventos"])
        return found, await store.list_notification_events(connection, id)


async def list_notifications(call: Call, cnes: Cnes, query: LogQuery, before: datetime | None) -> list[Notification]:
    """Return up to `limit` + 1 public notifications, newest first. Raises NotFound if the unit is unknown.

    With `before`, only notifications opened before this instant are returned.
    """
    async with call.platform.database.connection() as connection:
        bounds = query.de, query.ate
        found = await store.list_public_notifications(connection, cnes, query.status, bounds, before, query.limit + 1)
    if found is None:
        raise NotFound("Unidade de saúde não encontrada.", code="unit-not-found")
    return found


async def read_latest_notification(call: Call, cnes: Cnes) -> Notification | None:
    """Return the unit's newest notification, even if it was closed as a mistake."""
    return await store.select_latest_notification(call.platform.database, cnes)


async def count_notification_events(call: Call, cnes: Cnes) -> int:
    """Return the number of events in the logs of a unit's notifications."""
    return await store.count_unit_events(call.platform.database, cnes)


async def import_notifications(connection: Connection, rows: Sequence[ImportedNotification]) -> list[Cnes]:
    """Write new notifications of a former system, and new events of known notifications.

    Return the unit of each changed row.

    The result is the same as if the rows were applied one after the other. Raises Invalid for a row that cannot be
    applied.
    """
    held = {state.key: state for state in await store.list_notifications_by_key(connection, *_split_keys(rows))}
    rows = [row for row in rows if not row.is_contained_in(held.get(row.key))]
    if not rows:
        return []
    codes = sorted({row.cnes for row in rows})
    # Lock order: units first. Only the transaction that holds a unit's lock can open a notification for the unit.
    known_units = await lock_units(connection, codes)
    known = await store.lock_notifications_by_key(connection, *_split_keys(rows))
    replay = Replay(known_units, known, await store.list_newest_notifications(connection, codes))
    changed = [Cnes(row.cnes) for row in rows if replay.apply(row)]
    # Update before inserting, because a unit can have only one active notification. The old one must be closed first.
    await store.update_notifications(connection, list(replay.updated.values()))
    if await store.insert_notifications(connection, list(replay.added.values())) < len(replay.added):
        raise Invalid(ALREADY_ACTIVE)
    await store.append_events(connection, replay.events, _IMPORTER)
    return changed


def _split_keys(rows: Iterable[ImportedNotification]) -> tuple[list[str], list[UUID]]:
    """Return the units and the ids of the rows in two lists, without duplicate pairs."""
    codes, ids = zip(*{row.key for row in rows}, strict=True)
    return list(codes), list(ids)


async def _lock(call: Call, connection: Connection, cnes: Cnes, id: UUID, remarks: Remarks) -> Notification:
    await reference_lists.require_known_values(connection, remarks.ocorrencia, remarks.consequencias)
    present = await store.lock_notification(connection, cnes, id)
    if present is None:
        raise _make_unknown()
    require_match(call.if_match, present.etag)
    return present


async def _advance(
    call: Call, connection: Connection, present: Notification, event: NotificationEvent, remarks: Remarks
) -> Notification:
    new = states.apply_notification_event(present, event)
    await store.update_notification(connection, new)
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
    await store.append_event(connection, new_id(), state.id, event, remarks, call.author)
    await call.platform.audit.record(connection, call, action, fields=["risco", "status"])
    await feed.publish_risk(connection, Cnes(state.cnes), call.zone)


def _make_unknown() -> NotFound:
    return NotFound("Notificação não encontrada nesta unidade.", code="notification-not-found")
