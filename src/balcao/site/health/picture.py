"""The map of the units: outlines of the areas, and one mark for each unit whose position is known.

The list on the same page has the same content, so the map contains no links (rules: site 10).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from balcao.core.offloading import run_in_thread
from balcao.site.health.client import Area, Unit
from balcao.site.health.colors import find_color
from balcao.web.city_map import Label, Places, Projection, draw_path, find_label_place, place_rings, simplify

WIDTH, HEIGHT, _MARGIN = 436, 330, 14
# Names on the marks help people who use a mouse. For more marks than this, they would make the page too large.
_MOST_NAMED = 60


class Mark(NamedTuple):
    """A unit on the map. `is_chosen` is False for units that do not match the filters."""

    x: float
    y: float
    rank: int
    name: str
    is_chosen: bool


class Ground(NamedTuple):
    """The part of the map that does not depend on the risk: the areas and their labels."""

    projection: Projection
    areas: Sequence[str]
    labels: Sequence[Label]


@dataclass(frozen=True)
class Picture:
    """The map: paths for the areas, their labels, and the marks.

    The most important marks come last, so that they are on top.
    """

    areas: Sequence[str]
    labels: Sequence[Label]
    marks: Sequence[Mark]


class GroundCache:
    """Caches the most recent ground (the map without the units) that this process drew.

    For the largest outlines, drawing may take 200 ms of CPU time, so it runs in a thread. Outlines and positions rarely
    change. As long as they do not change, the reader returns the same list of areas.
    """

    def __init__(self) -> None:
        self._areas: Sequence[Area] = ()
        self._places: Places = ()
        self._ground: Ground | None = None

    async def get(self, areas: Sequence[Area], units: Sequence[Unit]) -> Ground | None:
        """Return the ground, or None if no positions are known."""
        places = tuple(sorted(map(_locate, filter(_has_place, units))))
        if areas is not self._areas or places != self._places:
            self._ground = await run_in_thread(draw_ground, areas, places)
            self._areas, self._places = areas, places
        return self._ground


def draw_ground(areas: Sequence[Area], places: Places) -> Ground | None:
    """Draw the areas, with their labels where no unit is.

    If there are no areas, the positions of the units determine the scale.
    """
    positions = [position for area in areas for ring in area.geometry.rings for position in ring] or list(places)
    if not positions:
        return None
    projection = Projection(positions, WIDTH, HEIGHT, _MARGIN)
    rings = simplify([place_rings(area.geometry, projection) for area in areas])
    taken = [projection.place(*place) for place in places]
    labels = [
        Label(*find_label_place(tuple(outline[0]), taken), area.properties.nome, "middle")
        for area, outline in zip(areas, rings, strict=True)
        if outline
    ]
    return Ground(projection, [draw_path(each) for each in rings], labels)


def draw_picture(ground: Ground, units: Sequence[Unit], chosen: Collection[str] | None) -> Picture:
    """Return the map. A unit outside the map has a wrong position and is omitted.

    `chosen` contains the `cnes` of the units in the list. If it is None, the colours are unknown and all marks look the
    same.
    """
    placed = [unit for unit in units if _has_place(unit) and _is_on_map(unit, ground.projection)]
    marks = [_mark(unit, ground.projection, chosen, is_named=len(placed) <= _MOST_NAMED) for unit in placed]
    marks.sort(key=lambda mark: (mark.is_chosen, mark.rank))
    return Picture(ground.areas, ground.labels, marks)


def _has_place(unit: Unit) -> bool:
    return unit.latitude is not None and unit.longitude is not None


def _locate(unit: Unit) -> tuple[float, float]:
    return unit.longitude or 0.0, unit.latitude or 0.0


def _place(unit: Unit, projection: Projection) -> tuple[float, float]:
    return projection.place(*_locate(unit))


def _is_on_map(unit: Unit, projection: Projection) -> bool:
    x, y = _place(unit, projection)
    return 0 < x < WIDTH and 0 < y < HEIGHT


def _mark(unit: Unit, projection: Projection, chosen: Collection[str] | None, *, is_named: bool) -> Mark:
    x, y = _place(unit, projection)
    color = find_color(unit.risco_atual)
    name = ""
    if is_named:
        is_shown = chosen is not None and unit.cnes in chosen
        name = f"{unit.nome}: {color.name.lower()}" if is_shown else unit.nome
    return Mark(round(x), round(y), 0 if chosen is None else color.rank, name, chosen is None or unit.cnes in chosen)
