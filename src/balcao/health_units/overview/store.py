"""SQL for the city-wide view for staff. It reads the tables of notifications and units."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from balcao.core.database.pool import Connection, Row
from balcao.core.database.results import read_part
from balcao.core.database.statements import statement
from balcao.health_units.notifications.log import RecordedEvent
from balcao.health_units.notifications.schemas import EventKind, Remarks
from balcao.health_units.notifications.states import Notification
from balcao.health_units.overview.schemas import EventsQuery, NamedUnit
from balcao.health_units.situation import Risco


class StoredOpen(NamedTuple):
    """An active notification, with its unit and its newest event."""

    notification: Notification
    unit: NamedUnit
    remarks: Remarks
    tipo: EventKind
    risco_antes: Risco | None
    autor_nome: str

    @classmethod
    def from_row(cls, row: Row) -> "StoredOpen":
        """Create the notification from a row. `tipo_unidade` is the unit's kind, `tipo` the newest event's kind."""
        before = row["risco_antes"]
        return cls(
            read_part(Notification, row),
            _read_unit(row),
            read_part(Remarks, row),
            EventKind(row["tipo"]),
            None if before is None else Risco(before),
            row["autor_nome"],
        )


class StoredEvent(NamedTuple):
    """An event, with its unit."""

    id: UUID
    notificacao: UUID
    unit: NamedUnit
    engano: bool
    recorded: RecordedEvent

    @classmethod
    def from_row(cls, row: Row) -> "StoredEvent":
        """Create the event from a row. `tipo_unidade` is the kind of unit, `tipo` the kind of event."""
        return cls(row["id"], row["notification_id"], _read_unit(row), row["engano"], read_part(RecordedEvent, row))


def _read_unit(row: Row) -> NamedUnit:
    members = {name: row[name] for name in ("cnes", "nome", "area", "bairro")}
    return read_part(NamedUnit, members | {"tipo": row["tipo_unidade"]})


# The list is not paginated, because each unit has at most one active notification.
@statement("""
SELECT notification.id, notification.cnes, notification.risco, notification.status, notification.aberta_em,
       notification.ultima_atualizacao, notification.encerrada_em, notification.causa, notification.risco_maximo,
       notification.versao, unit.nome, unit.tipo AS tipo_unidade, unit.area, unit.bairro, event.*
FROM health_units.notifications AS notification
JOIN health_units.units AS unit ON unit.cnes = notification.cnes
CROSS JOIN LATERAL (
    SELECT tipo, risco_antes, motivo, ocorrencia, consequencias, autor_nome
    FROM health_units.notification_events WHERE notification_id = notification.id ORDER BY em DESC LIMIT 1
) AS event
WHERE notification.status = 'Ativo'
  AND (:areas::text[] IS NULL OR unit.area = ANY(:areas))
  AND (:area::text IS NULL OR unit.area = :area)
ORDER BY array_position(ARRAY['Vermelho', 'Laranja', 'Amarelo', 'Verde'], notification.risco),
         notification.ultima_atualizacao, notification.cnes
""")
async def list_open(connection: Connection, areas: Sequence[str] | None, area: str | None) -> list[StoredOpen]:
    """Return the active notifications, highest risk first.

    `areas` are the areas that the caller's right covers (None for the whole city). `area` is an optional filter.
    """


# The upper bound includes its whole second, because responses show whole seconds.
@statement("""
SELECT event.id, event.notification_id, unit.cnes, unit.nome, unit.tipo AS tipo_unidade, unit.area, unit.bairro,
       notification.causa IS NOT DISTINCT FROM 'engano' AS engano, event.tipo, event.risco_antes, event.risco_depois,
       event.causa, event.em, event.motivo, event.ocorrencia, event.consequencias, event.autor_nome
FROM health_units.notification_events AS event
JOIN health_units.notifications AS notification ON notification.id = event.notification_id
JOIN health_units.units AS unit ON unit.cnes = notification.cnes
WHERE (:areas::text[] IS NULL OR unit.area = ANY(:areas))
  AND (:area::text IS NULL OR unit.area = :area)
  AND (:cnes::text IS NULL OR notification.cnes = :cnes)
  AND (:de::timestamptz IS NULL OR event.em >= :de)
  AND (:ate::timestamptz IS NULL OR event.em < date_trunc('second', :ate::timestamptz) + interval '1 second')
ORDER BY event.em DESC, event.id DESC
LIMIT :most
""")
async def list_events_of_units(
    connection: Connection, areas: Sequence[str] | None, query: EventsQuery, most: int
) -> list[StoredEvent]:
    """Return the newest events of units in these areas. `areas` is None for the whole city."""
