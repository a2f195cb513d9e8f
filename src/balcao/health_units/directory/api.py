"""Routes of the units as people look for them."""

from typing import Annotated, TypeAlias

import msgspec

from balcao.core.context.call import Call
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes
from balcao.core.http.responses import JSON, Response, etag_of, from_bytes, with_etag
from balcao.health_units.directory import service
from balcao.health_units.directory.schemas import MapQuery, Unit, UnitFeatures, Units, UnitsQuery
from balcao.health_units.operations import CACHE, RATES, READ, CnesInPath, in_query

UnitsInQuery: TypeAlias = Annotated[UnitsQuery, in_query(UnitsQuery)]
MapInQuery: TypeAlias = Annotated[MapQuery, in_query(MapQuery)]
GEOJSON = "application/geo+json"

routes = Routes(tags=["unidades"], dialect=DETAIL)


@routes.get(
    "/unidade/{cnes}",
    "health_units.read_unit",
    READ,
    "Uma unidade de saúde, com o risco e se está aberta",
    description=(
        "Devolve o registro da unidade, o risco em vigor com o que ele muda no atendimento, e se ela está aberta "
        "agora, contados feriados e exceções. Toda pessoa com token lê; uma máquina precisa do escopo `sms:read`. "
        "Quando o risco não pôde ser confirmado há pouco, a resposta é 503."
    ),
    errors=[304, 404, 422],
    **RATES,
)
def read_unit(call: Call, cnes: CnesInPath) -> Response[Unit]:
    """Return a unit from memory."""
    return with_etag(service.read_unit(call, cnes), call, CACHE)


@routes.get(
    "/unidades",
    "health_units.list_units",
    READ,
    "Procura unidades de saúde",
    description=(
        "Lista as unidades por nome, página por página, só as ativas se nada for dito. Toda pessoa com token lê; uma "
        "máquina precisa do escopo `sms:read`. Quando o risco não pôde ser confirmado há pouco, a resposta é 503."
    ),
    errors=[304, 422],
    **RATES,
)
def list_units(call: Call, query: UnitsInQuery) -> Response[Units]:
    """List units from memory."""
    return with_etag(service.list_units(call, query), call, CACHE)


@routes.get(
    "/unidades/mapa",
    "health_units.map_units",
    READ,
    "Unidades de saúde no mapa, ou perto de um lugar",
    description=(
        "Devolve como GeoJSON (RFC 7946) as unidades que têm coordenadas, com os filtros da lista. Com `lat` e `lon` "
        "vêm só as que estão a até `raio` metros do lugar, em linha reta, da mais próxima à mais distante, com a "
        "`distancia`; para a mais próxima que atende agora, some `aberta_agora=true` e `limit=1`. O lugar não é "
        "guardado nem registrado. Toda pessoa com token lê; uma máquina precisa do escopo `sms:read`. Quando o risco "
        "não pôde ser confirmado há pouco, a resposta é 503."
    ),
    errors=[304, 422],
    media_types=(GEOJSON, JSON),
    **RATES,
)
def map_units(call: Call, query: MapInQuery) -> Response[UnitFeatures]:
    """Return units for a map from memory."""
    body = msgspec.json.encode(service.map_units(call, query))
    media_type = JSON if call.headers.text(b"accept") == JSON else GEOJSON
    return from_bytes(body, etag_of(body), call, CACHE, media_type=media_type)
