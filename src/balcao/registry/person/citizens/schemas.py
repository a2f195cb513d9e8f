"""Wire types of the citizen record (rules: registry 3.2)."""

from datetime import datetime
from typing import Any

import msgspec


class Message(msgspec.Struct):
    message: str


class Email(msgspec.Struct):
    origem: str
    sistema: str
    valor: str
    updated_at: datetime | None = None


class OtherEmail(msgspec.Struct):
    """One beside the main one; these are never declared, so they have no time."""

    origem: str
    sistema: str
    valor: str


class Phone(msgspec.Struct):
    origem: str
    sistema: str
    ddi: str | None
    ddd: str | None
    valor: str | None
    updated_at: datetime | None = None


class AddressParts(msgspec.Struct, kw_only=True):
    origem: str
    sistema: str
    cep: str | None = None
    estado: str | None = None
    municipio: str | None = None
    tipo_logradouro: str | None = None
    logradouro: str | None = None
    numero: str | None = None
    complemento: str | None = None
    bairro: str | None = None


class Address(AddressParts, kw_only=True):
    updated_at: datetime | None = None


class OtherAddress(AddressParts, kw_only=True):
    """One beside the main one, with its place on the map."""

    latitude: float | None = None
    longitude: float | None = None
    pluscode: str | None = None


class Emails(msgspec.Struct):
    indicador: bool
    principal: Email | None
    alternativo: list[OtherEmail]


class Phones(msgspec.Struct):
    indicador: bool
    principal: Phone | None
    alternativo: list[Phone]


class Addresses(msgspec.Struct):
    indicador: bool
    principal: Address | None
    alternativo: list[OtherAddress]


class Citizen(msgspec.Struct, kw_only=True):
    """The merged record: every member always there, null when unknown; `_id` is "" when nothing is loaded."""

    id_: str = msgspec.field(name="_id")
    cpf: str
    nome: str | None
    nome_social: str | None
    sexo: str | None
    nascimento: dict[str, Any] | None
    mae: dict[str, Any] | None
    menor_idade: bool | None
    obito: dict[str, Any] | None
    nome_exibicao: str | None
    renda_familiar: str | None
    escolaridade: str | None
    deficiencia: str | None
    genero: str | None
    raca: str | None
    email: Emails
    telefone: Phones | None
    endereco: Addresses
