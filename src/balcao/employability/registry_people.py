"""Personal data from the registry, which the platform's own client reads over HTTP (rules: employability 3.4, 4.4)."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.outgoing import ServiceClient
from balcao.core.values.cpf import Cpf

BUDGET_SECONDS = 2.0
COUNTRY = "55"
_DATE_LENGTH = 10
# The registry's path for checking who accepts messages about services, and the code of the messages that this service
# sends.
_CHECK, _CAMPAIGN = "/notification-categories/services/recipients/check", "job-applications"


class PersonAddress(msgspec.Struct, frozen=True, kw_only=True):
    """The main address of a person."""

    cep: str | None = None
    tipo_logradouro: str | None = None
    logradouro: str | None = None
    numero: str | None = None
    complemento: str | None = None
    bairro: str | None = None
    municipio: str | None = None
    estado: str | None = None


class PersonRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The registry's record of a person. All members are None if the person is not in the registry."""

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

    def count_years(self, today: date) -> int | None:
        """Return the age in completed years, or None without a date of birth.

        In a year that is not a leap year, the birthday of a person born on 29 February is 1 March.
        """
        born = self.data_nascimento
        if born is None:
            return None
        return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


class EmailConsent(msgspec.Struct, frozen=True):
    """Whether a person accepts e-mails about services, and the address to unsubscribe with one click."""

    accepts: bool
    unsubscribe: str | None = None


class _Checked(msgspec.Struct):
    recipients: list[EmailConsent]


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


async def ask_registry(call: Call, cpf: Cpf) -> PersonRecord:
    """Read a person's record from the registry. Raises Unavailable if the registry is down.

    The record is empty if the person is not in the registry. Call this outside any transaction, because it can take two
    seconds.
    """
    registry = call.platform.part(ServiceClient)
    content = await registry.get(f"/citizen/{cpf.digits}", seconds=BUDGET_SECONDS, request_id=call.request_id)
    return PersonRecord() if content is None else _to_record(content)


async def ask_email_consent(platform: Platform, cpf: Cpf, request_id: str) -> EmailConsent:
    """Return whether a person accepts e-mails about services. Raises Unavailable if the registry is down.

    The registry records each person's check only once (rules: registry 4.17). Call this outside any transaction.
    """
    if not platform.settings.registry_url:
        return EmailConsent(True)  # without a registry, there are no stored preferences
    question = {"purpose": "service_notice", "campaign": _CAMPAIGN, "cpfs": [cpf.digits]}
    registry = platform.part(ServiceClient)
    answer = await registry.post(_CHECK, question, seconds=BUDGET_SECONDS, request_id=request_id)
    return EmailConsent(False) if answer is None else msgspec.convert(answer, _Checked).recipients[0]


def _to_record(content: Mapping[str, Any]) -> PersonRecord:
    """Convert a response to a record. Empty strings become None."""
    citizen = msgspec.convert(content, _Citizen)
    email = citizen.email.principal if citizen.email else None
    return PersonRecord(
        nome=citizen.nome or None,
        nome_social=citizen.nome_social or None,
        email=(email and email.valor) or None,
        celular=_format_phone(citizen.telefone.principal if citizen.telefone else None),
        data_nascimento=_parse_day(citizen.nascimento.data if citizen.nascimento else None),
        escolaridade=citizen.escolaridade or None,
        genero=citizen.genero or None,
        raca=citizen.raca or None,
        renda_familiar=citizen.renda_familiar or None,
        deficiencia=citizen.deficiencia or None,
        endereco=citizen.endereco.principal if citizen.endereco else None,
    )


def _format_phone(phone: _Main | None) -> str | None:
    """Return the phone number with its area code. A foreign number starts with `+` and its country code."""
    if phone is None or not phone.valor:
        return None
    abroad = f"+{phone.ddi}" if phone.ddi and phone.ddi != COUNTRY else ""
    return f"{abroad}{phone.ddd or ''}{phone.valor}"


def _parse_day(text: str | None) -> date | None:
    """Return the date part of a timestamp, or None if it is malformed.

    The offset is ignored, because the date is already local.
    """
    try:
        return date.fromisoformat((text or "")[:_DATE_LENGTH])
    except ValueError:
        return None
