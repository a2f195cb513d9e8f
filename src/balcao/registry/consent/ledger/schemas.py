"""Wire types of the ledger of preferences (rules: registry 3.5)."""

from datetime import datetime
from typing import Literal

import msgspec

from balcao.core.context.call import ActorKind
from balcao.core.http.paging import Pagination

LedgerAction = Literal["opt_in", "opt_out", "category_update"]


class LedgerEntry(msgspec.Struct, frozen=True):
    """One real change of one preference; `category` is null for the global flag."""

    id: str
    cpf: str
    timestamp: datetime
    action: LedgerAction
    scope: Literal["global", "category"]
    category: str | None
    channel: str
    reason: str | None
    old_value: bool
    new_value: bool
    actor_kind: ActorKind
    azp: str
    request_id: str


class PreferenceHistory(msgspec.Struct):
    """Newest first."""

    data: list[LedgerEntry]
    pagination: Pagination
