"""The base record: the rows that the city imports, and the stored document (rules: registry 3.1)."""

from datetime import date, datetime
from typing import Annotated, TypeAlias
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from balcao.core.imports.members import require_issued_cpf
from balcao.core.values import days
from balcao.registry.paths import CpfText
from balcao.registry.person.citizens.schemas import AreaCode, Birth, Citizen, CountryCode, Death, Mother
from balcao.registry.person.wallet.schemas import Documents, Education, SocialAssistance, WalletHealth

ORIGIN = "cadastro"
ADULT_YEARS = 18

# A coordinate in decimal degrees. The city's systems write coordinates as numbers or as strings.
Degrees: TypeAlias = float | Annotated[str, Meta(pattern=r"^-?[0-9]{1,3}(\.[0-9]{1,20})?$")] | None
Source: TypeAlias = Annotated[
    str | None, Meta(description="De onde a cidade tem o dado; `cadastro` se ela não diz.", examples=["cadastro"])
]


class BaseBirth(Birth, omit_defaults=True):
    """The person's birth data in the import file."""

    data: Annotated[
        str | None, Meta(description="Nascimento: data, ou data com hora e fuso.", examples=["1990-04-12"])
    ] = None

    def __post_init__(self) -> None:
        days.require_day(self, "data")


class BaseMother(Mother, omit_defaults=True):
    """The person's mother in the city's register. Her CPF is stored in full and masked only in responses."""

    cpf: Annotated[str | None, Meta(description="CPF da mãe, como a cidade o carregou.", examples=["90000000256"])] = (
        None
    )


class BaseDeath(Death, omit_defaults=True):
    """The person's death in the city's register."""


class Sourced(msgspec.Struct, omit_defaults=True, kw_only=True):
    """The source of an e-mail, phone or address. If the row names no source, it is the city's own register."""

    origem: Source = None
    sistema: Source = None

    def __post_init__(self) -> None:
        self.origem = self.origem or ORIGIN
        self.sistema = self.sistema or ORIGIN


class BaseEmail(Sourced):
    """An e-mail address in the base record."""

    valor: Annotated[str, Meta(description="Endereço de e-mail.", examples=["ana@pessoa.example"])]


class BasePhone(Sourced):
    """A phone number in the base record."""

    ddi: CountryCode = None
    ddd: AreaCode = None
    valor: Annotated[str | None, Meta(description="Número sem os códigos.", examples=["900010175"])] = None


class BaseAddress(Sourced):
    """An address in the base record."""

    cep: Annotated[str | None, Meta(description="CEP.", examples=["24000120"])] = None
    estado: Annotated[str | None, Meta(description="Estado.", examples=["RJ"])] = None
    municipio: Annotated[str | None, Meta(description="Município.", examples=["Porto Aurora"])] = None
    tipo_logradouro: Annotated[str | None, Meta(description="Tipo do logradouro.", examples=["Rua"])] = None
    logradouro: Annotated[str | None, Meta(description="Nome do logradouro.", examples=["das Marés"])] = None
    numero: Annotated[str | None, Meta(description="Número na via.", examples=["120"])] = None
    complemento: Annotated[str | None, Meta(description="Complemento.", examples=["apto 301"])] = None
    bairro: Annotated[str | None, Meta(description="Bairro.", examples=["Praia Grande"])] = None
    latitude: Annotated[Degrees, Meta(description="Latitude em graus decimais, WGS 84.", examples=[-22.5])] = None
    longitude: Annotated[Degrees, Meta(description="Longitude em graus decimais, WGS 84.", examples=[-43.25])] = None
    pluscode: Annotated[str | None, Meta(description="Plus Code do local.", examples=["58GVGQ2X+22"])] = None


class BaseEmails(msgspec.Struct, omit_defaults=True):
    """The e-mail addresses in the base record."""

    principal: Annotated[BaseEmail | None, Meta(description="O e-mail principal.")] = None
    alternativo: Annotated[list[BaseEmail], Meta(description="Outros e-mails.")] = []


class BasePhones(msgspec.Struct, omit_defaults=True):
    """The phone numbers in the base record."""

    principal: Annotated[BasePhone | None, Meta(description="O telefone principal.")] = None
    alternativo: Annotated[list[BasePhone], Meta(description="Outros telefones.")] = []


class BaseAddresses(msgspec.Struct, omit_defaults=True):
    """The addresses in the base record."""

    principal: Annotated[BaseAddress | None, Meta(description="O endereço principal.")] = None
    alternativo: Annotated[list[BaseAddress], Meta(description="Outros endereços.")] = []


class BaseRecord(msgspec.Struct, omit_defaults=True, kw_only=True):
    """The members of the base record that the merged record shows. Unknown members are omitted."""

    cpf: CpfText
    id_: Annotated[str | None, Meta(description="Identificador no cadastro da cidade.", examples=["demo-000001"])] = (
        msgspec.field(default=None, name="_id")
    )
    nome: Annotated[str | None, Meta(description="Nome civil.", examples=["Ana Beatriz Moreira"])] = None
    nome_social: Annotated[str | None, Meta(description="Nome social.", examples=["Bia Moreira"])] = None
    sexo: Annotated[str | None, Meta(description="Sexo.", examples=["F"])] = None
    nascimento: Annotated[BaseBirth | None, Meta(description="Nascimento.")] = None
    mae: Annotated[BaseMother | None, Meta(description="Mãe.")] = None
    menor_idade: Annotated[bool | None, Meta(description="Se tem menos de 18 anos.", examples=[False])] = None
    raca: Annotated[str | None, Meta(description="Raça ou cor.", examples=["parda"])] = None
    obito: Annotated[BaseDeath | None, Meta(description="Óbito.")] = None
    endereco: Annotated[BaseAddresses | None, Meta(description="Endereços.")] = None
    email: Annotated[BaseEmails | None, Meta(description="E-mails.")] = None
    telefone: Annotated[BasePhones | None, Meta(description="Telefones.")] = None


class ExportedBaseRecord(BaseRecord, kw_only=True):
    """The base record in a person's data export: as imported, with its source and time.

    Only the mother's CPF is masked.
    """

    mae: Annotated[Mother | None, Meta(description="Mãe.")] = None  # type: ignore[assignment]  # shown, not stored

    source: Annotated[str, Meta(description="De onde a cidade o carregou.", examples=["cadastro"])]
    loaded_at: Annotated[
        datetime, Meta(description="Quando foi carregado (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
    ]


class CitizenRow(BaseRecord, kw_only=True):
    """A row in the import file: the base record and the members of the wallet."""

    documentos: Documents | None = None
    saude: WalletHealth | None = None
    assistencia_social: SocialAssistance | None = None
    educacao: Education | None = None
    source: str | None = None

    def __post_init__(self) -> None:
        require_issued_cpf(self.cpf)
        self.id_ = self.id_ or self.cpf


def format_citizen(citizen: Citizen, zone: ZoneInfo, today: date) -> Citizen:
    """Convert the birth date to midnight in the time zone.

    Compute `menor_idade` from it if the city imported no value.
    """
    birth = citizen.nascimento
    if birth is not None and (born := birth.data):
        citizen.nascimento = msgspec.structs.replace(birth, data=days.format_day(born, zone))
        if citizen.menor_idade is None:
            citizen.menor_idade = _is_minor(datetime.fromisoformat(born).date(), today)
    return citizen


def _is_minor(born: date, today: date) -> bool:
    had_no_birthday_yet = (today.month, today.day) < (born.month, born.day)
    return today.year - born.year - had_no_birthday_yet < ADULT_YEARS
