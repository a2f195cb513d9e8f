"""An entry of a notification's log, as it is stored."""

from dataclasses import dataclass

from balcao.health_units.notifications.schemas import Remarks
from balcao.health_units.notifications.states import NotificationEvent


@dataclass(frozen=True)
class RecordedEvent:
    """An event with why and by whom."""

    event: NotificationEvent
    remarks: Remarks
    autor_nome: str
