"""Distances from a neighbourhood. The site never asks the device for its position (rules: site 10)."""

from math import asin, cos, radians, sin, sqrt
from typing import NamedTuple

from balcao.site.health.client import Unit

_EARTH_RADIUS = 6_371_008.8  # the Earth's mean radius in metres


class Point(NamedTuple):
    """A position in degrees."""

    latitude: float
    longitude: float


def measure_from(point: Point, unit: Unit) -> float | None:
    """Return the distance from a point to a unit in metres, or None if the unit's position is unknown."""
    place = _locate(unit)
    return None if place is None else measure_distance(point, place)


def measure_distance(first: Point, second: Point) -> float:
    """Return the great-circle distance between two points in metres (haversine formula)."""
    north, south = radians(first.latitude), radians(second.latitude)
    rise, turn = sin((south - north) / 2), sin(radians(second.longitude - first.longitude) / 2)
    # For opposite points, rounding may make the sum slightly greater than 1, and `asin` would fail.
    return 2 * _EARTH_RADIUS * asin(min(1.0, sqrt(rise * rise + cos(north) * cos(south) * turn * turn)))


def _locate(unit: Unit) -> Point | None:
    if unit.latitude is None or unit.longitude is None:
        return None
    return Point(unit.latitude, unit.longitude)
