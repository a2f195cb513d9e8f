"""The import of notifications, open and closed: a line for each, with the one colour that the former system knew."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid
from balcao.core.imports.declaration import Import
from balcao.core.values.clock import utc_now
from balcao.health_units.feed import service as feed
from balcao.health_units.intake.bodies import parse_body, parse_cnes
from balcao.health_units.notifications import service as notifications
from balcao.health_units.notifications.schemas import Causa, CloseBody
from balcao.health_units.notifications.states import ImportedNotification
from balcao.health_units.situation import Risco

BATCH = 100  # until their commit everybody else who changes a unit or a risk waits
# A former system's clock, or ours, may be a little ahead.
_LEEWAY = timedelta(minutes=5)
_Instant = Annotated[datetime, Meta(tz=True)]


class NotificationRow(msgspec.Struct):
    """A notification; without `encerrada_em` it is open, and `ultima_atualizacao` is its last confirmation.

    `id` is that of an export, by which a notification of this very installation is known.
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
        """Check the row. Raises Invalid."""
        parse_cnes(self.cnes)
        parse_body(CloseBody, {"motivo": self.motivo})
        if self.causa is not None and self.encerrada_em is None:
            raise Invalid("O campo `causa` só vale com `encerrada_em`.")
        later = [at for at in (self.ultima_atualizacao, self.encerrada_em) if at is not None]
        if any(at < self.aberta_em for at in later):
            raise Invalid("O campo `aberta_em` deve vir antes dos outros instantes.")
        self._require_past()

    def _require_past(self) -> None:
        """Raise Invalid for an instant that is still to come: the unit would be shown at risk, and ever after later."""
        for name in ("aberta_em", "ultima_atualizacao", "encerrada_em"):
            at = getattr(self, name)
            if at is not None and at > utc_now() + _LEEWAY:
                raise Invalid(f"O campo `{name}` está no futuro.")


async def write(connection: Connection, rows: Sequence[NotificationRow]) -> int:
    """Write what is new or was closed since, and publish it; return how many notifications that is.

    Raises Invalid for a row of an unknown unit, or one whose unit has another active or a newer notification.
    """
    changed: dict[str, int] = {}
    for row in rows:
        cnes = parse_cnes(row.cnes)
        old = ImportedNotification(row.risco, row.aberta_em, row.ultima_atualizacao, row.encerrada_em, row.causa)
        if await notifications.import_notification(connection, cnes, old, row.motivo, row.id):
            changed[row.cnes] = changed.get(row.cnes, 0) + 1
    for code in changed:
        await feed.publish_imported_risk(connection, parse_cnes(code))
    return sum(changed.values())


IMPORT = Import("notifications", NotificationRow, write, batch=BATCH, from_table=True)
