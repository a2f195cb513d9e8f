"""Geometry for the SVG pictures that the server renders: the city's map, a unit's history, and counts by month.

The functions return coordinates, and the templates write the SVG. Next to every picture, a table shows the same data.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

import httpx

from balcao.core.offloading import run_in_thread
from balcao.panel.health_units.client import Area, CityEvent, Counts, Unit, decode_areas
from balcao.panel.health_units.labels import COLORS, shorten
from balcao.web.city_map import Label, Places, Projection, draw_path, find_label_place, place_rings, simplify

MAP_WIDTH, MAP_HEIGHT, _MARGIN = 560, 420, 18
STRIP_WIDTH, STRIP_HEIGHT = 720, 60
PLOT_WIDTH, PLOT_HEIGHT, PLOT_LEFT, _PLOT_BOTTOM = 720, 240, 52, 30


class Mark(NamedTuple):
    """A unit on the map."""

    x: float
    y: float
    unit: Unit
    symbol: str
    label: Label | None


@dataclass(frozen=True)
class CityMap:
    """The map: areas as paths with labels, and the units whose position is known. `scale` is the drawn length of 2 km.

    The units with the highest risk come last, so that they are drawn on top.
    """

    areas: Sequence[tuple[str, Label]]
    marks: Sequence[Mark]
    scale: float


class Ground(NamedTuple):
    """The part of the map that does not depend on the risk. `areas` contains a path, an outer ring and a name each."""

    projection: Projection
    areas: Sequence[tuple[str, Places, str]]


class MapDrawer:
    """Draws the map for each viewer, and caches the most recent ground that this process drew.

    The largest outlines take longer to decode and draw than the event loop may be blocked, so a thread does both.
    Outlines and positions rarely change. The ETag identifies the outlines.
    """

    def __init__(self) -> None:
        # One value, because several threads may draw at the same time.
        self._cached: tuple[tuple[str, Places], Ground | None] | None = None

    async def draw(self, outlines: httpx.Response, units: Sequence[Unit]) -> CityMap | None:
        """Return the map, or None if no position is known. Raises ServiceUnavailable if the outlines are malformed."""
        return await run_in_thread(self._draw, outlines, units)

    def _draw(self, outlines: httpx.Response, units: Sequence[Unit]) -> CityMap | None:
        places = tuple(sorted(_locate(unit) for unit in units if _has_place(unit)))
        key = (outlines.headers.get("etag", ""), places)
        cached = self._cached
        if cached is None or cached[0] != key or not key[0]:
            self._cached = cached = (key, draw_ground(decode_areas(outlines), places))
        _, ground = cached
        return None if ground is None else draw_map(ground, units)


def draw_ground(areas: Sequence[Area], places: Places) -> Ground | None:
    """Draw the outlines. All of them and all units fit on the picture. Return None if no position is known."""
    positions = [*(position for area in areas for ring in area.geometry.rings for position in ring), *places]
    if not positions:
        return None
    projection = Projection(positions, MAP_WIDTH, MAP_HEIGHT, _MARGIN)
    simple = simplify([place_rings(area.geometry, projection) for area in areas])
    named = [f"{area.properties.area} {area.properties.nome}" for area in areas]
    drawn = [
        (draw_path(rings), tuple(rings[0]), name)
        for rings, name in zip(simple, named, strict=True)
        if rings  # an area that is too small for the picture has none
    ]
    return Ground(projection, drawn)


def draw_map(ground: Ground, units: Sequence[Unit]) -> CityMap:
    """Return the map with the units whose position is known."""
    placed = sorted(filter(_has_place, units), key=lambda unit: COLORS[unit.risco_atual.risco].rank)
    marks = [_mark(unit, ground.projection) for unit in placed]
    taken = [place for mark in marks for place in _list_taken(mark)]
    drawn = [(path, Label(*find_label_place(ring, taken), name, "middle")) for path, ring, name in ground.areas]
    return CityMap(drawn, marks, ground.projection.measure(2))


def _has_place(unit: Unit) -> bool:
    return unit.latitude is not None and unit.longitude is not None


def _locate(unit: Unit) -> tuple[float, float]:
    return unit.longitude or 0.0, unit.latitude or 0.0


def _mark(unit: Unit, projection: Projection) -> Mark:
    x, y = projection.place(*_locate(unit))
    color = unit.risco_atual.risco
    label = None
    if color != "Verde":
        is_right = x > MAP_WIDTH * 0.6
        text = f"{shorten(unit.nome)} · {color}"
        label = Label(x - 13 if is_right else x + 13, y + 4, text, "end" if is_right else "start")
    return Mark(x, y, unit, COLORS[color].symbol, label)


def _list_taken(mark: Mark) -> Iterator[tuple[float, float]]:
    """Yield points that a unit's symbol and label occupy, so that other labels can avoid them."""
    yield mark.x, mark.y
    if mark.label is not None:
        step = -30 if mark.label.anchor == "end" else 30
        yield from ((mark.label.x + step * number, mark.y) for number in range(1 + len(mark.label.text) // 5))


class Span(NamedTuple):
    """A period in which a unit had one colour. `end` is None while the unit still has it."""

    color: str
    start: datetime
    end: datetime | None
    x: float
    width: float
    y: float
    height: float


def draw_history(events: Sequence[CityEvent], current: str, since: datetime, now: datetime) -> list[Span]:
    """Return the periods in which notifications gave a unit a colour, oldest first.

    `events` are the unit's events since `since`.

    Notifications that were opened by mistake are omitted. `current` is the current colour.
    """
    by_notification: dict[str, list[CityEvent]] = {}
    for event in sorted((each for each in events if not each.engano), key=lambda each: each.evento.em):
        by_notification.setdefault(event.notificacao, []).append(event)
    pieces = [piece for each in by_notification.values() for piece in _list_pieces(each, since)]
    if not by_notification and current != "Verde":
        pieces = [(current, since, None)]  # the notification has not changed since `since`
    length = (now - since).total_seconds()
    return [_draw_span(piece, since, now, length) for piece in sorted(pieces, key=lambda piece: piece[1])]


def _list_pieces(events: Sequence[CityEvent], since: datetime) -> Iterator[tuple[str, datetime, datetime | None]]:
    """Yield (colour, start, end) for each period of one notification."""
    first = events[0].evento
    if first.risco_antes is not None:
        yield first.risco_antes, since, first.em
    for place, each in enumerate(events):
        if each.evento.tipo != "encerramento":
            following = events[place + 1].evento.em if place + 1 < len(events) else None
            yield each.evento.risco_depois, each.evento.em, following


def _draw_span(piece: tuple[str, datetime, datetime | None], since: datetime, now: datetime, length: float) -> Span:
    color, start, end = piece
    x = (start - since).total_seconds() / length * STRIP_WIDTH
    width = ((end or now) - start).total_seconds() / length * STRIP_WIDTH
    height = (COLORS[color].rank + 1) * STRIP_HEIGHT / 4
    return Span(color, start, end, round(x, 1), round(max(width, 2), 1), round(STRIP_HEIGHT - height, 1), height)


def draw_known(events: Sequence[CityEvent], limit: int, since: datetime, now: datetime) -> Span:
    """Return a green span for the period in which all events are known. Units without a notification are green.

    If `limit` events were read, older events may be missing. The period before the oldest event then stays empty.
    """
    start = min(each.evento.em for each in events) if len(events) >= limit else since
    return _draw_span(("Verde", start, None), since, now, (now - since).total_seconds())


class Bar(NamedTuple):
    """The bar for one period, divided by colour. Each piece is a tuple of colour, count, top and height."""

    x: float
    width: float
    label: str
    total: int
    top: float
    pieces: Sequence[tuple[str, int, float, float]]


@dataclass(frozen=True)
class Plot:
    """A bar chart: the bars, and the numbered scale lines."""

    bars: Sequence[Bar]
    lines: Sequence[tuple[float, int]]
    base: float


def draw_counts(sums: Mapping[str, Mapping[str, int]]) -> Plot:
    """Draw the counts by period and colour as a bar chart. The keys of `sums` are the bar labels."""
    base, height = PLOT_HEIGHT - _PLOT_BOTTOM, PLOT_HEIGHT - _PLOT_BOTTOM - 20
    most = max((sum(colors.values()) for colors in sums.values()), default=0) or 1
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10**9) if most / step <= 5)
    top = math.ceil(most / step) * step
    room = (PLOT_WIDTH - PLOT_LEFT) / max(len(sums), 1)
    bars = []
    for number, (label, colors) in enumerate(sums.items()):
        y, pieces = float(base), []
        for color in COLORS:
            if count := colors.get(color, 0):
                tall = count / top * height
                y -= tall
                pieces.append((color, count, round(y, 1), round(tall, 1)))
        x = PLOT_LEFT + number * room + room * 0.15
        bars.append(Bar(round(x, 1), round(room * 0.7, 1), label, sum(colors.values()), round(y, 1), pieces))
    lines = [(round(base - value / top * height, 1), value) for value in range(0, top + 1, step)]
    return Plot(bars, lines, base)


def sum_counts(counts: Counts, *, quarterly: bool) -> dict[str, dict[str, int]]:
    """Sum the counts over areas or units, by period and colour. Return {} if there are no counts.

    The service omits periods without notifications. This function adds them as zeros, so that a chart shows empty
    periods.
    """
    if not counts.itens:
        return {}
    sums = {period: dict.fromkeys(COLORS, 0) for period in _list_periods(counts.de, counts.ate, quarterly=quarterly)}
    for each in counts.itens:
        for color, number in each.por_cor.items():
            sums[each.periodo][color] += number
    return sums


def _list_periods(since: date, until: date, *, quarterly: bool) -> Iterator[str]:
    """Yield the months or quarters from one date to another, as the service writes them: `2026-10`, `2026-T4`."""
    first, last = since.year * 12 + since.month - 1, until.year * 12 + until.month - 1
    for number in range(first, last + 1, 3 if quarterly else 1):
        year, month = divmod(number, 12)
        yield f"{year}-T{month // 3 + 1}" if quarterly else f"{year}-{month + 1:02}"
