"""What this service keeps of people who apply: a copy of what the registry said (rules: employability 3.4)."""

from datetime import date

import msgspec


class PersonAddress(msgspec.Struct, frozen=True, kw_only=True):
    """The main address."""

    cep: str | None = None
    tipo_logradouro: str | None = None
    logradouro: str | None = None
    numero: str | None = None
    complemento: str | None = None
    bairro: str | None = None
    municipio: str | None = None
    estado: str | None = None


class PersonRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A person as the registry knows them; of somebody it does not know nothing is set."""

    nome: str | None = None
    nome_social: str | None = None
    email: str | None = None
    celular: str | None = None
    data_nascimento: date | None = None
    escolaridade: str | None = None
    genero: str | None = None
    raca: str | None = None
    renda_familiar: str | None = None
    deficiencia: str | None = None
    endereco: PersonAddress | None = None
