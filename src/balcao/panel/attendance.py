"""The attendance that pages show: the citizen, the clerk's reason, and the time at which it closes."""

from datetime import datetime

import msgspec

from balcao.core.values.cpf import Cpf


class Attendance(msgspec.Struct, frozen=True):
    """One open attendance of a session. It closes at `ends_at`, unless the clerk opens one of its pages before then.

    `name` is the citizen's name in the registry. It is empty if there is no record, and None if the clerk may not read
    it.
    """

    number: int
    cpf: Cpf
    reason: str
    name: str | None
    ends_at: datetime

    @property
    def shown_name(self) -> str:
        """Return the citizen's name, or a phrase that says that it is missing or may not be read."""
        if self.name is None:
            return "Nome que você não pode ver"
        return self.name or "Pessoa sem nome no registro"
