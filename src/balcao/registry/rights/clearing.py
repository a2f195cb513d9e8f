"""Erasing, room by room, what an anonymisation erases: of the person's own wish or of the CRM's event."""

from datetime import datetime

from balcao.core.audit.personal_data import Cleared
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.rights.holdings import HOLDINGS


async def clear(connection: Connection, cpf: Cpf, at: datetime, *, by_event: bool = False) -> list[Cleared]:
    """The mirror must be locked. With `by_event` what a CRM event erases beside the mirror (rules: registry 4.9)."""
    cleared: list[Cleared] = []
    for holding in HOLDINGS:
        if holding.cleared is not None and (holding.by_event or not by_event):
            cleared += await holding.cleared(connection, cpf, at)
    return [one if one.count else Cleared(one.kind, 0, []) for one in cleared]
