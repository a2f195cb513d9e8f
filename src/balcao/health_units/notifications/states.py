"""Rules for the life of a notification: the event of each operation, and the state that results from all events.

rules: health_units 4.1. These are pure functions. The stored state always equals the result of applying all events in
order.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import reduce
from uuid import UUID

import msgspec

from balcao.core.errors import Conflict
from balcao.health_units.notifications.schemas import Causa, EventKind
from balcao.health_units.situation import Risco, Status


class NotificationEvent(msgspec.Struct, frozen=True):
    tipo: EventKind
    risco_antes: Risco | None
    risco_depois: Risco
    causa: Causa | None
    em: datetime


class Notification(msgspec.Struct, frozen=True):
    """A unit's risk notification, from its opening to its closing."""

    id: UUID
    cnes: str
    risco: Risco
    status: Status
    aberta_em: datetime
    ultima_atualizacao: datetime
    encerrada_em: datetime | None
    causa: Causa | None
    risco_maximo: Risco
    versao: int

    @property
    def key(self) -> tuple[str, UUID]:
        """Return the unit and the id."""
        return self.cnes, self.id

    @property
    def active(self) -> bool:
        return self.status is Status.ATIVO

    @property
    def etag(self) -> str:
        return f'"v{self.versao}"'


def next_instant(now: datetime, last: datetime | None) -> datetime:
    """Return the time of the next event: `now`, or one microsecond after `last` if `now` is not later.

    The step is small, so that the times of many simultaneous operations stay within a second of the clock.
    """
    return now if last is None or now > last else last + timedelta(microseconds=1)


def open_event(risco: Risco, at: datetime) -> NotificationEvent:
    """Return the event that opens a notification."""
    return NotificationEvent(EventKind.ABERTURA, None, risco, None, at)


def change_event(notification: Notification, risco: Risco, now: datetime) -> NotificationEvent:
    """Return the event that changes the colour, or the event that confirms it if `risco` is the current colour.

    Raises Conflict if the notification is closed.
    """
    kind = EventKind.CONFIRMACAO if risco is notification.risco else EventKind.MUDANCA
    return NotificationEvent(kind, notification.risco, risco, None, _next_instant_of(notification, now))


def close_event(notification: Notification, causa: Causa, risco: Risco | None, now: datetime) -> NotificationEvent:
    """Return the event that closes a notification. `risco` is the last colour to record, by default the current colour.

    Raises Conflict if the notification is closed.
    """
    last = risco or notification.risco
    return NotificationEvent(
        EventKind.ENCERRAMENTO, notification.risco, last, causa, _next_instant_of(notification, now)
    )


def begin_notification(id: UUID, cnes: str, event: NotificationEvent) -> Notification:
    """Return the notification that an opening event creates."""
    risco, em = event.risco_depois, event.em
    return Notification(id, cnes, risco, Status.ATIVO, em, em, None, None, risco, 1)


def apply_notification_event(notification: Notification, event: NotificationEvent) -> Notification:
    """Return the notification after another event is applied."""
    ends = event.tipo is EventKind.ENCERRAMENTO
    return msgspec.structs.replace(
        notification,
        risco=event.risco_depois,
        status=Status.ENCERRADO if ends else Status.ATIVO,
        ultima_atualizacao=event.em,
        encerrada_em=event.em if ends else None,
        causa=event.causa,
        risco_maximo=max(notification.risco_maximo, event.risco_depois, key=lambda risco: risco.rank),
        versao=notification.versao + 1,
    )


def replay_events(id: UUID, cnes: str, events: Iterable[NotificationEvent]) -> Notification:
    """Return the notification that results from applying all its events in order."""
    opening, *rest = events
    return reduce(apply_notification_event, rest, begin_notification(id, cnes, opening))


def _next_instant_of(notification: Notification, now: datetime) -> datetime:
    if not notification.active:
        raise Conflict("A notificação já foi encerrada: abra uma nova.", code="notification-closed")
    return next_instant(now, notification.ultima_atualizacao)
