"""Wire types for the state of the CRM integration and for a citizen's mirror (rules: registry 2.9, 2.10)."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.registry.members import CpfDigits
from balcao.registry.mirror.records import CrmConsent
from balcao.registry.mirror.writes import Value


class CircuitStatus(msgspec.Struct):
    """The circuit breaker of the responding process. `until` is the time of the next probe, null unless it is open."""

    state: Annotated[
        str, Meta(description="Estado do disjuntor: `closed`, `open` ou `half_open`.", examples=["closed"])
    ]
    failures: Annotated[int, Meta(description="Falhas seguidas.", examples=[0])]
    until: Annotated[
        datetime | None,
        Meta(
            description="Quando o CRM será tentado de novo (RFC 3339); nulo se o disjuntor está fechado.",
            examples=["2026-03-02T12:30:00Z"],
        ),
    ]


class PushStatus(msgspec.Struct):
    """The number of pushes to the CRM, by state."""

    queued: Annotated[int, Meta(description="Envios à espera.", examples=[3])]
    running: Annotated[int, Meta(description="Envios em andamento.", examples=[1])]
    dead: Annotated[int, Meta(description="Envios que falharam de vez.", examples=[0])]
    oldest_age_s: Annotated[
        int | None, Meta(description="Espera do mais antigo, em segundos; nulo se nenhum espera.", examples=[12])
    ]


class EventStatus(msgspec.Struct):
    """The number of CRM events, by state. `pending` events wait for the worker, `dead` events for an operator."""

    pending: Annotated[int, Meta(description="Eventos à espera.", examples=[5])]
    oldest_age_s: Annotated[
        int | None, Meta(description="Espera do mais antigo, em segundos; nulo se nenhum espera.", examples=[2])
    ]
    applied_24h: Annotated[int, Meta(description="Eventos aplicados nas últimas 24 horas.", examples=[18230])]
    dead: Annotated[int, Meta(description="Eventos cuja tarefa falhou de vez.", examples=[0])]


class CrmStatus(msgspec.Struct):
    """The state of the CRM integration."""

    configured: Annotated[bool, Meta(description="Se o CRM está configurado.", examples=[True])]
    circuit: Annotated[CircuitStatus, Meta(description="O disjuntor deste processo.")]
    push: Annotated[PushStatus, Meta(description="Envios ao CRM.")]
    events: Annotated[EventStatus, Meta(description="Eventos vindos do CRM.")]
    future_registers: Annotated[int, Meta(description="Campos datados no futuro pelo CRM.", examples=[0])]


class ReleasedFields(msgspec.Struct):
    """The number of fields whose time was reset to now."""

    released: Annotated[int, Meta(description="Quantos campos vieram para o presente.", examples=[2])]


class MirroredField(msgspec.Struct):
    """A mirrored field. `effective` is whether the citizen's record shows the field.

    A null value means that the field is cleared.
    """

    name: Annotated[str, Meta(description="Nome do campo.", examples=["email"])]
    value: Annotated[Value, Meta(description="Valor; nulo quando foi apagado.", examples=["ana@pessoa.example"])]
    updated_at: Annotated[
        datetime, Meta(description="Hora do evento que o definiu (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
    ]
    origin: Annotated[str, Meta(description="Quem o definiu.", examples=["citizen"])]
    confirmed_at: Annotated[
        datetime | None,
        Meta(
            description="Quando o CRM disse o mesmo que o cidadão pela última vez (RFC 3339); nulo se não disse.",
            examples=["2026-03-02T12:31:00Z"],
        ),
    ]
    effective: Annotated[bool, Meta(description="Se o cadastro do cidadão o mostra.", examples=[True])]


class CrmMirror(msgspec.Struct):
    """A citizen's mirror."""

    cpf: CpfDigits
    anonymised_at: Annotated[
        datetime | None,
        Meta(description="Hora da última anonimização (RFC 3339); nulo sem ela.", examples=["2026-03-02T12:30:00Z"]),
    ]
    consents_cleared_at: Annotated[
        datetime | None,
        Meta(
            description="Desde quando os consentimentos foram apagados (RFC 3339); nulo se não foram.",
            examples=["2026-03-02T12:30:00Z"],
        ),
    ]
    fields: Annotated[list[MirroredField], Meta(description="Campos espelhados, por nome.")]
    crm_consentimentos: Annotated[list[CrmConsent], Meta(description="Consentimentos que o CRM informou.")]
