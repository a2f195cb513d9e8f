"""An attendance as pages show it: who is served, why, and until when."""

from datetime import datetime

import msgspec

from balcao.core.values.cpf import Cpf


class Attendance(msgspec.Struct, frozen=True):
    """One open attendance of a session. It closes at `ends_at` unless a page uses it before.

    `name` is what the record calls the person: empty without a record, None if the attendant may not read it.
    """

    number: int
    cpf: Cpf
    reason: str
    name: str | None
    ends_at: datetime

    @property
    def shown_name(self) -> str:
        """Return the name for pages, or a phrase in its place."""
        if self.name is None:
            return "Nome que você não pode ver"
        return self.name or "Pessoa sem nome no registro"
