"""Notifications as staff and the public see them (rules: health_units 3.2)."""

from typing import Any
from zoneinfo import ZoneInfo

from balcao.core.values.clock import format_rfc3339_seconds, utc_now
from balcao.health_units.notifications.log import RecordedEvent
from balcao.health_units.notifications.schemas import (
    LoggedEvent,
    NotificationDetail,
    PublicNotification,
    Remarks,
    StaffNotification,
)
from balcao.health_units.notifications.states import Notification
from balcao.health_units.situation import is_outdated


def show_to_public(notification: Notification, zone: ZoneInfo) -> PublicNotification:
    """Return a notification as the public sees it."""
    return PublicNotification(**_public_members(notification, zone))


def show_to_staff(notification: Notification, remarks: Remarks, author: str, zone: ZoneInfo) -> StaffNotification:
    """Return a notification as staff see it. `remarks` and `author` are those of its newest event."""
    return StaffNotification(**list_staff_members(notification, remarks, author, zone))


def show_with_log(notification: Notification, log: list[RecordedEvent], zone: ZoneInfo) -> NotificationDetail:
    """Return a notification as staff see it, with its whole log."""
    events = [show_event(each, zone) for each in log]
    return NotificationDetail(
        **list_staff_members(notification, log[-1].remarks, log[-1].autor_nome, zone), eventos=events
    )


def show_event(recorded: RecordedEvent, zone: ZoneInfo) -> LoggedEvent:
    """Return an entry of a notification's log as staff see it."""
    event, remarks = recorded.event, recorded.remarks
    return LoggedEvent(
        event.tipo,
        event.risco_antes,
        event.risco_depois,
        event.causa,
        remarks.motivo,
        remarks.ocorrencia,
        list(remarks.consequencias),
        recorded.autor_nome,
        format_rfc3339_seconds(event.em, zone),
    )


def _public_members(notification: Notification, zone: ZoneInfo) -> dict[str, Any]:
    ended = notification.encerrada_em
    return {
        "id": str(notification.id),
        "risco": notification.risco,
        "status": notification.status,
        "aberta_em": format_rfc3339_seconds(notification.aberta_em, zone),
        "ultima_atualizacao": format_rfc3339_seconds(notification.ultima_atualizacao, zone),
        "encerrada_em": None if ended is None else format_rfc3339_seconds(ended, zone),
        "risco_maximo": notification.risco_maximo,
    }


def list_staff_members(notification: Notification, remarks: Remarks, author: str, zone: ZoneInfo) -> dict[str, Any]:
    """Return the members that staff see. `remarks` and `author` are those of the newest event."""
    return _public_members(notification, zone) | {
        "causa": notification.causa,
        "versao": notification.versao,
        "motivo": remarks.motivo,
        "ocorrencia": remarks.ocorrencia,
        "consequencias": list(remarks.consequencias),
        "autor_nome": author,
        "desatualizada": notification.active and is_outdated(notification.ultima_atualizacao, utc_now()),
    }
