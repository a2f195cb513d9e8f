"""Computes distances on the Earth's surface, accurately enough to find the nearest unit."""

from math import asin, cos, radians, sin, sqrt

_EARTH_RADIUS = 6_371_008.8  # the Earth's mean radius in metres


def measure_distance(latitude: float, longitude: float, other_latitude: float, other_longitude: float) -> int:
    """Return the great-circle distance in metres between two places given in degrees (haversine formula)."""
    first, second = radians(latitude), radians(other_latitude)
    rise, turn = sin((second - first) / 2), sin(radians(other_longitude - longitude) / 2)
    # For two opposite points, rounding may make the sum slightly greater than 1, and `asin` would then fail.
    return round(2 * _EARTH_RADIUS * asin(min(1.0, sqrt(rise * rise + cos(first) * cos(second) * turn * turn))))
