"""Wire types for units, as callers see them, and for queries that find units."""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType
from pydantic import AfterValidator, Field, StringConstraints, model_validator

from balcao.core.http.models import Model
from balcao.core.http.paging import LAST_PAGE
from balcao.core.values.fields import Flag, NaturalNumber
from balcao.core.values.page import Pagination
from balcao.core.values.text import fold_text, stacks_marks
from balcao.health_units.opening import Hours, Interval, Situacao
from balcao.health_units.operations import Day
from balcao.health_units.records import Tipo, UnitRecord
from balcao.health_units.situation import Risco

_INSTANT = "2026-10-05T14:30:00-03:00"


class Efeitos(msgspec.Struct, frozen=True):
    """The effects of a colour on a unit's work."""

    atividades_externas: Annotated[
        str, Meta(description="Como ficam as atividades fora da unidade.", examples=["suspensas"])
    ]
    atendimento_interno: Annotated[
        str, Meta(description="Como fica o atendimento dentro da unidade.", examples=["normal"])
    ]


class RiscoAtual(msgspec.Struct, frozen=True):
    """The current risk. Without an active notification, the colour is `Verde`."""

    risco: Annotated[Risco, Meta(description="Cor em vigor; `Verde` sem notificação ativa.")]
    desde: Annotated[str | None, Meta(description="Abertura da notificação ativa; nula sem ela.", examples=[_INSTANT])]
    ultima_atualizacao: Annotated[
        str | None,
        Meta(description="Última mudança ou confirmação da notificação ativa; nula sem ela.", examples=[_INSTANT]),
    ]
    efeitos: Annotated[Efeitos, Meta(description="O que a cor muda no atendimento.")]


class Atendimento(msgspec.Struct, frozen=True):
    """A unit's current opening status (rules: health_units 4.2)."""

    situacao: Annotated[Situacao, Meta(description="`desconhecido` quando a unidade não tem horário cadastrado.")]
    proxima_abertura: Annotated[
        str | None,
        Meta(description="Próxima abertura, se está fechada e abre em até 14 dias.", examples=[_INSTANT]),
    ]
    proximo_fechamento: Annotated[
        str | None, Meta(description="Próximo fechamento, se está aberta e fecha em até 14 dias.", examples=[_INSTANT])
    ]
    calculado_em: Annotated[str, Meta(description="O minuto para o qual vale.", examples=[_INSTANT])]


class Unit(UnitRecord, frozen=True, kw_only=True):
    """A unit, with members that are computed from its timetable and its notifications."""

    funcionamento_dia_util: Annotated[
        Hours | None, Meta(description="Horas cheias dos dias úteis; nulo se não abre neles.")
    ]
    funcionamento_sabado: Annotated[Hours | None, Meta(description="Horas cheias do sábado; nulo se não abre nele.")]
    risco_atual: Annotated[RiscoAtual, Meta(description="O risco agora; uma cor encerrada nunca conta.")]
    atendimento: Annotated[Atendimento, Meta(description="Se a unidade está aberta agora.")]
    intervalos_no_dia: (
        Annotated[list[Interval], Meta(description="Aberturas no dia de `abre_em`, em ordem. Só com `abre_em`.")]
        | UnsetType
    ) = UNSET


class Units(msgspec.Struct):
    """A page of units."""

    data: Annotated[list[Unit], Meta(description="Na ordem pedida; sem ela por nome, depois por CNES.")]
    pagination: Annotated[Pagination, Meta(description="A página e o total.")]


def _fold(text: str) -> str:
    if stacks_marks(text):
        raise ValueError("tem sinais demais sobre uma letra")
    return fold_text(text)


class UnitsFilter(Model):
    """A filter for units. By default it matches all active units."""

    busca: Annotated[
        Annotated[str, StringConstraints(min_length=2, max_length=100), AfterValidator(_fold)] | None,
        Field(description="Parte do nome, sem distinguir maiúsculas nem acentos.", examples=["clinica"]),
    ] = None
    area: Annotated[str | None, Field(max_length=20, description="Só desta área.", examples=["2.1"])] = None
    tipo: Annotated[Tipo | None, Field(description="Só deste tipo.")] = None
    risco: Annotated[Risco | None, Field(description="Só com esta cor em vigor.")] = None
    aberta_agora: Annotated[
        Flag | None, Field(description="`true`: só as abertas agora; `false`: só as outras.", examples=[True])
    ] = None
    abre_em: Annotated[
        Day | None,
        Field(
            description="Só as que abrem neste dia, a partir de hoje, considerando feriados e exceções; cada uma vem "
            "com `intervalos_no_dia`. O risco não é considerado.",
            examples=["2026-12-05"],
        ),
    ] = None
    ativa: Annotated[Flag, Field(description="`false`: só as desativadas.", examples=[True])] = True


class Ordem(StrEnum):
    NOME = "nome"
    RISCO = "risco"


class UnitsQuery(UnitsFilter):
    """A filter for units, with the page and the order of the list."""

    ordem: Annotated[Ordem, Field(description="Por nome, ou o maior risco antes e, na mesma cor, por nome.")] = (
        Ordem.NOME
    )

    page: Annotated[NaturalNumber, Field(ge=1, le=LAST_PAGE, description="Página, a partir de 1.", examples=[1])] = 1
    per_page: Annotated[NaturalNumber, Field(ge=1, le=200, description="Unidades por página.", examples=[50])] = 50


class MapQuery(UnitsFilter):
    """A filter for units on a map. If the query has a place, only units near the place match."""

    lat: Annotated[
        float | None,
        Field(ge=-90, le=90, allow_inf_nan=False, description="Latitude do lugar; só com `lon`.", examples=[-22.9]),
    ] = None
    lon: Annotated[
        float | None,
        Field(ge=-180, le=180, allow_inf_nan=False, description="Longitude do lugar; só com `lat`.", examples=[-43.2]),
    ] = None
    raio: Annotated[
        NaturalNumber,
        Field(ge=1, le=100_000, description="Distância máxima, em metros, do lugar.", examples=[5000]),
    ] = 5000
    limit: Annotated[NaturalNumber, Field(ge=1, le=1000, description="No máximo tantas unidades.", examples=[500])] = (
        500
    )

    @model_validator(mode="after")
    def _check_point(self) -> "MapQuery":
        if (self.lat is None) != (self.lon is None):
            raise ValueError("`lat` e `lon` valem só juntos")
        return self


class Point(msgspec.Struct, frozen=True):
    """The location of a unit as a GeoJSON point (RFC 7946)."""

    coordinates: Annotated[
        list[float],
        Meta(
            min_length=2,
            max_length=2,
            description="Longitude e latitude, nesta ordem.",
            examples=[[-43.2, -22.9]],
        ),
    ]
    type: Annotated[Literal["Point"], Meta(description="Sempre `Point`.")] = "Point"


class UnitOnMap(Unit, frozen=True, kw_only=True):
    """A unit with its distance from the place in the query."""

    distancia: Annotated[
        int | None, Meta(description="Metros até o lugar, em linha reta; nula sem `lat` e `lon`.", examples=[850])
    ]


class UnitFeature(msgspec.Struct, frozen=True):
    """A unit as a GeoJSON feature."""

    id: Annotated[str, Meta(description="CNES da unidade.", examples=["9900001"])]
    geometry: Annotated[Point, Meta(description="Onde a unidade fica.")]
    properties: Annotated[UnitOnMap, Meta(description="A unidade, como em `/unidade/{cnes}`, e a distância.")]
    type: Annotated[Literal["Feature"], Meta(description="Sempre `Feature`.")] = "Feature"


class UnitFeatures(msgspec.Struct, frozen=True):
    """Units as a GeoJSON feature collection."""

    features: Annotated[
        list[UnitFeature], Meta(description="Com `lat` e `lon` da mais próxima à mais distante; sem eles por nome.")
    ]
    type: Annotated[Literal["FeatureCollection"], Meta(description="Sempre `FeatureCollection`.")] = "FeatureCollection"
