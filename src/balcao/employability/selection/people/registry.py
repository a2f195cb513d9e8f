"""What the registry answers of a citizen, as far as this service reads it."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import msgspec

from balcao.employability.selection.people.schemas import PersonAddress, PersonRecord

_DATE_LENGTH = 10


class _Birth(msgspec.Struct):
    data: str | None = None


class _Main(msgspec.Struct):
    ddi: str | None = None
    ddd: str | None = None
    valor: str | None = None


class _Contact(msgspec.Struct):
    principal: _Main | None = None


class _Addresses(msgspec.Struct):
    principal: PersonAddress | None = None


class _Citizen(msgspec.Struct):
    nome: str | None = None
    nome_social: str | None = None
    nascimento: _Birth | None = None
    email: _Contact | None = None
    telefone: _Contact | None = None
    endereco: _Addresses | None = None
    escolaridade: str | None = None
    genero: str | None = None
    raca: str | None = None
    renda_familiar: str | None = None
    deficiencia: str | None = None


def to_record(content: Mapping[str, Any]) -> PersonRecord:
    """Return the record; an empty text, which says that there is none, is none."""
    citizen = msgspec.convert(content, _Citizen)
    email = citizen.email.principal if citizen.email else None
    phone = citizen.telefone.principal if citizen.telefone else None
    return PersonRecord(
        nome=citizen.nome or None,
        nome_social=citizen.nome_social or None,
        email=(email and email.valor) or None,
        celular=f"{phone.ddd or ''}{phone.valor}" if phone and phone.valor else None,
        data_nascimento=_parse_day(citizen.nascimento.data if citizen.nascimento else None),
        escolaridade=citizen.escolaridade or None,
        genero=citizen.genero or None,
        raca=citizen.raca or None,
        renda_familiar=citizen.renda_familiar or None,
        deficiencia=citizen.deficiencia or None,
        endereco=citizen.endereco.principal if citizen.endereco else None,
    )


def _parse_day(text: str | None) -> date | None:
    """Return the date part; it is the city's day, whatever offset stands behind it."""
    try:
        return date.fromisoformat((text or "")[:_DATE_LENGTH])
    except ValueError:
        return None
