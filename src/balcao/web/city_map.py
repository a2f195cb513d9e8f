"""Geometry for maps of the city as SVG: the outlines of areas with their labels, and positions.

The functions return coordinates, and the templates write the SVG. Next to every map, a list shows the same content.
"""

import functools
import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import msgspec

_KM_PER_DEGREE = 111.2
# One area may have 1,000 positions, and a city may have 100 areas. A small picture needs far fewer positions.
MAX_POSITIONS = 1500

Places: TypeAlias = tuple[tuple[float, float], ...]


class Outline(msgspec.Struct):
    """One or several polygons, whose positions are pairs of longitude and latitude (GeoJSON)."""

    type: str
    coordinates: list[Any]

    @property
    def polygons(self) -> list[Any]:
        return self.coordinates if self.type == "MultiPolygon" else [self.coordinates]

    @property
    def rings(self) -> list[Any]:
        return [ring for polygon in self.polygons for ring in polygon]


class Label(NamedTuple):
    """A text and its position."""

    x: float
    y: float
    text: str
    anchor: str = "start"


class Projection:
    """A projection of longitude and latitude onto a picture. It treats the city as flat.

    All given `positions` fit on the picture, at least `margin` away from its edges.
    """

    def __init__(self, positions: Sequence[Sequence[float]], width: float, height: float, margin: float) -> None:
        easts, norths = zip(*((each[0], each[1]) for each in positions), strict=True)
        self._west, self._north = min(easts), max(norths)
        self._squeeze = math.cos(math.radians(sum(norths) / len(norths)))
        wide = (max(easts) - self._west) * self._squeeze or 0.01
        high = self._north - min(norths) or 0.01
        self._factor = min((width - 2 * margin) / wide, (height - 2 * margin) / high)
        self._left = (width - wide * self._factor) / 2
        self._top = (height - high * self._factor) / 2

    def place(self, longitude: float, latitude: float) -> tuple[float, float]:
        """Convert longitude and latitude to a position on the picture."""
        x = self._left + (longitude - self._west) * self._squeeze * self._factor
        return round(x, 1), round(self._top + (self._north - latitude) * self._factor, 1)

    def measure(self, kilometres: float) -> float:
        """Convert a distance to a length on the picture."""
        return round(kilometres / _KM_PER_DEGREE * self._factor, 1)


def draw_path(rings: Iterable[Iterable[Sequence[float]]]) -> str:
    """Return the SVG path for rings whose positions are already on the picture."""
    return "".join(f"M{' '.join(f'{x:g},{y:g}' for x, y in ring)}z" for ring in rings)


def place_rings(outline: Outline, projection: Projection) -> list[list[tuple[float, float]]]:
    """Project the rings of an outline onto the picture."""
    return [[projection.place(*position) for position in ring] for ring in outline.rings]


def simplify(areas: Sequence[Sequence[Sequence[tuple[float, float]]]]) -> list[list[list[tuple[float, float]]]]:
    """Return the rings of each area with at most `MAX_POSITIONS` positions in total.

    Each position moves to the nearest point of a grid that is as fine as the limit allows. Neighbouring areas keep
    their common border, because the grid moves the positions of both in the same way. Rings that are too small for the
    grid disappear.
    """
    step = 1.0
    while True:
        simple = [[ring for ring in (_snap(ring, step) for ring in rings) if len(ring) > 2] for rings in areas]
        if sum(len(ring) for rings in simple for ring in rings) <= MAX_POSITIONS:
            return simple
        step *= 1.5


def _snap(ring: Sequence[tuple[float, float]], step: float) -> list[tuple[float, float]]:
    """Snap a ring to a grid. Drop repeated positions, including a last position that equals the first."""
    places = [(round(round(x / step) * step), round(round(y / step) * step)) for x, y in ring]
    return [place for before, place in zip([places[-1], *places], places, strict=False) if place != before]


def find_label_place(ring: Places, taken: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the position for a ring's label: the point with the most free space around it."""
    x, y = _find_free_space(ring, _list_near(ring, taken))
    return round(x, 1), round(y, 1)


def _list_near(ring: Places, taken: Sequence[tuple[float, float]]) -> Places:
    """Return the taken positions that may affect the label.

    A taken position matters only if it may be nearer to a point inside the ring than the ring's own edge is.
    """
    (west, east), (north, south) = ((min(each), max(each)) for each in zip(*ring, strict=True))
    reach = math.dist(_flatten((west, north)), _flatten((east, south)))
    return tuple(
        (x, y) for x, y in taken if west - 3 * reach < x < east + 3 * reach and north - reach < y < south + reach
    )


# Cached, because every viewer gets a new drawing, but the positions of labels change only if the data or the units'
# colours change.
@functools.lru_cache(maxsize=512)
def _find_free_space(ring: Places, taken: Places) -> tuple[float, float]:
    """Return the free point inside the ring: the grid point farthest from the ring's points and taken positions."""
    xs, ys = [x for x, _ in ring], [y for _, y in ring]
    grid = [
        (min(xs) + (max(xs) - min(xs)) * across / 12, min(ys) + (max(ys) - min(ys)) * down / 12)
        for across in range(1, 12)
        for down in range(1, 12)
    ]
    inside = [place for place in grid if _surrounds(ring, *place)] or ring[:1]
    others = [_flatten(place) for place in (*taken, *ring)]
    return max(inside, key=lambda place: min(map(functools.partial(math.dist, _flatten(place)), others)))


def _flatten(place: tuple[float, float]) -> tuple[float, float]:
    """Scale a position by the proportions of a label.

    Labels are wide, so a horizontal distance counts less than the same vertical distance.
    """
    return place[0] / 3, place[1]


def _surrounds(ring: Sequence[tuple[float, float]], x: float, y: float) -> bool:
    """Return whether a point is inside a ring.

    A line that starts at an inside point and runs east crosses an odd number of sides.
    """
    inside = False
    for (left, top), (right, bottom) in pairwise([*ring, ring[0]]):
        if (top > y) != (bottom > y):
            inside ^= x < left + (y - top) * (right - left) / (bottom - top)
    return inside
