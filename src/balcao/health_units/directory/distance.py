"""Distances on the Earth's surface, exact enough to say which unit is near."""

from math import asin, cos, radians, sin, sqrt

_EARTH_RADIUS = 6_371_008.8  # metres, of a sphere with the Earth's mean radius


def measure_distance(latitude: float, longitude: float, other_latitude: float, other_longitude: float) -> int:
    """Return the metres between two places, given in degrees, along a great circle (haversine)."""
    first, second = radians(latitude), radians(other_latitude)
    rise, turn = sin((second - first) / 2), sin(radians(other_longitude - longitude) / 2)
    # Rounding may take the sum of two opposite points a hair beyond 1.
    return round(2 * _EARTH_RADIUS * asin(min(1.0, sqrt(rise * rise + cos(first) * cos(second) * turn * turn))))
