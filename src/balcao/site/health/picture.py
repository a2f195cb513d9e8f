"""The map of the units: outlines of the areas, and one mark for each unit with a position.

The list on the same page has the same content, so the picture has no links (rules: site 10).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from balcao.site.health.client import Area, Unit
from balcao.site.health.colors import find_color
from balcao.web.city_map import Label, Projection, draw_path, find_label_place, place_rings, simplify

WIDTH, HEIGHT, _MARGIN = 436, 330, 14
# A name for each mark helps people with a mouse. In a larger city it would cost too many bytes.
_MOST_NAMED = 60
# A unit far outside of the city has a wrong position. It would shrink the map to a dot.
_FAR = 0.5


class Mark(NamedTuple):
    """A unit on the map. `is_chosen` is False for units that the filters leave out."""

    x: float
    y: float
    rank: int
    name: str
    is_chosen: bool


@dataclass(frozen=True)
class Picture:
    """The map: paths of the areas, their labels, and the marks. Marks that matter most are drawn last, on top."""

    areas: Sequence[str]
    labels: Sequence[Label]
    marks: Sequence[Mark]


def draw_picture(areas: Sequence[Area], units: Sequence[Unit], chosen: Collection[str] | None) -> Picture | None:
    """Return the map, or None if nothing has a position.

    `chosen` contains the `cnes` of the units that the list shows. If it is None, the colours are unknown and every mark
    is the same.
    """
    positions = [position for area in areas for ring in area.geometry.rings for position in ring]
    placed = [unit for unit in units if unit.latitude is not None and unit.longitude is not None]
    if positions:
        placed = [unit for unit in placed if _is_near(unit, positions)]
    positions += [[unit.longitude or 0.0, unit.latitude or 0.0] for unit in placed]
    if not positions:
        return None
    projection = Projection(positions, WIDTH, HEIGHT, _MARGIN)
    marks = [_mark(unit, projection, chosen, is_named=len(placed) <= _MOST_NAMED) for unit in placed]
    marks.sort(key=lambda mark: (mark.is_chosen, mark.rank))
    rings = [place_rings(area.geometry, projection) for area in areas]
    taken = [(mark.x, mark.y) for mark in marks]
    labels = [
        Label(*find_label_place(tuple(outline[0]), taken), area.properties.nome, "middle")
        for area, outline in zip(areas, rings, strict=True)
        if outline
    ]
    return Picture([draw_path(each) for each in simplify(rings)], labels, marks)


def _is_near(unit: Unit, positions: Sequence[Sequence[float]]) -> bool:
    return all(
        min(values) - _FAR < where < max(values) + _FAR
        for where, values in (
            (unit.longitude or 0.0, [position[0] for position in positions]),
            (unit.latitude or 0.0, [position[1] for position in positions]),
        )
    )


def _mark(unit: Unit, projection: Projection, chosen: Collection[str] | None, *, is_named: bool) -> Mark:
    x, y = projection.place(unit.longitude or 0.0, unit.latitude or 0.0)
    color = find_color(unit.risco_atual)
    name = ""
    if is_named:
        name = unit.nome if chosen is None else f"{unit.nome}: {color.name.lower()}, {color.short}"
    return Mark(round(x), round(y), 0 if chosen is None else color.rank, name, chosen is None or unit.cnes in chosen)
