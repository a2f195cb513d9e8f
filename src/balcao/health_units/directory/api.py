"""Routes that find and read units."""

from typing import Annotated, TypeAlias

import msgspec

from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import in_query
from balcao.core.http.responses import JSON, Response, from_bytes, with_etag
from balcao.core.values.etags import etag_of
from balcao.health_units.directory import service
from balcao.health_units.directory.schemas import MapQuery, Unit, UnitFeatures, Units, UnitsQuery
from balcao.health_units.operations import CACHE, GEOJSON, READ, CnesInPath
from balcao.health_units.routes import ROUTES

UnitsInQuery: TypeAlias = Annotated[UnitsQuery, in_query(UnitsQuery)]
MapInQuery: TypeAlias = Annotated[MapQuery, in_query(MapQuery)]

routes = ROUTES.extend(tags=["unidades"])


@routes.get(
    "/unidade/{cnes}",
    "health_units.read_unit",
    READ,
    "Uma unidade de saúde, com o risco e se está aberta",
    errors=[304, 422],
)
def get_unit(call: Call, cnes: CnesInPath) -> Response[Unit]:
    """Devolve o registro da unidade, o risco em vigor com os seus efeitos no atendimento, e se ela está aberta agora,
    considerando feriados e exceções. Qualquer pessoa com token pode ler; uma máquina precisa do escopo `sms:read`. Se o
    risco não foi confirmado há pouco, a resposta é 503.
    """
    return with_etag(service.read_unit(call, cnes), call, CACHE)


@routes.get(
    "/unidades",
    "health_units.list_units",
    READ,
    "Procura unidades de saúde",
    errors=[304],
)
def get_units(call: Call, query: UnitsInQuery) -> Response[Units]:
    """Lista as unidades por nome ou por risco, em páginas. Sem filtro, só as ativas. Qualquer pessoa com token pode
    ler; uma máquina precisa do escopo `sms:read`. Se o risco não foi confirmado há pouco, a resposta é 503.
    """
    return with_etag(service.list_units(call, query), call, CACHE)


@routes.get(
    "/unidades/mapa",
    "health_units.map_units",
    READ,
    "Unidades de saúde no mapa, ou perto de um lugar",
    errors=[304],
    media_types=(GEOJSON, JSON),
)
def map_units(call: Call, query: MapInQuery) -> Response[UnitFeatures]:
    """Devolve, como GeoJSON (RFC 7946), as unidades que têm coordenadas, com os mesmos filtros da lista. Com `lat` e
    `lon`, devolve só as que ficam a até `raio` metros do lugar, em linha reta, da mais próxima à mais distante, com a
    `distancia`. Para achar a mais próxima que atende agora, acrescente `aberta_agora=true` e `limit=1`. O lugar não é
    guardado nem registrado. Qualquer pessoa com token pode ler; uma máquina precisa do escopo `sms:read`. Se o risco
    não foi confirmado há pouco, a resposta é 503.
    """
    body = msgspec.json.encode(service.map_units(call, query))
    media_type = JSON if call.headers.text(b"accept") == JSON else GEOJSON
    return from_bytes(body, etag_of(body), call, CACHE, media_type=media_type)


FEATURE = Feature(routes=routes.declared)
