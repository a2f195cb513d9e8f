"""An entry of a notification's log, as it is stored."""

from dataclasses import dataclass

from balcao.core.database.pool import Row
from balcao.core.database.results import read_part
from balcao.health_units.notifications.schemas import Remarks
from balcao.health_units.notifications.states import NotificationEvent


@dataclass(frozen=True)
class RecordedEvent:
    """An event with why and by whom."""

    event: NotificationEvent
    remarks: Remarks
    autor_nome: str

    @classmethod
    def from_row(cls, row: Row) -> "RecordedEvent":
        """Return the event of a row that has its columns and the author's name."""
        return cls(read_part(NotificationEvent, row), read_part(Remarks, row), row["autor_nome"])
