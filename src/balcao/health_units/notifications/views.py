"""How a notification is shown to staff and to the public (rules: health_units 3.2)."""

from typing import Any
from zoneinfo import ZoneInfo

from balcao.core.values.clock import format_rfc3339_seconds, utc_now
from balcao.health_units.notifications.schemas import (
    LoggedEvent,
    NotificationDetail,
    PublicNotification,
    Remarks,
    StaffNotification,
)
from balcao.health_units.notifications.states import Notification
from balcao.health_units.notifications.store import RecordedEvent
from balcao.health_units.situation import is_outdated


def show_to_public(notification: Notification, zone: ZoneInfo) -> PublicNotification:
    """Return what everybody may see."""
    return PublicNotification(**_public_members(notification, zone))


def show_to_staff(notification: Notification, remarks: Remarks, author: str, zone: ZoneInfo) -> StaffNotification:
    """Return what staff see; remarks and author are those of the last event."""
    return StaffNotification(**_staff_members(notification, remarks, author, zone))


def show_with_log(notification: Notification, log: list[RecordedEvent], zone: ZoneInfo) -> NotificationDetail:
    """Return what staff see, with the whole log."""
    events = [
        LoggedEvent(
            each.event.tipo,
            each.event.risco_antes,
            each.event.risco_depois,
            each.event.causa,
            each.remarks.motivo,
            each.remarks.ocorrencia,
            list(each.remarks.consequencias),
            each.autor_nome,
            format_rfc3339_seconds(each.event.em, zone),
        )
        for each in log
    ]
    return NotificationDetail(**_staff_members(notification, log[-1].remarks, log[-1].autor_nome, zone), eventos=events)


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


def _staff_members(notification: Notification, remarks: Remarks, author: str, zone: ZoneInfo) -> dict[str, Any]:
    return _public_members(notification, zone) | {
        "causa": notification.causa,
        "versao": notification.versao,
        "motivo": remarks.motivo,
        "ocorrencia": remarks.ocorrencia,
        "consequencias": list(remarks.consequencias),
        "autor_nome": author,
        "desatualizada": notification.active and is_outdated(notification.ultima_atualizacao, utc_now()),
    }
