"""The base record as the city sends it, one row a citizen, and as it is read (rules: registry 3.1)."""

from datetime import date, datetime
from typing import Annotated, TypeAlias
from zoneinfo import ZoneInfo

import msgspec

from balcao.core.imports.members import require_issued_cpf
from balcao.core.values import days
from balcao.registry.person.citizens.schemas import Birth, Citizen, Death, Mother
from balcao.registry.person.wallet.schemas import Documents, Education, SocialAssistance, WalletHealth

ORIGIN = "cadastro"
ADULT_YEARS = 18


# Decimal degrees; the city's systems write them as numbers or as texts.
Degrees: TypeAlias = float | Annotated[str, msgspec.Meta(pattern=r"^-?[0-9]{1,3}(\.[0-9]{1,20})?$")] | None


class BaseBirth(Birth, omit_defaults=True):
    def __post_init__(self) -> None:
        days.require(self, "data")


class BaseMother(Mother, omit_defaults=True):
    """The mother as the city knows her; her CPF is masked only where it is shown."""


class BaseDeath(Death, omit_defaults=True):
    """The death as the city knows it."""


class Sourced(msgspec.Struct, omit_defaults=True, kw_only=True):
    """Where the city has a contact from; its own records when the row does not say."""

    origem: str | None = None
    sistema: str | None = None

    def __post_init__(self) -> None:
        self.origem = self.origem or ORIGIN
        self.sistema = self.sistema or ORIGIN


class BaseEmail(Sourced):
    valor: str


class BasePhone(Sourced):
    ddi: str | None = None
    ddd: str | None = None
    valor: str | None = None


class BaseAddress(Sourced):
    cep: str | None = None
    estado: str | None = None
    municipio: str | None = None
    tipo_logradouro: str | None = None
    logradouro: str | None = None
    numero: str | None = None
    complemento: str | None = None
    bairro: str | None = None
    latitude: Degrees = None
    longitude: Degrees = None
    pluscode: str | None = None


class BaseEmails(msgspec.Struct, omit_defaults=True):
    principal: BaseEmail | None = None
    alternativo: list[BaseEmail] = []


class BasePhones(msgspec.Struct, omit_defaults=True):
    principal: BasePhone | None = None
    alternativo: list[BasePhone] = []


class BaseAddresses(msgspec.Struct, omit_defaults=True):
    principal: BaseAddress | None = None
    alternativo: list[BaseAddress] = []


class BaseRecord(msgspec.Struct, omit_defaults=True, kw_only=True):
    """The members that the merged record shows; what is unknown is left out."""

    cpf: str
    id_: str | None = msgspec.field(default=None, name="_id")
    nome: str | None = None
    nome_social: str | None = None
    sexo: str | None = None
    nascimento: BaseBirth | None = None
    mae: BaseMother | None = None
    menor_idade: bool | None = None
    raca: str | None = None
    obito: BaseDeath | None = None
    endereco: BaseAddresses | None = None
    email: BaseEmails | None = None
    telefone: BasePhones | None = None


class CitizenRow(BaseRecord, kw_only=True):
    """A row of the import: the base record and, beside it, the wallet's members."""

    documentos: Documents | None = None
    saude: WalletHealth | None = None
    assistencia_social: SocialAssistance | None = None
    educacao: Education | None = None
    source: str | None = None

    def __post_init__(self) -> None:
        require_issued_cpf(self.cpf)
        self.id_ = self.id_ or self.cpf


def format_citizen(citizen: Citizen, zone: ZoneInfo, today: date) -> Citizen:
    """Format the birth date with its time, and tell who is a minor where the city leaves that to the date."""
    birth = citizen.nascimento
    if birth is not None and (born := birth.data):
        citizen.nascimento = msgspec.structs.replace(birth, data=days.format_day(born, zone))
        if citizen.menor_idade is None:
            citizen.menor_idade = _is_minor(datetime.fromisoformat(born).date(), today)
    return citizen


def _is_minor(born: date, today: date) -> bool:
    had_no_birthday_yet = (today.month, today.day) < (born.month, born.day)
    return today.year - born.year - had_no_birthday_yet < ADULT_YEARS
