"""What the registry says of a person, asked for over HTTP as the platform's client."""

from datetime import date, datetime

import msgspec

from balcao.core.context.call import Call
from balcao.core.outgoing import ServiceClient
from balcao.core.values.cpf import Cpf

BUDGET_SECONDS = 2.0
COUNTRY = "55"


class Phone(msgspec.Struct):
    ddi: str | None = None
    ddd: str | None = None
    valor: str | None = None


class Phones(msgspec.Struct):
    principal: Phone | None = None


class Address(msgspec.Struct):
    bairro: str | None = None


class Addresses(msgspec.Struct):
    principal: Address | None = None


class Birth(msgspec.Struct):
    data: str | None = None


class RegistryPerson(msgspec.Struct):
    """The members of the registry's record that this service reads; what is not known is null."""

    nome: str | None = None
    nome_social: str | None = None
    genero: str | None = None
    nascimento: Birth | None = None
    telefone: Phones | None = None
    endereco: Addresses | None = None

    @property
    def neighbourhood(self) -> str | None:
        """Return the neighbourhood of the main address."""
        main = self.endereco and self.endereco.principal
        return (main.bairro or None) if main else None

    @property
    def phone(self) -> str | None:
        """Return the main phone, area code first; a foreign one with `+` and its country."""
        main = self.telefone and self.telefone.principal
        if not main or not main.valor:
            return None
        abroad = f"+{main.ddi}" if main.ddi and main.ddi != COUNTRY else ""
        return f"{abroad}{main.ddd or ''}{main.valor}"

    def count_years(self, today: date) -> int | None:
        """Return the age in completed years; only the day of birth counts, not its time or zone."""
        if self.nascimento is None or self.nascimento.data is None:
            return None
        born = datetime.fromisoformat(self.nascimento.data).date()
        return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


async def find_person(call: Call, cpf: Cpf) -> RegistryPerson | None:
    """Return what the registry says; None for somebody it does not know. Raises Unavailable when it is away."""
    registry = call.platform.part(ServiceClient)
    path = f"/citizen/{cpf.digits}"
    record = await registry.get(path, seconds=BUDGET_SECONDS, request_id=call.request_id)
    return None if record is None else msgspec.convert(record, RegistryPerson)
