"""The areas, neighbourhoods and units of Porto Aurora, read from `health_units_city.toml` (rules: health_units 7)."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from balcao.health_units.areas.schemas import AreaBody
from balcao.health_units.neighbourhoods.schemas import NeighbourhoodBody
from balcao.health_units.units.schemas import UnitBody

# The length of a degree of latitude. A degree of longitude is shorter, by a factor that depends on the latitude.
_KM_PER_DEGREE = 111.2
_DRAWN: Mapping[str, Any] = tomllib.loads((files(__package__) / "health_units_city.toml").read_text("utf-8"))


def _to_position(east: float, north: float) -> list[float]:
    """Convert a position in kilometres east and north of the origin to longitude and latitude."""
    latitude, longitude = _DRAWN["origin"]
    per_degree = _KM_PER_DEGREE * math.cos(math.radians(latitude))
    return [round(longitude + east / per_degree, 5), round(latitude + north / _KM_PER_DEGREE, 5)]


def _read_area(drawn: Mapping[str, Any]) -> AreaBody:
    ring: list[Sequence[float]] = []
    for name in drawn["borders"]:
        border = _DRAWN["borders"][name.removeprefix("-")]
        ring += (border[::-1] if name.startswith("-") else border)[:-1]  # without the last point
    positions = [_to_position(*place) for place in [*ring, ring[0]]]
    contorno = {"type": "Polygon", "coordinates": [positions]}
    return AreaBody.model_validate({"nome": drawn["nome"], "contorno": contorno})


def _read_unit(row: str) -> tuple[str, UnitBody]:
    code, tipo, area, bairro, nome, logradouro, numero, place = (cell.strip() for cell in row.split("|"))
    longitude, latitude = _to_position(*map(float, place.split()))
    unit = UnitBody.model_validate(
        {
            "nome": nome, "tipo": tipo, "area": area, "bairro": bairro, "logradouro": logradouro, "numero": numero,
            "cep": f"20{code[-3:]}-0{code[-2:]}", "telefone": f"(21) 2222-{code[-4:]}",
            "latitude": latitude, "longitude": longitude,
        }
    )  # fmt: skip
    return code, unit


def _read_neighbourhood(place: Sequence[float]) -> NeighbourhoodBody:
    longitude, latitude = _to_position(*place)
    return NeighbourhoodBody(latitude=latitude, longitude=longitude)


AREAS: Mapping[str, AreaBody] = {drawn["area"]: _read_area(drawn) for drawn in _DRAWN["areas"]}
UNITS: Mapping[str, UnitBody] = dict(map(_read_unit, _DRAWN["units"]["rows"]))
NEIGHBOURHOODS: Mapping[str, NeighbourhoodBody] = {
    name: _read_neighbourhood(place) for name, place in _DRAWN["neighbourhoods"].items()
}
