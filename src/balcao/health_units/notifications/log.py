"""The stored form of an entry in a notification's log."""

from dataclasses import dataclass

from balcao.health_units.notifications.schemas import Remarks
from balcao.health_units.notifications.states import NotificationEvent


@dataclass(frozen=True)
class RecordedEvent:
    """An event, with the remarks of staff and the author's name."""

    event: NotificationEvent
    remarks: Remarks
    autor_nome: str
