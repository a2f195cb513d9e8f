"""An entry in the log of a notification, as it is stored."""

from dataclasses import dataclass

from balcao.health_units.notifications.schemas import Remarks
from balcao.health_units.notifications.states import NotificationEvent


@dataclass(frozen=True)
class RecordedEvent:
    """An event with its reason and its author."""

    event: NotificationEvent
    remarks: Remarks
    autor_nome: str
