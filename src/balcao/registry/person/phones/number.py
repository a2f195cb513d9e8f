"""A declared phone number: validate it, and convert it to the mirrored fields that store it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from balcao.core.errors import Invalid
from balcao.core.values.pasted import compact_pasted
from balcao.registry.mirror.writes import OwnWrite
from balcao.registry.person.phones.schemas import PhoneBody

HOME_DDI = "55"
# The merged record shows the newer of these two mirrored fields as the main phone.
MAIN = ("telefone1", "telefonePrincipal")


@dataclass(frozen=True)
class Number:
    """A phone number, as digits. `ddd` may be empty outside Brazil."""

    ddi: str
    ddd: str
    valor: str

    @classmethod
    def parse(cls, body: PhoneBody) -> Self:
        """Parse the number. Raises Invalid, with the member's name, if a member is not valid."""
        ddi, ddd, valor = (compact_pasted(part) for part in (body.ddi, body.ddd or "", body.valor))
        number = cls(ddi.removeprefix("+"), ddd, valor)
        _require("ddi", number.ddi, r"[1-9][0-9]{0,2}", "de 1 a 3 dígitos, sem zero à frente")
        if number.ddi == HOME_DDI:
            _require("ddd", number.ddd, r"[1-9][0-9](?<!10)", "dois dígitos, de 11 a 99")
            _require("valor", number.valor, r"[0-9]{8,9}", "8 ou 9 dígitos")
        else:
            _require("ddd", number.ddd, r"[0-9]{0,4}", "até 4 dígitos")
            _require("valor", number.valor, r"[0-9]{4,14}", "de 4 a 14 dígitos")
        if not 8 <= len(number.digits) <= 15:
            text = "Os campos `ddi`, `ddd` e `valor` devem ter juntos de 8 a 15 dígitos."
            raise Invalid(text, code="phone-length")
        return number

    @property
    def digits(self) -> str:
        return f"{self.ddi}{self.ddd}{self.valor}"

    @property
    def e164(self) -> str:
        return f"+{self.digits}"

    @property
    def typed(self) -> Mapping[str, str]:
        return {"ddi": self.ddi, "ddd": self.ddd, "valor": self.valor}

    @property
    def own_write(self) -> OwnWrite:
        """The own write that stores this number in the mirror, with the typed number as its wording."""
        is_home = self.ddi == HOME_DDI
        fields = MAIN if is_home else ("telefonePrincipal", "telefoneInternacional")
        # Without the `+`, a foreign number of ten digits would be read as a Brazilian number.
        written = self.digits if is_home else self.e164
        return OwnWrite(dict.fromkeys(fields, written), MAIN, "telefone", self.typed, written)


def _require(member: str, text: str, pattern: str, allowed: str) -> None:
    if not re.fullmatch(pattern, text):
        raise Invalid(f"O campo `{member}` deve ter {allowed}.", code=f"{member}-invalid")
