"""Rules for an area's outline, which consists of GeoJSON polygons (RFC 7946).

rules: health_units 2.6. These are pure functions. A ring is a list of positions [longitude, latitude]. Its last
position equals its first one.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

Position = Sequence[float]
Ring = list[list[float]]
Polygon = list[Ring]

MOST_POLYGONS = 50
MOST_POSITIONS = 1000


def find_outline_fault(polygons: Sequence[Polygon]) -> str | None:
    """Return a message in Portuguese about an error in the outline, or None if the outline is valid."""
    if not 1 <= len(polygons) <= MOST_POLYGONS:
        return f"deve ter de 1 a {MOST_POLYGONS} polígonos"
    if sum(len(ring) for polygon in polygons for ring in polygon) > MOST_POSITIONS:
        return f"deve ter no máximo {MOST_POSITIONS} posições: simplifique o contorno"
    for polygon in polygons:
        if not polygon:
            return "todo polígono precisa de um anel externo"
        faults = (_find_ring_fault(ring) for ring in polygon)
        if fault := next((fault for fault in faults if fault), None):
            return fault
        if any(not _surrounds(polygon[0], hole[0]) for hole in polygon[1:]):
            return "um anel interno deve ficar dentro do externo"
    return None


def orient_polygon(polygon: Polygon) -> Polygon:
    """Return the polygon with its outer ring counterclockwise and its holes clockwise, as RFC 7946 3.1.6 requires."""
    return [ring if (measure_ring(ring) > 0) == (place == 0) else ring[::-1] for place, ring in enumerate(polygon)]


def measure_ring(ring: Sequence[Position]) -> float:
    """Return the area of the ring in square degrees. It is positive if the ring is counterclockwise."""
    return sum(here[0] * there[1] - there[0] * here[1] for here, there in pairwise(ring)) / 2


def _find_ring_fault(ring: Ring) -> str | None:
    if any(len(position) != 2 for position in ring):
        return "toda posição é um par de longitude e latitude"
    if any(not (-180 <= longitude <= 180 and -90 <= latitude <= 90) for longitude, latitude in ring):
        return "toda longitude vai de -180 a 180 e toda latitude de -90 a 90"
    if len(ring) < 4 or ring[0] != ring[-1]:
        return "todo anel tem ao menos 4 posições, a última igual à primeira"
    if len({tuple(position) for position in ring}) < len(ring) - 1:
        return "um anel não passa duas vezes pela mesma posição"
    if measure_ring(ring) == 0 or _crosses_itself(ring):
        return "um anel não pode cruzar a si mesmo"
    return None


class _Segment(NamedTuple):
    left: float
    right: float
    start: Position
    end: Position
    number: int


def _crosses_itself(ring: Ring) -> bool:
    """Return whether two sides of the ring touch or cross although they are not neighbours.

    Sweep from west to east, so that each side is compared only with the sides that overlap it in longitude.
    """
    sides = len(ring) - 1
    segments = sorted(
        _Segment(min(start[0], end[0]), max(start[0], end[0]), start, end, number)
        for number, (start, end) in enumerate(pairwise(ring))
    )
    open_segments: list[_Segment] = []
    for segment in segments:
        open_segments = [other for other in open_segments if other.right >= segment.left]
        for other in open_segments:
            are_neighbours = (segment.number - other.number) % sides in {1, sides - 1}
            if not are_neighbours and _meet(segment, other):
                return True
        open_segments.append(segment)
    return False


def _meet(one: _Segment, other: _Segment) -> bool:
    """Return whether two segments have a point in common."""
    if _is_apart((one.start[1], one.end[1]), (other.start[1], other.end[1])):
        return False
    sides = _orientation(one.start, one.end, other.start), _orientation(one.start, one.end, other.end)
    others = _orientation(other.start, other.end, one.start), _orientation(other.start, other.end, one.end)
    return sides[0] * sides[1] <= 0 and others[0] * others[1] <= 0


def _is_apart(one: Iterable[float], other: Iterable[float]) -> bool:
    low, high = sorted(one)
    other_low, other_high = sorted(other)
    return high < other_low or other_high < low


def _orientation(start: Position, end: Position, point: Position) -> int:
    """Return 1 if the point is left of the line from start to end, -1 if it is right of it, and 0 if it is on it."""
    cross = (end[0] - start[0]) * (point[1] - start[1]) - (end[1] - start[1]) * (point[0] - start[0])
    return (cross > 0) - (cross < 0)


def _surrounds(ring: Ring, point: Position) -> bool:
    """Return whether the point is inside the ring.

    If it is, a line from the point to the east crosses an odd number of sides.
    """
    inside = False
    for start, end in pairwise(ring):
        if (start[1] > point[1]) != (end[1] > point[1]):
            meets_at = start[0] + (point[1] - start[1]) * (end[0] - start[0]) / (end[1] - start[1])
            inside ^= point[0] < meets_at
    return inside
