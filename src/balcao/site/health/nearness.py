"""Distances from a neighbourhood. The site never asks for the position of the device (rules: site 10)."""

from collections.abc import Sequence
from math import asin, cos, radians, sin, sqrt
from typing import NamedTuple

from balcao.core.values.text import fold_text
from balcao.site.health.client import Unit

_EARTH_RADIUS = 6_371_008.8  # the Earth's mean radius in metres


class Point(NamedTuple):
    """A place in degrees."""

    latitude: float
    longitude: float


def list_neighbourhoods(units: Sequence[Unit]) -> list[str]:
    """Return the neighbourhoods of the units with a position, in alphabetical order. Each name appears once."""
    names = {fold_text(unit.bairro): unit.bairro for unit in units if unit.bairro and _locate(unit)}
    return [names[key] for key in sorted(names)]


def find_middle(units: Sequence[Unit], neighbourhood: str) -> Point | None:
    """Return the mean position of a neighbourhood's units, or None if no unit there has a position."""
    wanted = fold_text(neighbourhood)
    points = [point for unit in units if unit.bairro and fold_text(unit.bairro) == wanted and (point := _locate(unit))]
    if not points:
        return None
    return Point(*(sum(each) / len(points) for each in zip(*points, strict=True)))


def measure_from(point: Point, unit: Unit) -> float | None:
    """Return the distance of a unit in metres, or None if its position is unknown."""
    place = _locate(unit)
    return None if place is None else measure_distance(point, place)


def measure_distance(first: Point, second: Point) -> float:
    """Return the great-circle distance of two places in metres (haversine formula)."""
    north, south = radians(first.latitude), radians(second.latitude)
    rise, turn = sin((south - north) / 2), sin(radians(second.longitude - first.longitude) / 2)
    # For two opposite points, rounding may make the sum slightly greater than 1, where `asin` fails.
    return 2 * _EARTH_RADIUS * asin(min(1.0, sqrt(rise * rise + cos(north) * cos(south) * turn * turn)))


def _locate(unit: Unit) -> Point | None:
    if unit.latitude is None or unit.longitude is None:
        return None
    return Point(unit.latitude, unit.longitude)
