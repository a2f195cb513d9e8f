"""Wire types for the notification counts by month or quarter."""

from datetime import date
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta
from pydantic import Field, StringConstraints

from balcao.core.http.models import Model
from balcao.core.values.cnes import PATTERN
from balcao.health_units.operations import Day


class Periodo(StrEnum):
    MES = "mes"
    TRIMESTRE = "trimestre"

    @property
    def months(self) -> int:
        return 1 if self is Periodo.MES else 3


class Grupo(StrEnum):
    """How counts are grouped: one count for the city, for each area, or for each unit."""

    CIDADE = "cidade"
    AREA = "area"
    UNIDADE = "unidade"


class CountsQuery(Model):
    """The query for counts: the days, the units and the grouping."""

    periodo: Annotated[Periodo, Field(description="Contar por mês ou por trimestre.")] = Periodo.MES
    por: Annotated[Grupo, Field(description="Contar a cidade inteira, cada área ou cada unidade.")] = Grupo.CIDADE
    de: Annotated[
        Day | None,
        Field(
            description="Desde o começo do período em que cai esta data; sem ela, um ano até `ate`.",
            examples=["2026-01-01"],
        ),
    ] = None
    ate: Annotated[
        Day | None,
        Field(description="Até o fim do período em que cai esta data; sem ela, hoje.", examples=["2026-12-31"]),
    ] = None
    area: Annotated[str | None, Field(max_length=20, description="Só desta área.", examples=["2.1"])] = None
    cnes: Annotated[
        Annotated[str, StringConstraints(pattern=PATTERN)] | None,
        Field(description="Só desta unidade.", examples=["9900001"]),
    ] = None


class ByColor(msgspec.Struct, frozen=True):
    """The number of notifications by their highest colour."""

    verde: Annotated[int, Meta(description="Nunca passaram de Verde.", examples=[0])] = msgspec.field(name="Verde")
    amarelo: Annotated[int, Meta(description="Chegaram a Amarelo.", examples=[12])] = msgspec.field(name="Amarelo")
    laranja: Annotated[int, Meta(description="Chegaram a Laranja.", examples=[5])] = msgspec.field(name="Laranja")
    vermelho: Annotated[int, Meta(description="Chegaram a Vermelho.", examples=[3])] = msgspec.field(name="Vermelho")


class Count(msgspec.Struct, frozen=True):
    """The number of notifications opened in one period in the city, an area or a unit."""

    periodo: Annotated[str, Meta(description="O mês ou o trimestre.", examples=["2026-10"])]
    inicio: Annotated[date, Meta(description="Primeiro dia do período.", examples=["2026-10-01"])]
    area: Annotated[
        str | None, Meta(description="A área; nula na conta da cidade, ou da unidade sem área.", examples=["2.1"])
    ]
    cnes: Annotated[str | None, Meta(description="A unidade; nula nas outras contas.", examples=["9900001"])]
    nome: Annotated[str | None, Meta(description="Nome da unidade; nulo nas outras contas.", examples=["UPA Modelo"])]
    abertas: Annotated[int, Meta(description="Notificações abertas no período.", examples=[20])]
    por_cor: Annotated[ByColor, Meta(description="As mesmas, pela cor mais alta que tiveram.")]


class Counts(msgspec.Struct, frozen=True):
    """Counts by period, area and unit. Periods without notifications are omitted."""

    de: Annotated[date, Meta(description="Primeiro dia contado.", examples=["2026-01-01"])]
    ate: Annotated[date, Meta(description="Último dia contado.", examples=["2026-12-31"])]
    itens: Annotated[list[Count], Meta(description="Por período, área e unidade; o que não teve nenhuma não vem.")]
