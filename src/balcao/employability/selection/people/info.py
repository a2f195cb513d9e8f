"""The candidate data that staff see, from copied registry records (rules: employability 3.4)."""

from datetime import date
from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.employability.registry_people import PersonRecord


class PersonalAddress(msgspec.Struct):
    """The main address of a candidate."""

    cep: Annotated[str | None, Meta(description="CEP.", examples=["90000010"])]
    tipo_logradouro: Annotated[str | None, Meta(description="Tipo do logradouro.", examples=["Rua"])]
    logradouro: Annotated[str | None, Meta(description="Logradouro.", examples=["da Praia"])]
    numero: Annotated[str | None, Meta(description="Número.", examples=["10"])]
    complemento: Annotated[str | None, Meta(description="Complemento.", examples=["Casa 2"])]
    bairro: Annotated[str | None, Meta(description="Bairro.", examples=["Centro"])]
    municipio: Annotated[str | None, Meta(description="Município.", examples=["Porto Aurora"])]
    estado: Annotated[str | None, Meta(description="Sigla do estado.", examples=["RJ"])]


class PersonalInfo(msgspec.Struct):
    """A candidate's data in a list."""

    nome: Annotated[str | None, Meta(description="Nome.", examples=["Ana Beatriz Moreira"])]
    nome_social: Annotated[str | None, Meta(description="Nome social.", examples=["Ana Moreira"])]
    email: Annotated[str | None, Meta(description="E-mail.", examples=["ana@pessoa.example"])]
    celular: Annotated[str | None, Meta(description="Celular.", examples=["+5521999990000"])]
    endereco: Annotated[PersonalAddress | None, Meta(description="Endereço principal.")]


class WholePersonalInfo(PersonalInfo):
    """A candidate's data in a single application.

    Without `job_application:read_sensitive`, the last four members are null.
    """

    data_nascimento: Annotated[date | None, Meta(description="Data de nascimento.", examples=["1997-05-20"])]
    escolaridade: Annotated[str | None, Meta(description="Escolaridade declarada.", examples=["Médio completo"])]
    genero: Annotated[str | None, Meta(description="Gênero declarado.", examples=["Mulher cisgênero"])]
    raca: Annotated[str | None, Meta(description="Raça ou cor declarada.", examples=["Parda"])]
    renda_familiar: Annotated[
        str | None, Meta(description="Renda familiar declarada.", examples=["1 a 2 salários mínimos"])
    ]
    deficiencia: Annotated[str | None, Meta(description="Deficiência declarada.", examples=["Visual"])]


SENSITIVE = ("genero", "raca", "renda_familiar", "deficiencia")


def describe_listed(record: PersonRecord | None) -> PersonalInfo | None:
    """Return the data to show in a list, or None if there is no record."""
    return None if record is None else msgspec.convert(record, PersonalInfo, from_attributes=True)


def describe_whole(record: PersonRecord | None, *, also_sensitive: bool) -> WholePersonalInfo | None:
    """Return the data to show for a single candidate, or None if there is no record."""
    if record is None:
        return None
    shown = record if also_sensitive else msgspec.structs.replace(record, **dict.fromkeys(SENSITIVE))
    return msgspec.convert(shown, WholePersonalInfo, from_attributes=True)
