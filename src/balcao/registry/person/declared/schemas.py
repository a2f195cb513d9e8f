"""Wire types of the self-declared fields (rules: registry 2.3)."""

import msgspec


class GenderBody(msgspec.Struct):
    """Any free text (spec: self-declared gender)."""

    valor: str


class ValueBody(msgspec.Struct):
    valor: str


class AddressBody(msgspec.Struct):
    """All six required members being the text `null` removes the address."""

    logradouro: str
    numero: str
    municipio: str
    estado: str
    bairro: str
    cep: str
    complemento: str | None = None
    tipo_logradouro: str | None = None
