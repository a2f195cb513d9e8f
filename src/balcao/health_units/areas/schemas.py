"""Wire types for an area: its name, and its outline as GeoJSON (RFC 7946)."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from pydantic import AfterValidator, Field, RootModel

from balcao.core.http.models import Model
from balcao.health_units.areas.outlines import Polygon, find_outline_fault, orient_polygon
from balcao.health_units.texts import PublicText

_RING = [[-43.2, -22.9], [-43.1, -22.9], [-43.1, -22.8], [-43.2, -22.9]]
# The sixth decimal of a coordinate is about 11 centimetres. Drawing programs add further decimals, which are
# meaningless.
_DECIMALS = 6

_Number = Annotated[float, Field(allow_inf_nan=False)]
_Ring = list[list[_Number]]


def _round(polygon: Polygon) -> Polygon:
    return [[[round(number, _DECIMALS) for number in position] for position in ring] for ring in polygon]


def _check_polygon(polygon: Polygon) -> Polygon:
    return _check_polygons([polygon])[0]


def _check_polygons(polygons: list[Polygon]) -> list[Polygon]:
    rounded = [_round(polygon) for polygon in polygons]
    if fault := find_outline_fault(rounded):
        raise ValueError(fault)
    return [orient_polygon(polygon) for polygon in rounded]


class PolygonBody(Model):
    """A polygon: its outer ring, then its holes."""

    type: Annotated[Literal["Polygon"], Field(description="Sempre `Polygon`.")]
    coordinates: Annotated[
        list[_Ring],
        AfterValidator(_check_polygon),
        Field(description="Anel externo e, depois, os internos: posições `[longitude, latitude]`.", examples=[[_RING]]),
    ]


class MultiPolygonBody(Model):
    """Several polygons, for example islands."""

    type: Annotated[Literal["MultiPolygon"], Field(description="Sempre `MultiPolygon`.")]
    coordinates: Annotated[
        list[list[_Ring]],
        AfterValidator(_check_polygons),
        Field(description="Vários polígonos.", examples=[[[_RING]]]),
    ]


class OutlineBody(RootModel[Annotated[PolygonBody | MultiPolygonBody, Field(discriminator="type")]]):
    """A polygon or several polygons.

    This class exists only to name the union. Code generators would call an unnamed one `AreaBodyContorno`.
    """


class AreaBody(Model):
    """The name and outline of an area."""

    nome: Annotated[PublicText, Field(max_length=100, description="Nome da área.", examples=["Centro e Porto"])]
    contorno: Annotated[OutlineBody, Field(description="Contorno em GeoJSON, com no máximo 1000 posições.")]


class Outline(msgspec.Struct, frozen=True):
    """A GeoJSON geometry."""

    type: Annotated[Literal["Polygon", "MultiPolygon"], Meta(description="Um polígono, ou vários.")]
    coordinates: Annotated[
        list[Any], Meta(description="Posições `[longitude, latitude]`, como em RFC 7946.", examples=[[_RING]])
    ]


class AreaMembers(msgspec.Struct, frozen=True):
    """The code and name of an area."""

    area: Annotated[str, Meta(description="Código da área, o `area` das unidades.", examples=["2.1"])]
    nome: Annotated[str, Meta(description="Nome da área.", examples=["Centro e Porto"])]


class Area(msgspec.Struct, frozen=True):
    """An area as a GeoJSON feature."""

    id: Annotated[str, Meta(description="Código da área.", examples=["2.1"])]
    geometry: Annotated[Outline, Meta(description="O contorno.")]
    properties: Annotated[AreaMembers, Meta(description="Código e nome.")]
    type: Annotated[Literal["Feature"], Meta(description="Sempre `Feature`.")] = "Feature"


class Areas(msgspec.Struct, frozen=True):
    """Areas as a GeoJSON feature collection."""

    features: Annotated[list[Area], Meta(description="Por código.")]
    type: Annotated[Literal["FeatureCollection"], Meta(description="Sempre `FeatureCollection`.")] = "FeatureCollection"
