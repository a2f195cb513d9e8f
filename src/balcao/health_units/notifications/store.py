"""SQL of the notifications and their log."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import msgspec

from balcao.core.context.call import Author
from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import fetch_count
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.values.cnes import Cnes
from balcao.core.values.ids import new_id
from balcao.health_units.notifications.schemas import Remarks
from balcao.health_units.notifications.states import Notification, NotificationEvent
from balcao.health_units.situation import OUTDATED_AFTER, Status


@dataclass(frozen=True)
class RecordedEvent:
    """An event with why and by whom."""

    event: NotificationEvent
    remarks: Remarks
    autor_nome: str


_OUTDATED = """
SELECT count(*) FROM health_units.notifications
WHERE status = 'Ativo' AND ultima_atualizacao < now() - $1::interval
"""


async def count_outdated(connection: Connection) -> Mapping[tuple[str, ...], float]:
    """Return how many active notifications nobody has touched for long."""
    return {(): await fetch_count(connection, _OUTDATED, OUTDATED_AFTER)}


_LATEST = """
SELECT id, cnes, risco, status, aberta_em, ultima_atualizacao, encerrada_em, causa, risco_maximo, versao
FROM health_units.notifications WHERE cnes = $1 ORDER BY aberta_em DESC LIMIT 1
"""


async def read_latest(connection: Connection, cnes: Cnes) -> Notification | None:
    """Return the unit's newest notification, mistakes included."""
    return _to_notification(await connection.fetchrow(_LATEST, cnes.digits))


# The partial unique index decides which of two openings is the one.
_INSERT = """
INSERT INTO health_units.notifications
    (id, cnes, risco, status, aberta_em, ultima_atualizacao, encerrada_em, causa, risco_maximo, versao)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (cnes) WHERE status = 'Ativo' DO NOTHING
RETURNING true
"""


async def insert(connection: Connection, notification: Notification) -> bool:
    """Return false when the unit has an active one."""
    return bool(await connection.fetchval(_INSERT, *msgspec.structs.astuple(notification)))


_LOCK = """
SELECT id, cnes, risco, status, aberta_em, ultima_atualizacao, encerrada_em, causa, risco_maximo, versao
FROM health_units.notifications WHERE id = $1 AND cnes = $2 FOR UPDATE
"""


async def lock(connection: Connection, cnes: Cnes, id: UUID) -> Notification | None:
    """Lock a notification of this unit until the transaction ends; None when there is no such one."""
    return _to_notification(await connection.fetchrow(_LOCK, id, cnes.digits))


_UPDATE = """
UPDATE health_units.notifications
SET risco = $2, status = $3, ultima_atualizacao = $4, encerrada_em = $5, causa = $6, risco_maximo = $7, versao = $8
WHERE id = $1
"""


async def update(connection: Connection, new: Notification) -> None:
    await connection.execute(
        _UPDATE,
        new.id,
        new.risco,
        new.status,
        new.ultima_atualizacao,
        new.encerrada_em,
        new.causa,
        new.risco_maximo,
        new.versao,
    )


_APPEND = """
INSERT INTO health_units.notification_events
    (id, notification_id, tipo, risco_antes, risco_depois, causa, em, motivo, ocorrencia, consequencias,
     autor_sub, autor_nome)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
"""


async def append_event(
    connection: Connection, id: UUID, event: NotificationEvent, remarks: Remarks, author: Author
) -> None:
    what, said = msgspec.structs.astuple(event), msgspec.structs.astuple(remarks)
    await connection.execute(_APPEND, new_id(), id, *what, *said, author.subject, author.name)


_READ = """
SELECT id, cnes, risco, status, aberta_em, ultima_atualizacao, encerrada_em, causa, risco_maximo, versao
FROM health_units.notifications WHERE id = $1 AND cnes = $2
"""


async def read(connection: Connection, cnes: Cnes, id: UUID) -> Notification | None:
    """Return a notification of this unit; None when there is no such one."""
    return _to_notification(await connection.fetchrow(_READ, id, cnes.digits))


_EVENTS = """
SELECT tipo, risco_antes, risco_depois, causa, em, motivo, ocorrencia, consequencias, autor_nome
FROM health_units.notification_events WHERE notification_id = $1 ORDER BY em
"""


async def list_events(connection: Connection, id: UUID) -> list[RecordedEvent]:
    """Return the log in the order of time."""
    members = [dict(row) for row in await connection.fetch(_EVENTS, id)]
    return [
        RecordedEvent(msgspec.convert(each, NotificationEvent), msgspec.convert(each, Remarks), str(each["autor_nome"]))
        for each in members
    ]


# The unit's row is there even without a notification: no row at all tells of an unknown unit. An instant is shown in
# whole seconds and is to be found by what was shown.
_LOG = """
SELECT found.*
FROM health_units.units AS unit
LEFT JOIN LATERAL (
    SELECT id, cnes, risco, status, aberta_em, ultima_atualizacao, encerrada_em, causa, risco_maximo, versao
    FROM health_units.notifications
    WHERE cnes = unit.cnes AND causa IS DISTINCT FROM 'engano'
      AND ($2::text IS NULL OR status = $2)
      AND ($3::timestamptz IS NULL OR aberta_em >= $3)
      AND ($4::timestamptz IS NULL OR aberta_em < date_trunc('second', $4::timestamptz) + interval '1 second')
      AND ($5::timestamptz IS NULL OR aberta_em < $5)
    ORDER BY aberta_em DESC
    LIMIT $6
) AS found ON true
WHERE unit.cnes = $1
ORDER BY found.aberta_em DESC
"""


async def list_public(
    connection: Connection,
    cnes: Cnes,
    status: Status | None,
    opened: tuple[datetime | None, datetime | None],
    before: datetime | None,
    limit: int,
) -> list[Notification] | None:
    """Return a unit's notifications without mistakes, newest first; None for an unknown unit."""
    rows = await connection.fetch(_LOG, cnes.digits, status, *opened, before, limit)
    if not rows:
        return None
    return [msgspec.convert(dict(row), Notification) for row in rows if row["id"] is not None]


_COUNT_EVENTS = """
SELECT count(*) FROM health_units.notification_events AS event
JOIN health_units.notifications AS notification ON notification.id = event.notification_id
WHERE notification.cnes = $1
"""


async def count_events(connection: Connection, cnes: Cnes) -> int:
    return await fetch_count(connection, _COUNT_EVENTS, cnes.digits)


def _to_notification(row: Row | None) -> Notification | None:
    return None if row is None else msgspec.convert(dict(row), Notification)


_LINE = """
to_jsonb(stored) || jsonb_build_object('motivo', (
    SELECT motivo FROM health_units.notification_events AS event
    WHERE event.notification_id = stored.id ORDER BY event.em DESC LIMIT 1))
"""
EXPORTS = Exports(
    [Export("notifications", Rows("health_units.notifications", _LINE, key=("cnes", "aberta_em", "id")))],
    tables=("health_units.notification_events",),
)
