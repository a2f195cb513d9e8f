"""Wire types for the stream's events, tickets and parameters."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta
from pydantic import BeforeValidator, Field, StringConstraints
from pydantic_core import PydanticKnownError

from balcao.core.http.models import Model
from balcao.core.values.cnes import PATTERN
from balcao.health_units.records import CnesText
from balcao.health_units.risk.schemas import Situation

# The kinds of events that concern one unit.
Tipo = Literal["risco", "unidade"]
_MOST_DIGITS = 18


def parse_sequence(sent: str) -> int:
    """Parse a change number. Raises PydanticKnownError unless it consists of at most 18 digits."""
    if not (sent.isascii() and sent.isdigit() and len(sent) <= _MOST_DIGITS):
        raise PydanticKnownError("int_parsing")
    return int(sent)


Sequence: TypeAlias = Annotated[
    int, Meta(description="Número da mudança; de duas de uma unidade vale a maior.", examples=[42])
]


class RiskEvent(msgspec.Struct):
    """The event `risco`: a unit's risk after the change."""

    sequencia: Sequence
    cnes: CnesText
    notificacao_ativa: Annotated[
        Situation | None, Meta(description="A notificação em vigor; nula quando a unidade funciona normalmente.")
    ]
    ultima_notificacao: Annotated[
        Situation | None, Meta(description="A mais recente, ativa ou encerrada; nula se nunca houve.")
    ]


class UnitEvent(msgspec.Struct):
    """The event `unidade`: a unit was registered or replaced, or its timetable changed."""

    sequencia: Sequence
    cnes: CnesText


class ResetEvent(msgspec.Struct):
    """The event `reset`: the requested changes are no longer stored, so the client must read all risks again."""

    sequencia: int


class StreamTicket(msgspec.Struct):
    """A ticket that lets a browser open a stream."""

    bilhete: Annotated[
        str, Meta(description="Abre um fluxo, uma só vez.", examples=["7b0zqgqVYkq2tJb1mT6mHnq2cXo6m0zvYh3l0sB0u0A"])
    ]
    expira_em: Annotated[str, Meta(description="Até quando pode ser usado.", examples=["2026-10-05T14:30:30-03:00"])]


class TicketQuery(Model):
    """The parameter that contains the ticket."""

    bilhete: Annotated[
        str,
        StringConstraints(min_length=1, max_length=64),
        Field(description="O bilhete, pedido há menos de 30 segundos.", examples=["7b0zqgqVYkq2tJb1mT6mHnq2cXo6m0zv"]),
    ]


class StreamQuery(Model):
    """The query for a stream: the units to follow, and the number of the change after which to start."""

    cnes: Annotated[
        list[Annotated[str, StringConstraints(pattern=PATTERN)]],
        Field(
            max_length=100,
            description="CNES, repetido para até 100 unidades; sem nenhum vêm todas.",
            examples=[["9900001"]],
        ),
    ] = []
    desde: Annotated[
        Annotated[int, BeforeValidator(parse_sequence)] | None,
        Field(
            ge=0,
            description="Última `sequencia` recebida; o cabeçalho `Last-Event-ID` vale mais que ele.",
            examples=[0],
        ),
    ] = None
