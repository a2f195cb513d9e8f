"""Wire types for risk notifications, as staff and the public see them."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator

from balcao.core.http.models import Model
from balcao.core.values.clock import in_utc
from balcao.core.values.fields import NaturalNumber
from balcao.health_units.reference_lists.schemas import CODE
from balcao.health_units.situation import Risco, Status
from balcao.health_units.texts import Reason

_EXAMPLE_ID = "0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d90"


class Causa(StrEnum):
    """The reasons to close a notification. The public does not see notifications that were closed as a mistake."""

    NORMALIZACAO = "normalizacao"
    ENGANO = "engano"
    OUTRO = "outro"


class EventKind(StrEnum):
    ABERTURA = "abertura"
    MUDANCA = "mudanca"
    CONFIRMACAO = "confirmacao"
    ENCERRAMENTO = "encerramento"


# Only staff read the reason, but it must not contain personal data either.
Motivo = Annotated[
    Reason,
    Field(
        max_length=1000, description="Motivo, visto só pela equipe; sem dados pessoais.", examples=["confronto na rua"]
    ),
]
_Code = Annotated[str, StringConstraints(pattern=CODE)]
_Occurrence = Annotated[
    _Code, Field(description="Código do tipo de ocorrência (`/listas/ocorrencias`).", examples=["confronto_armado"])
]


def _check_once(codes: list[str]) -> list[str]:
    if len(set(codes)) < len(codes):
        raise ValueError("não pode repetir um código")
    return codes


_Consequences = Annotated[
    list[_Code],
    AfterValidator(_check_once),
    Field(
        max_length=10,
        description="Códigos das consequências (`/listas/consequencias`).",
        examples=[["visitas_suspensas"]],
    ),
]
_Risco = Annotated[Risco, Field(description="Cor do risco: Verde, Amarelo, Laranja ou Vermelho.")]


class Remarks(msgspec.Struct, frozen=True):
    """The remarks of staff on an event. Only staff can read them. The codes come from the reference lists."""

    motivo: str | None = None
    ocorrencia: str | None = None
    consequencias: tuple[str, ...] = ()


class OpenBody(Model):
    """The body that opens a notification."""

    risco: _Risco
    motivo: Motivo | None = None
    ocorrencia: _Occurrence | None = None
    consequencias: _Consequences = []

    @property
    def remarks(self) -> Remarks:
        return Remarks(self.motivo, self.ocorrencia, tuple(self.consequencias))


class ChangeBody(Model):
    """The body that changes a notification's colour. Sending the current colour confirms the notification."""

    risco: _Risco
    motivo: Motivo | None = None
    ocorrencia: _Occurrence | None = None
    consequencias: _Consequences = []

    @property
    def remarks(self) -> Remarks:
        return Remarks(self.motivo, self.ocorrencia, tuple(self.consequencias))


class CloseBody(Model):
    """The body that closes a notification. `risco` is the last colour to record, by default the current colour."""

    causa: Annotated[Causa, Field(description="Por que termina; `engano` a tira da vista do público.")] = (
        Causa.NORMALIZACAO
    )
    risco: Annotated[Risco | None, Field(description="Última cor a registrar; sem ela a cor fica.")] = None
    motivo: Motivo | None = None

    @property
    def remarks(self) -> Remarks:
        return Remarks(self.motivo)


def _parse_instant(sent: Any) -> datetime:
    """Parse an RFC 3339 instant. Pydantic's own parser would also accept a number of seconds."""
    try:
        instant: datetime = msgspec.convert(sent, Annotated[datetime, Meta(tz=True)])
        return in_utc(instant)
    except ValueError:
        raise ValueError("deve ser um instante RFC 3339, com fuso") from None


Bound = Annotated[datetime, BeforeValidator(_parse_instant)]


class LogQuery(Model):
    """The filter for a unit's notifications. `de` and `ate` are inclusive bounds of the opening time."""

    status: Annotated[Status | None, Field(description="Só as ativas ou só as encerradas.")] = None
    de: Annotated[
        Bound | None,
        Field(description="Abertas neste instante ou depois (RFC 3339).", examples=["2026-01-01T00:00:00Z"]),
    ] = None
    ate: Annotated[
        Bound | None, Field(description="Abertas até este instante (RFC 3339).", examples=["2036-01-01T00:00:00Z"])
    ] = None
    limit: Annotated[NaturalNumber, Field(ge=1, le=200, description="Notificações por página, de 1 a 200.")] = 50
    after: Annotated[
        str, Field(max_length=100, description="Cursor da página anterior (`proximo`); vazio para o começo.")
    ] = ""

    @model_validator(mode="after")
    def _in_order(self) -> "LogQuery":
        if self.de is not None and self.ate is not None and self.de > self.ate:
            raise ValueError("`de` deve vir antes de `ate`")
        return self


_Id = Annotated[str, Meta(description="Identificador da notificação (UUID).", examples=[_EXAMPLE_ID])]
_Instant = Annotated[
    str, Meta(description="Instante em segundos inteiros, com fuso.", examples=["2026-10-05T14:30:00-03:00"])
]
_End = Annotated[
    str | None,
    Meta(description="Quando foi encerrada; nulo enquanto ativa.", examples=["2026-10-05T16:00:00-03:00"]),
]
_Color = Annotated[Risco, Meta(description="Cor do risco, em ordem crescente: Verde, Amarelo, Laranja, Vermelho.")]
_Reason = Annotated[str | None, Meta(description="Motivo registrado; nulo se não há.", examples=["confronto na rua"])]
_Cause = Annotated[Causa | None, Meta(description="Por que foi encerrada; nula antes disso.")]
_LoggedOccurrence = Annotated[
    str | None, Meta(description="Tipo de ocorrência; nulo se não foi dito.", examples=["confronto_armado"])
]
_LoggedConsequences = Annotated[
    list[str], Meta(description="Consequências; vazia se não foram ditas.", examples=[["visitas_suspensas"]])
]
_AuthorName = Annotated[str, Meta(description="Quem fez.", examples=["Rui Campos"])]


class PublicNotification(msgspec.Struct):
    """A notification, as the public sees it."""

    id: _Id
    risco: _Color
    status: Annotated[Status, Meta(description="Se a notificação está ativa ou foi encerrada.")]
    aberta_em: _Instant
    ultima_atualizacao: _Instant
    encerrada_em: _End
    risco_maximo: Annotated[Risco, Meta(description="A cor mais alta que a notificação teve.")]


class StaffNotification(PublicNotification):
    """A notification, as staff see it. The remarks and the author are those of its newest event."""

    causa: _Cause
    versao: Annotated[int, Meta(ge=1, description="Sobe a cada evento; é o `ETag`.", examples=[1])]
    motivo: _Reason
    ocorrencia: _LoggedOccurrence
    consequencias: _LoggedConsequences
    autor_nome: _AuthorName
    desatualizada: Annotated[
        bool, Meta(description="Ativa, e ninguém a muda nem confirma há mais de 24 horas.", examples=[False])
    ]


class LoggedEvent(msgspec.Struct):
    """An entry in a notification's log."""

    tipo: Annotated[EventKind, Meta(description="O que aconteceu.")]
    risco_antes: Annotated[Risco | None, Meta(description="Cor anterior; nula na abertura.")]
    risco_depois: _Color
    causa: _Cause
    motivo: _Reason
    ocorrencia: _LoggedOccurrence
    consequencias: _LoggedConsequences
    autor_nome: _AuthorName
    em: _Instant


class NotificationDetail(StaffNotification):
    """A notification with its whole log."""

    eventos: Annotated[list[LoggedEvent], Meta(description="O que aconteceu, em ordem.")]


class NotificationLog(msgspec.Struct):
    """A page of a unit's notifications, newest first. `proximo` is null on the last page."""

    itens: Annotated[list[PublicNotification], Meta(description="Da mais nova à mais antiga.")]
    proximo: Annotated[
        str | None,
        Meta(description="Envie em `after` para continuar; nulo no fim.", examples=["AAAAAGjifVAAAAAAAAAAAAAA"]),
    ]
