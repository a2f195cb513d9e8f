"""Wire types for the phone book (rules: registry 2.11)."""

from datetime import datetime
from typing import Annotated, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.core.http.paging import PageQuery
from balcao.core.values.page import Pagination
from balcao.registry.consent.preferences.schemas import Preferences
from balcao.registry.members import CpfDigits, CpfForViewer, MaskedCpf
from balcao.registry.person.phone_book.states import Proof

PhoneNumber: TypeAlias = Annotated[str, Meta(description="Telefone, em E.164.", examples=["+5521900010175"])]
MaskedName: TypeAlias = Annotated[str, Meta(description="Nome mascarado.", examples=["A** B****** M******"])]
ChannelText: TypeAlias = Annotated[
    str, Meta(description="Canal: de 1 a 32 letras minúsculas, algarismos, `_`, `.` ou `-`.", examples=["whatsapp"])
]
ReasonText: TypeAlias = Annotated[
    str,
    Meta(description="Motivo: um código de `/config/opt-out-reasons` ou até 500 caracteres, sem dados pessoais."),
]
QuarantineUntil: TypeAlias = Annotated[
    datetime, Meta(description="Até quando vai a quarentena (RFC 3339).", examples=["2026-09-01T12:00:00Z"])
]


class ExportedPhone(msgspec.Struct):
    """A phone number bound to the person, in their data export."""

    phone_number: PhoneNumber
    proof: Annotated[
        Proof,
        Meta(description="Como se sabe que é dela: `code`, por código; `token`, só porque ela o disse."),
    ]
    channel: ChannelText | None
    opt_in: Annotated[bool, Meta(description="Se a pessoa aceita mensagens neste número.", examples=[True])]
    bound_at: Annotated[
        datetime, Meta(description="Desde quando está ligado à pessoa (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
    ]


class ExportedPhoneEntry(msgspec.Struct):
    """A phone book entry in the person's data export: an opt-in, opt-out, rejection, quarantine or release."""

    phone_number: Annotated[str, Meta(description="Telefone, só com os últimos dígitos.", examples=["*********0175"])]
    action: Annotated[
        str,
        Meta(
            description="O que se disse: `opt_in`, `opt_out`, `rejected`, `quarantined` ou `released`.",
            examples=["opt_in"],
        ),
    ]
    channel: ChannelText | None
    reason: Annotated[str | None, Meta(description="Motivo informado; nulo se nenhum.", examples=["incorrect_person"])]
    at: Annotated[datetime, Meta(description="Quando foi (RFC 3339).", examples=["2026-03-02T12:30:00Z"])]


class PhoneStatus(msgspec.Struct):
    """The state of a phone number. During a quarantine, no person is shown."""

    phone_number: PhoneNumber
    found: Annotated[bool, Meta(description="Se o número está ligado a alguém ou em quarentena.", examples=[True])]
    quarantined: Annotated[bool, Meta(description="Se está em quarentena: não escreva para ele.", examples=[False])]
    quarantine_until: QuarantineUntil | None
    cpf: MaskedCpf | None
    name: MaskedName | None
    opt_in: Annotated[
        bool,
        Meta(
            description="Se a pessoa aceita mensagens neste número; as preferências dela também valem.",
            examples=[True],
        ),
    ]


class PhoneCitizen(msgspec.Struct):
    """The masked CPF and name of the person to whom a phone number is bound."""

    found: Annotated[bool, Meta(description="Se o número está ligado a alguém.", examples=[True])]
    cpf: MaskedCpf | None
    name: MaskedName | None


class PhonePreferences(Preferences):
    """The preferences of the person to whom the phone number is bound. The CPF is masked."""

    cpf: MaskedCpf


class PhoneBindBody(msgspec.Struct):
    """The person to whom the phone number is to be bound."""

    cpf: CpfDigits
    channel: ChannelText


class BoundPhone(msgspec.Struct):
    """A phone number with its new binding."""

    status: Annotated[str, Meta(description="Sempre `bound`.", examples=["bound"])]
    phone_number: PhoneNumber
    cpf: CpfForViewer
    opt_in: Annotated[bool, Meta(description="Se a pessoa aceita mensagens neste número.", examples=[False])]
    message: Annotated[str, Meta(description="O que foi feito.", examples=["Telefone ligado ao cidadão."])]


class PhoneOptInBody(PhoneBindBody):
    """The person who consents, and the channel through which they consented."""


class PhoneOptOutBody(msgspec.Struct):
    """The reason for an opt-out. `incorrect_person` means that the phone number now belongs to another person."""

    channel: ChannelText
    reason: ReasonText


class RejectionBody(PhoneBindBody):
    """The person to whom the phone number does not belong."""

    reason: ReasonText | UnsetType = UNSET


class PhoneOutcome(msgspec.Struct):
    """The outcome of an opt-in, an opt-out or a rejection."""

    status: Annotated[
        str,
        Meta(
            description=(
                "`opted_in`, `already_opted_in`, `opted_out`, `already_opted_out`, `rejected`, ou `not_found` se o "
                "número não está ligado a essa pessoa."
            ),
            examples=["opted_in"],
        ),
    ]


class QuarantineOutcome(msgspec.Struct):
    """The phone number after its quarantine has started or ended."""

    status: Annotated[str, Meta(description="`quarantined` ou `released`.", examples=["quarantined"])]
    phone_number: PhoneNumber
    quarantine_until: QuarantineUntil | None
    message: Annotated[str, Meta(description="O que foi feito.", examples=["Telefone em quarentena."])]


class RegistrationBody(PhoneBindBody):
    """The data that a person claims about themselves."""

    name: Annotated[str, Meta(description="Nome civil completo.", examples=["Ana Beatriz Moreira"])]
    birth_date: Annotated[
        str,
        Meta(description="Nascimento (`AAAA-MM-DD`).", examples=["1990-05-17"], extra_json_schema={"format": "date"}),
    ]


class RegistrationVerdict(msgspec.Struct):
    """The result of comparing the person's claims with the city's record.

    It contains nothing that the caller did not send.
    """

    valid: Annotated[bool, Meta(description="Se nome, CPF e nascimento conferem.", examples=[True])]
    matched_cpf: MaskedCpf | None
    matched_name: MaskedName | None


class QuarantinedPhone(msgspec.Struct):
    """A phone number in quarantine, or one whose quarantine has ended but that is not yet deleted."""

    phone_number: PhoneNumber
    quarantine_until: QuarantineUntil
    expired: Annotated[bool, Meta(description="Se a quarentena já terminou.", examples=[False])]


class QuarantinedPhones(msgspec.Struct):
    """A page of phone numbers, sorted by the end of their quarantine."""

    data: Annotated[list[QuarantinedPhone], Meta(description="Telefones, pelo fim da quarentena.")]
    pagination: Annotated[Pagination, Meta(description="Página devolvida e total de telefones.")]


class QuarantineQuery(PageQuery):
    """The filter for phone numbers in quarantine."""

    expired: Annotated[
        bool | None, Meta(description="`true` para as quarentenas que já terminaram; sem ele, as que valem.")
    ] = None


class QuarantineStats(msgspec.Struct):
    """Quarantine counts.

    An ended quarantine is counted until it is deleted after 30 days. Only the history total counts all quarantines.
    """

    total_quarantined: Annotated[int, Meta(description="Quarentenas que valem ou terminaram há pouco.", examples=[3])]
    active_quarantines: Annotated[int, Meta(description="As que valem.", examples=[2])]
    expired_quarantines: Annotated[int, Meta(description="As que terminaram.", examples=[1])]
    quarantines_with_cpf: Annotated[int, Meta(description="As que desfizeram a ligação com alguém.", examples=[2])]
    quarantines_without_cpf: Annotated[int, Meta(description="As de números sem ligação.", examples=[1])]
    quarantine_history_total: Annotated[int, Meta(description="Quantas já houve, ao todo.", examples=[7])]
