"""Routes for the city's areas."""

from typing import Annotated, TypeAlias

import msgspec

from balcao.core.context.call import Call
from balcao.core.errors import Fault, Unprocessable
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.parameters import InPath
from balcao.core.http.responses import JSON, PERSONAL, Response, from_bytes, stored, with_etag
from balcao.core.values.etags import etag_of
from balcao.core.values.text import has_control
from balcao.health_units.areas import service
from balcao.health_units.areas.schemas import Area, AreaBody, Areas
from balcao.health_units.operations import CACHE, GEOJSON, MANAGE_UNITS, READ
from balcao.health_units.routes import ROUTES

_LONGEST_CODE = 20
_RING = [[-43.2, -22.9], [-43.1, -22.9], [-43.1, -22.8], [-43.2, -22.8], [-43.2, -22.9]]


def _parse_area(text: str) -> str:
    """Parse an area code in a path.

    Raises Unprocessable if it is empty or too long, or has surrounding blanks or control characters.
    """
    if not 1 <= len(text) <= _LONGEST_CODE or text != text.strip() or has_control(text):
        item = Fault(loc=["path", "area"], msg="deve ter de 1 a 20 caracteres", type="string_pattern_mismatch")
        raise Unprocessable("O código da área no caminho é inválido.", code="area-invalid", faults=[item])
    return text


AreaInPath: TypeAlias = Annotated[str, InPath(_parse_area, "Código da área, o `area` das unidades", "2.1")]

# Large enough for an outline with the maximum number of positions and all decimals of each.
routes = ROUTES.extend(tags=["unidades"], body_limit=64 * 1024)


@routes.get(
    "/areas",
    "health_units.list_areas",
    READ,
    "As áreas da cidade, com o contorno",
    errors=[304],
    media_types=(GEOJSON, JSON),
    may_lag=True,
)
async def get_areas(call: Call) -> Response[Areas]:
    """Devolve, como GeoJSON (RFC 7946), as áreas cadastradas com o seu contorno, para desenhar um mapa. O contorno não
    define a que área uma unidade pertence nem o que uma permissão alcança: quem define é o `area` da unidade. Qualquer
    pessoa com token pode ler; uma máquina precisa do escopo `sms:read`.
    """
    body = msgspec.json.encode(await service.list_areas(call))
    media_type = JSON if call.headers.text(b"accept") == JSON else GEOJSON
    return from_bytes(body, etag_of(body), call, CACHE, media_type=media_type)


@routes.get(
    "/areas/{area}",
    "health_units.read_area",
    READ,
    "Uma área, com o contorno",
    errors=[304, 422],
)
async def get_area(call: Call, area: AreaInPath) -> Response[Area]:
    """Devolve o nome e o contorno da área. Qualquer pessoa com token pode ler; uma máquina precisa do escopo
    `sms:read`.
    """
    return with_etag(await service.read_area(call, area), call, PERSONAL)


@routes.put(
    "/areas/{area}",
    "health_units.put_area",
    MANAGE_UNITS,
    "Define o nome e o contorno de uma área",
    example={"nome": "Centro e Porto", "contorno": {"type": "Polygon", "coordinates": [_RING]}},
    errors=[409, 412],
    same_body=[201],
)
async def put_area(call: Call, area: AreaInPath, body: AreaBody) -> Response[Area]:
    """Cria a área (201) ou substitui o nome e o contorno (200). O contorno é um `Polygon` ou `MultiPolygon` com no
    máximo 1000 posições; cada anel termina onde começa e não se cruza. Com `If-Match`, a mudança só é feita se a área
    não mudou desde que foi lida.
    """
    area_, is_new = await service.put_area(call, area, body)
    return stored(area_, status=201 if is_new else 200)


@routes.delete(
    "/areas/{area}",
    "health_units.delete_area",
    MANAGE_UNITS,
    "Apaga o nome e o contorno de uma área",
    status=204,
    errors=[412, 422],
)
async def delete_area(call: Call, area: AreaInPath) -> None:
    """Apaga o nome e o contorno. As unidades da área não mudam. Com `If-Match`, a área só é apagada se não mudou desde
    que foi lida.
    """
    await service.delete_area(call, area)


FEATURE = Feature(routes=routes.declared, exports=Exports(tables=("health_units.areas",)))
