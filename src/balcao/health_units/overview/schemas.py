"""Wire types for active notifications and events, with their units."""

from typing import Annotated

import msgspec
from msgspec import Meta
from pydantic import Field, StringConstraints, model_validator

from balcao.core.http.models import Model
from balcao.core.values.cnes import PATTERN
from balcao.core.values.fields import NaturalNumber
from balcao.health_units.notifications.schemas import Bound, EventKind, LoggedEvent, StaffNotification
from balcao.health_units.records import CnesText, Tipo
from balcao.health_units.situation import Risco

_EXAMPLE_ID = "0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d90"
_Area = Annotated[str | None, Field(max_length=20, description="Só desta área.", examples=["2.1"])]


class OpenQuery(Model):
    """The filter for active notifications."""

    area: _Area = None


class EventsQuery(Model):
    """The filter for events. `de` and `ate` are inclusive bounds of the events' times."""

    area: _Area = None
    cnes: Annotated[
        Annotated[str, StringConstraints(pattern=PATTERN)] | None,
        Field(description="Só desta unidade.", examples=["9900001"]),
    ] = None
    de: Annotated[
        Bound | None, Field(description="Deste instante em diante (RFC 3339).", examples=["2026-01-01T00:00:00Z"])
    ] = None
    ate: Annotated[
        Bound | None, Field(description="Até este instante (RFC 3339).", examples=["2036-01-01T00:00:00Z"])
    ] = None
    limit: Annotated[NaturalNumber, Field(ge=1, le=500, description="No máximo tantos eventos, de 1 a 500.")] = 20

    @model_validator(mode="after")
    def _in_order(self) -> "EventsQuery":
        if self.de is not None and self.ate is not None and self.de > self.ate:
            raise ValueError("`de` deve vir antes de `ate`")
        return self


class NamedUnit(msgspec.Struct, frozen=True):
    """A unit, with the members that lists show."""

    cnes: CnesText
    nome: Annotated[str, Meta(description="Nome da unidade.", examples=["Clínica da Família Modelo 1"])]
    tipo: Annotated[Tipo, Meta(description="Tipo da unidade.")]
    area: Annotated[str | None, Meta(description="Área de planejamento; nula se não há.", examples=["2.1"])]
    bairro: Annotated[str | None, Meta(description="Bairro; nulo se não há.", examples=["Centro"])]


class OpenNotification(StaffNotification, kw_only=True):
    """An active notification, with its unit and its age."""

    unidade: Annotated[NamedUnit, Meta(description="A unidade.")]
    ultimo_evento: Annotated[EventKind, Meta(description="O que aconteceu por último.")]
    risco_antes: Annotated[Risco | None, Meta(description="Cor antes do último evento; nula se foi a abertura.")]
    minutos_aberta: Annotated[int, Meta(description="Minutos inteiros desde a abertura.", examples=[190])]
    minutos_sem_confirmacao: Annotated[
        int, Meta(description="Minutos inteiros desde a última mudança ou confirmação.", examples=[35])
    ]


class OpenNotifications(msgspec.Struct):
    """The active notifications of the units that the caller's right covers."""

    itens: Annotated[
        list[OpenNotification],
        Meta(description="A cor mais alta primeiro; na mesma cor, a que espera confirmação há mais tempo."),
    ]
    total: Annotated[int, Meta(description="Quantas são.", examples=[4])]
    gerado_em: Annotated[
        str, Meta(description="O instante para o qual valem as idades.", examples=["2026-10-05T14:30:00-03:00"])
    ]


class CityEvent(msgspec.Struct):
    """An event of a notification, with its unit."""

    id: Annotated[str, Meta(description="Identificador do evento (UUID).", examples=[_EXAMPLE_ID])]
    notificacao: Annotated[str, Meta(description="Identificador da notificação (UUID).", examples=[_EXAMPLE_ID])]
    unidade: Annotated[NamedUnit, Meta(description="A unidade.")]
    engano: Annotated[bool, Meta(description="Se a notificação foi encerrada por engano.", examples=[False])]
    evento: Annotated[LoggedEvent, Meta(description="O que aconteceu, por quem e por quê.")]


class CityEvents(msgspec.Struct):
    """Events, newest first."""

    itens: Annotated[list[CityEvent], Meta(description="Do mais novo ao mais antigo.")]
    ha_mais: Annotated[bool, Meta(description="Se havia mais que `limit`: peça um período menor.", examples=[False])]
