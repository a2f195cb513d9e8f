"""Wire types for the catalogue's audit trail."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from pydantic import BeforeValidator, Field

from balcao.access.conventions import CpfText, SearchText, SliceQuery
from balcao.core.database.results import Json
from balcao.core.http.models import Model
from balcao.core.values.clock import in_utc
from balcao.core.values.fields import WholeNumber

MAX_SEQ = 2**62


def _parse_instant(sent: Any) -> Any:
    try:
        found = datetime.fromisoformat(sent)
    except (TypeError, ValueError):
        raise ValueError("deve ser um instante RFC 3339, como 2026-03-02T12:00:00Z") from None
    if found.tzinfo is None:
        raise ValueError("o instante deve dizer o fuso, como 2026-03-02T12:00:00Z")
    return in_utc(found)


Instant = Annotated[datetime, BeforeValidator(_parse_instant)]
Number = Annotated[WholeNumber, Field(ge=0, le=MAX_SEQ)]


class Outcome(StrEnum):
    """The outcome of an attempt: carried out or refused."""

    DONE = "done"
    DENIED = "denied"


class AuditEvent(msgspec.Struct):
    """An event of the catalogue. Only changes are part of the chain and have `seq`; refusals and reads are not."""

    seq: Annotated[int | None, Meta(description="Número na corrente; nulo fora dela.", examples=[42])]
    at: Annotated[datetime, Meta(description="Quando.", examples=["2026-03-02T12:00:00Z"])]
    actor: Annotated[dict[str, Any], Meta(description="Quem: `sub`, `azp`, CPF mascarado e nome.")]
    operation: Annotated[str, Meta(description="O que se fez ou tentou.", examples=["action.update"])]
    target_type: Annotated[str, Meta(description="Tipo do alvo.", examples=["action"])]
    target_id: Annotated[str | None, Meta(description="Identificador do alvo.", examples=["90"])]
    target_name: Annotated[str | None, Meta(description="Nome do alvo na época.", examples=["iptu:invoice:read"])]
    subject: Annotated[dict[str, Any] | None, Meta(description="Pessoa atingida, mascarada; nulo sem ela.")]
    before: Annotated[Json[Any], Meta(description="Como era; nulo se não era.")]
    after: Annotated[Json[Any], Meta(description="Como ficou; nulo se deixou de ser.")]
    outcome: Annotated[str, Meta(description="`done` ou `denied`.", examples=["done"])]
    request_id: Annotated[str, Meta(description="Código da requisição.")]
    catalogue_version: Annotated[int, Meta(description="Versão do catálogo.", examples=[42])]
    prev_hash: Annotated[str | None, Meta(description="Hash do evento anterior da corrente.")]
    hash: Annotated[str | None, Meta(description="Hash deste evento.")]


class AuditEvents(msgspec.Struct):
    """A page of events."""

    items: Annotated[list[AuditEvent], Meta(description="Eventos da página, o mais novo primeiro.")]
    total: Annotated[int, Meta(description="Eventos em todas as páginas.", examples=[120])]
    skip: Annotated[int, Meta(description="Quantos foram pulados.", examples=[0])]
    limit: Annotated[int, Meta(description="Eventos por página.", examples=[50])]
    has_more: Annotated[bool, Meta(description="Se há mais depois desta página.", examples=[True])]


class AuditQuery(SliceQuery):
    """The filters for events. An absent filter matches every event."""

    operation: Annotated[SearchText | None, Field(description="Operação.", examples=["action.update"])] = None
    target_type: Annotated[SearchText | None, Field(description="Tipo do alvo.", examples=["action"])] = None
    target_id: Annotated[SearchText | None, Field(description="Identificador do alvo.", examples=["90"])] = None
    target_name: Annotated[
        SearchText | None, Field(description="Nome do alvo na época.", examples=["iptu:invoice:read"])
    ] = None
    actor: Annotated[CpfText | None, Field(description="CPF de quem fez.", examples=["90000040126"])] = None
    subject: Annotated[CpfText | None, Field(description="CPF da pessoa atingida.", examples=["90000020109"])] = None
    outcome: Annotated[Outcome | None, Field(description="`done` ou `denied`.", examples=["done"])] = None
    since: Annotated[Instant | None, Field(description="A partir de quando.", examples=["2026-03-02T00:00:00Z"])] = None
    until: Annotated[Instant | None, Field(description="Antes de quando.", examples=["2036-03-03T00:00:00Z"])] = None
    from_version: Annotated[Number | None, Field(description="A partir desta versão.", examples=[1])] = None
    to_version: Annotated[Number | None, Field(description="Até esta versão.", examples=[1000])] = None


class VerifyQuery(Model):
    """The part of the chain to verify."""

    from_seq: Annotated[
        WholeNumber, Field(ge=1, le=MAX_SEQ, description="Primeiro número, do começo sem ele.", examples=[1])
    ] = 1
    to_seq: Annotated[
        WholeNumber, Field(ge=1, le=MAX_SEQ, description="Último número, até o fim sem ele.", examples=[1000])
    ] = MAX_SEQ


class Verdict(msgspec.Struct):
    """The result of verifying a part of the chain."""

    ok: Annotated[bool, Meta(description="Se a corrente está inteira.", examples=[True])]
    checked: Annotated[int, Meta(description="Quantos eventos foram conferidos.", examples=[42])]
    first_seq: Annotated[int | None, Meta(description="Primeiro conferido; nulo sem eventos.", examples=[1])]
    last_seq: Annotated[int | None, Meta(description="Último conferido; nulo sem eventos.", examples=[42])]
    head_hash: Annotated[str | None, Meta(description="Hash do último conferido; nulo sem eventos.")]
    broken_at: Annotated[int | None, Meta(description="Onde se rompe; nulo se está inteira.", examples=[None])]
