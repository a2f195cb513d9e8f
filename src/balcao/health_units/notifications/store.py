"""SQL for notifications and their log."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from balcao.core.context.call import Author
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.values.cnes import Cnes
from balcao.core.values.ids import new_id
from balcao.health_units.notifications.log import RecordedEvent
from balcao.health_units.notifications.schemas import Remarks
from balcao.health_units.notifications.states import Notification, NotificationEvent
from balcao.health_units.situation import OUTDATED_AFTER, Status


@statement("""
SELECT count(*) FROM health_units.notifications
WHERE status = 'Ativo' AND ultima_atualizacao < now() - :outdated_after::interval
""")
async def _count_outdated(connection: Connection, outdated_after: timedelta) -> int: ...


async def count_outdated(connection: Connection) -> Mapping[tuple[str, ...], float]:
    """Return the number of active notifications that were not changed or confirmed for OUTDATED_AFTER."""
    return {(): await _count_outdated(connection, OUTDATED_AFTER)}


@lookup("""
SELECT id, cnes, risco, status, aberta_em, ultima_atualizacao, encerrada_em, causa, risco_maximo, versao
FROM health_units.notifications WHERE cnes = :cnes ORDER BY aberta_em DESC LIMIT 1
""")
async def select_latest_notification(source: Source, cnes: Cnes) -> Notification | None:
    """Return the unit's newest notification, even if it was closed as a mistake."""


# If several openings run concurrently, the partial unique index lets only one of them insert its row.
@statement("""
INSERT INTO health_units.notifications
    (id, cnes, risco, status, aberta_em, ultima_atualizacao, encerrada_em, causa, risco_maximo, versao)
VALUES (:id, :cnes, :risco, :status, :aberta_em, :ultima_atualizacao, :encerrada_em, :causa, :risco_maximo, :versao)
ON CONFLICT (cnes) WHERE status = 'Ativo' DO NOTHING
RETURNING true
""")
async def insert_notification(connection: Connection, notification: Notification) -> bool:
    """Insert a notification. Return False if the unit already has an active notification."""


_READ = """
SELECT id, cnes, risco, status, aberta_em, ultima_atualizacao, encerrada_em, causa, risco_maximo, versao
FROM health_units.notifications WHERE id = :id AND cnes = :cnes
"""


@statement(f"{_READ} FOR UPDATE")
async def lock_notification(connection: Connection, cnes: Cnes, id: UUID) -> Notification | None:
    """Lock a notification of this unit until the transaction ends, and return it.

    Return None if the unit has no notification with this id.
    """


_OF_ROWS = """
SELECT id, cnes, risco, status, aberta_em, ultima_atualizacao, encerrada_em, causa, risco_maximo, versao
FROM unnest(:codes::text[], :ids::uuid[]) AS named (cnes, id)
JOIN health_units.notifications AS stored USING (cnes, id)
"""


@statement(_OF_ROWS)
async def list_notifications_by_key(
    connection: Connection, codes: Sequence[str], ids: Sequence[UUID]
) -> list[Notification]:
    """Return the stored notifications with these keys. `codes` and `ids` contain the unit and the id of each key."""


@statement(_OF_ROWS + "ORDER BY id FOR UPDATE OF stored")
async def lock_notifications_by_key(
    connection: Connection, codes: Sequence[str], ids: Sequence[UUID]
) -> list[Notification]:
    """Lock the stored notifications with these keys until the transaction ends, and return them."""


@statement("""
SELECT newest.* FROM unnest(:codes::text[]) AS named (cnes) CROSS JOIN LATERAL (
    SELECT id, cnes, risco, status, aberta_em, ultima_atualizacao, encerrada_em, causa, risco_maximo, versao
    FROM health_units.notifications WHERE cnes = named.cnes ORDER BY aberta_em DESC LIMIT 1
) AS newest
""")
async def list_newest_notifications(connection: Connection, codes: Sequence[str]) -> list[Notification]:
    """Return the newest notification of each unit, even if it was closed as a mistake.

    Some units may have no notification.
    """


@statement("""
INSERT INTO health_units.notifications
    (id, cnes, risco, status, aberta_em, ultima_atualizacao, encerrada_em, causa, risco_maximo, versao)
SELECT id, cnes, risco, status, aberta_em, ultima_atualizacao, encerrada_em, causa, risco_maximo, versao
FROM jsonb_populate_recordset(NULL::health_units.notifications, :notifications::jsonb)
ON CONFLICT (cnes) WHERE status = 'Ativo' DO NOTHING
""")
async def insert_notifications(connection: Connection, notifications: Sequence[Notification]) -> int:
    """Insert notifications, and return the number of inserted rows.

    An active notification is not inserted if its unit already has one.
    """


@statement("""
UPDATE health_units.notifications AS stored SET
    risco = new.risco, status = new.status, ultima_atualizacao = new.ultima_atualizacao,
    encerrada_em = new.encerrada_em, causa = new.causa, risco_maximo = new.risco_maximo, versao = new.versao
FROM jsonb_populate_recordset(NULL::health_units.notifications, :notifications::jsonb) AS new
WHERE stored.id = new.id
""")
async def update_notifications(connection: Connection, notifications: Sequence[Notification]) -> None: ...


@statement("""
UPDATE health_units.notifications
SET risco = :risco, status = :status, ultima_atualizacao = :ultima_atualizacao, encerrada_em = :encerrada_em,
    causa = :causa, risco_maximo = :risco_maximo, versao = :versao
WHERE id = :id
""")
async def update_notification(connection: Connection, new: Notification) -> None: ...


@statement("""
INSERT INTO health_units.notification_events
    (id, notification_id, tipo, risco_antes, risco_depois, causa, em, motivo, ocorrencia, consequencias,
     autor_sub, autor_nome)
VALUES (:id, :notification_id, :tipo, :risco_antes, :risco_depois, :causa, :em, :motivo, :ocorrencia, :consequencias,
        :author.subject, :author.name)
""")
async def append_event(
    connection: Connection, id: str, notification_id: UUID, event: NotificationEvent, remarks: Remarks, author: Author
) -> None: ...


@statement("""
INSERT INTO health_units.notification_events
    (id, notification_id, tipo, risco_antes, risco_depois, causa, em, motivo, ocorrencia, consequencias,
     autor_sub, autor_nome)
SELECT id, notification_id, tipo, risco_antes, risco_depois, causa, em, motivo, ocorrencia, consequencias,
    :subject, :name
FROM jsonb_populate_recordset(NULL::health_units.notification_events, :events::jsonb)
""")
async def _append_all(connection: Connection, events: Sequence[Mapping[str, Any]], author: Author) -> None: ...


async def append_events(
    connection: Connection, events: Iterable[tuple[UUID, NotificationEvent, Remarks]], author: Author
) -> None:
    """Append events to the logs of notifications. All events have the same author."""
    rows = [
        {"id": new_id(), "notification_id": id_, **msgspec.structs.asdict(event), **msgspec.structs.asdict(remarks)}
        for id_, event, remarks in events
    ]
    await _append_all(connection, rows, author)


@statement(_READ)
async def select_notification(connection: Connection, cnes: Cnes, id: UUID) -> Notification | None:
    """Return a notification of this unit, or None if the unit has no notification with this id."""


@statement("""
SELECT tipo, risco_antes, risco_depois, causa, em, motivo, ocorrencia, consequencias, autor_nome
FROM health_units.notification_events WHERE notification_id = :id ORDER BY em
""")
async def list_notification_events(connection: Connection, id: UUID) -> list[RecordedEvent]:
    """Return the log of a notification in chronological order."""


class ListedNotification(NamedTuple):
    """A row of a page of notifications. On an empty page, the only row has no notification."""

    notification: Notification | None


# LEFT JOIN: a unit without notifications has one row of nulls. No row at all therefore means that the unit is unknown.
#
# Upper bound: responses show whole seconds, so the bound includes its whole second. Callers can then use a time from a
# response as the bound.
@statement("""
SELECT found.*
FROM health_units.units AS unit
LEFT JOIN LATERAL (
    SELECT id, cnes, risco, status, aberta_em, ultima_atualizacao, encerrada_em, causa, risco_maximo, versao
    FROM health_units.notifications
    WHERE cnes = unit.cnes AND causa IS DISTINCT FROM 'engano'
      AND (:status::text IS NULL OR status = :status)
      AND (:opened_from::timestamptz IS NULL OR aberta_em >= :opened_from)
      AND (:opened_until::timestamptz IS NULL
           OR aberta_em < date_trunc('second', :opened_until::timestamptz) + interval '1 second')
      AND (:before::timestamptz IS NULL OR aberta_em < :before)
    ORDER BY aberta_em DESC
    LIMIT :limit
) AS found ON true
WHERE unit.cnes = :cnes
ORDER BY found.aberta_em DESC
""")
async def _list_public(
    connection: Connection,
    cnes: Cnes,
    status: Status | None,
    opened_from: datetime | None,
    opened_until: datetime | None,
    before: datetime | None,
    limit: int,
) -> list[ListedNotification]: ...


async def list_public_notifications(
    connection: Connection,
    cnes: Cnes,
    status: Status | None,
    opened: tuple[datetime | None, datetime | None],
    before: datetime | None,
    limit: int,
) -> list[Notification] | None:
    """Return the unit's notifications that were not closed as a mistake, newest first.

    Return None for an unknown unit.
    """
    listed = await _list_public(connection, cnes, status, *opened, before, limit)
    return [each.notification for each in listed if each.notification is not None] if listed else None


@lookup("""
SELECT count(*) FROM health_units.notification_events AS event
JOIN health_units.notifications AS notification ON notification.id = event.notification_id
WHERE notification.cnes = :cnes
""")
async def count_unit_events(source: Source, cnes: Cnes) -> int: ...


_LINE = """
to_jsonb(stored) || jsonb_build_object('motivo', (
    SELECT motivo FROM health_units.notification_events AS event
    WHERE event.notification_id = stored.id ORDER BY event.em DESC LIMIT 1))
"""
EXPORTS = Exports(
    [Export("notifications", Rows("health_units.notifications", _LINE, key=("cnes", "aberta_em", "id")))],
    tables=("health_units.notification_events",),
)
