"""Imports open and closed notifications. A row has a single colour, because the former system stores only one."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid
from balcao.core.imports.declaration import Import
from balcao.core.values.clock import EARLIEST, utc_now
from balcao.health_units.feed import service as feed
from balcao.health_units.intake.bodies import parse_body, parse_cnes
from balcao.health_units.notifications import service as notifications
from balcao.health_units.notifications.imported import ImportedNotification, make_id
from balcao.health_units.notifications.schemas import Causa, CloseBody
from balcao.health_units.situation import Risco

BATCH = 100  # small, because other writers wait until a batch commits
# Accept times up to this far in the future, because the former system's clock may be ahead of this machine's.
_LEEWAY = timedelta(minutes=5)
_Instant = Annotated[datetime, Meta(tz=True)]
_INSTANTS = ("aberta_em", "ultima_atualizacao", "encerrada_em")


class NotificationRow(msgspec.Struct):
    """A notification of a former system. It is open if it has no `encerrada_em`.

    If it is open, `ultima_atualizacao` is the time of its most recent confirmation. A row from an export of this
    platform has an `id`, which identifies the notification.
    """

    cnes: str
    risco: Risco
    aberta_em: _Instant
    ultima_atualizacao: _Instant | None = None
    encerrada_em: _Instant | None = None
    causa: Causa | None = None
    motivo: str | None = None
    id: UUID | None = None

    def __post_init__(self) -> None:
        """Validate the row like a request body. Raises Invalid if a member is not valid."""
        parse_cnes(self.cnes)
        parse_body(CloseBody, {"motivo": self.motivo})
        if self.causa is not None and self.encerrada_em is None:
            raise Invalid("O campo `causa` só vale com `encerrada_em`.")
        later = [at for at in (self.ultima_atualizacao, self.encerrada_em) if at is not None]
        if any(at < self.aberta_em for at in later):
            raise Invalid("O campo `aberta_em` deve vir antes dos outros instantes.")
        self._check_instants()

    def to_imported(self) -> ImportedNotification:
        """Return the row as a notification with an id.

        If the row has no id, its times are cut to whole seconds. Some systems send fractions only sometimes. A time
        with fractions would then be logged as a confirmation later than the stored time.
        """
        instants = {name: getattr(self, name) for name in _INSTANTS}
        if self.id is None:
            instants = {name: at and at.replace(microsecond=0) for name, at in instants.items()}
        id_ = self.id or make_id(self.cnes, self.aberta_em)
        return ImportedNotification(
            id=id_, cnes=self.cnes, risco=self.risco, causa=self.causa, motivo=self.motivo, **instants
        )

    def _check_instants(self) -> None:
        """Raise Invalid if a time is in the future, or too early for our calendar.

        After a future time, the unit would be shown at risk too early, and all further events would get times that are
        even later.
        """
        for name in _INSTANTS:
            at = getattr(self, name)
            if at is not None and at > utc_now() + _LEEWAY:
                raise Invalid(f"O campo `{name}` está no futuro.")
            if at is not None and at < EARLIEST:
                raise Invalid(f"O campo `{name}` deve ser um instante entre os anos 1 e 9999.")


async def write_notifications(connection: Connection, rows: Sequence[NotificationRow]) -> int:
    """Write and publish new and changed notifications. Return the number of written rows.

    Raises Invalid if a row's unit is unknown, or has another notification that conflicts with the row.
    """
    changed = await notifications.import_notifications(connection, [row.to_imported() for row in rows])
    await feed.publish_imported_risks(connection, list(dict.fromkeys(changed)))
    return len(changed)


IMPORT = Import("notifications", NotificationRow, write_notifications, batch=BATCH, from_table=True)
