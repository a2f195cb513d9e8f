"""The life of a notification as pure rules: what an act makes of it, and what its events add up to.

rules: health_units 4.1. An act yields an event; the state is always the events applied in order.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from functools import reduce
from uuid import UUID

import msgspec

from balcao.core.errors import Conflict
from balcao.health_units.notifications.schemas import Causa
from balcao.health_units.situation import Risco, Status


class Kind(StrEnum):
    ABERTURA = "abertura"
    MUDANCA = "mudanca"
    CONFIRMACAO = "confirmacao"
    ENCERRAMENTO = "encerramento"


class Event(msgspec.Struct, frozen=True):
    tipo: Kind
    risco_antes: Risco | None
    risco_depois: Risco
    causa: Causa | None
    em: datetime


class Notification(msgspec.Struct, frozen=True):
    """One episode of one unit."""

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
    def active(self) -> bool:
        return self.status is Status.ATIVO

    @property
    def etag(self) -> str:
        return f'"v{self.versao}"'


def later(now: datetime, last: datetime | None) -> datetime:
    """The instant of the next event, in whole seconds: after `last` even when the clock is not."""
    now = now.replace(microsecond=0)
    return now if last is None or now > last else last + timedelta(seconds=1)


def opened(risco: Risco, at: datetime) -> Event:
    return Event(Kind.ABERTURA, None, risco, None, at)


def changed(notification: Notification, risco: Risco, now: datetime) -> Event:
    """The same colour again confirms it. Raises Conflict once closed."""
    kind = Kind.CONFIRMACAO if risco is notification.risco else Kind.MUDANCA
    return Event(kind, notification.risco, risco, None, _next(notification, now))


def closed(notification: Notification, causa: Causa, risco: Risco | None, now: datetime) -> Event:
    """The colour stays unless one is given. Raises Conflict once closed."""
    last = risco or notification.risco
    return Event(Kind.ENCERRAMENTO, notification.risco, last, causa, _next(notification, now))


def begun(id: UUID, cnes: str, event: Event) -> Notification:
    """What an opening makes."""
    risco, em = event.risco_depois, event.em
    return Notification(id, cnes, risco, Status.ATIVO, em, em, None, None, risco, 1)


def applied(notification: Notification, event: Event) -> Notification:
    """What any later event makes of it."""
    ends = event.tipo is Kind.ENCERRAMENTO
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


def replayed(id: UUID, cnes: str, events: Iterable[Event]) -> Notification:
    """The state that the events of one notification, in order, add up to."""
    opening, *rest = events
    return reduce(applied, rest, begun(id, cnes, opening))


def _next(notification: Notification, now: datetime) -> datetime:
    if not notification.active:
        raise Conflict("A notificação já foi encerrada: abra uma nova.", code="notification-closed")
    return later(now, notification.ultima_atualizacao)
