"""Pages for health units: the list with its map, one unit, and the meaning of the colours."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

from balcao.core.http.responses import Response
from balcao.core.values.text import fold_text
from balcao.site.declaration import Area, Finder, HomePart, MapAddress, MenuEntry, Pages, Result
from balcao.site.faults import make_not_found
from balcao.site.health import client
from balcao.site.health.clinic import describe_clinic
from balcao.site.health.colors import COLORS, Color, describe_state, find_color
from balcao.site.health.hours import describe_days, describe_hours, summarize_week
from balcao.site.health.picture import HEIGHT, WIDTH, GroundCache, draw_picture
from balcao.site.health.views import (
    COLOR,
    KIND,
    WHEN,
    Filters,
    UnitView,
    describe_unit,
    find_alternatives,
    find_named,
    order_units,
    select_units,
)
from balcao.site.visit import Head, Visit
from balcao.web.api import Block
from balcao.web.visit import Crumb
from balcao.web.words import capitalize_first, format_count, format_day_in_words, format_day_of_month

# Colours can change at any time, so browsers may cache these pages only briefly (rules: site 5).
_MAX_AGE = 20
_PAGE_SIZE = 5  # keeps a page with the demo city's map below 15 kB
# Show at most this many units in search results and on the first page.
_MOST_FOUND, _MOST_CHANGED = 5, 3
_CNES = re.compile(r"[0-9]{7}")

Openings: TypeAlias = dict[str, list[client.Interval]]
_GROUND = GroundCache()
pages = Pages("health", "/saude")


@pages.get("/unidades", "Unidades de saúde", max_age=_MAX_AGE, footer="site")
async def list_units(visit: Visit) -> Response[Any]:
    """List the units that match the visitor's filters, with a map of all units."""
    board, areas, places = await asyncio.gather(
        client.read_board(visit.reader),
        visit.read_block(client.list_areas(visit.reader)),
        visit.read_block(client.list_neighbourhoods(visit.reader)),
    )
    words, known = visit.site.words, {place.bairro: place for place in places.value or ()}
    filters = _read_filters(visit, known)
    day = filters.find_day(words.now().date())
    openings = await visit.read_block(client.list_openings(visit.reader, day)) if day else Block[Openings](None)
    chosen = select_units(board, filters, openings.value)
    hours = {cnes: describe_hours(intervals) for cnes, intervals in (openings.value or {}).items()}
    views = order_units(board, chosen, words, known.get(filters.near), hours)
    heading = _describe_result(len(views), filters if board.is_current else filters.without_state())
    if day and not openings.fault:
        heading += f", {format_day_of_month(day)}"
    number = min(visit.number, max(1, -(-len(views) // _PAGE_SIZE)))
    ground = await _GROUND.get(areas.value or (), board.units)
    shown = {unit.cnes for unit in chosen} if board.is_current else None
    return visit.show(
        "health/units.html",
        Head(
            "Unidades de saúde" if not any(filters.query.values()) else f"Unidades de saúde: {heading}",
            f"{format_count(len(board.units), 'unidade', 'unidades')} de saúde: horários, telefones e o que muda hoje.",
            visit.address("health.list_units", filters.query | {"pagina": number if number > 1 else ""}),
        ),
        board=board,
        filters=filters,
        heading=heading,
        views=views[(number - 1) * _PAGE_SIZE : number * _PAGE_SIZE],
        total=len(views),
        has_closed=board.is_current and any(unit.atendimento.situacao == "fechado_por_risco" for unit in chosen),
        first=(number - 1) * _PAGE_SIZE + 1,
        number=number,
        last=max(1, -(-len(views) // _PAGE_SIZE)),
        neighbourhoods=list(known),
        day=day and format_day_in_words(day),
        is_later=day is not None and day > words.now().date(),
        openings=openings,
        choices={"quando": WHEN, "tipo": KIND, "cor": COLOR},
        colors=COLORS,
        picture=draw_picture(ground, board.units, shown) if ground else None,
        size=(WIDTH, HEIGHT),
        areas=areas,
        checked_at=max((unit.atendimento.calculado_em for unit in board.units), default=None),
    )


def _read_filters(visit: Visit, neighbourhoods: Iterable[str]) -> Filters:
    """Return the visitor's filters. The neighbourhood is spelled as the service spells it."""
    near = fold_text(visit.text("perto"))
    known = {fold_text(name): name for name in neighbourhoods}
    when, kind, color = (visit.text(name) for name in ("quando", "tipo", "cor"))
    return Filters(
        known.get(near, ""),
        when if when in WHEN else "",
        kind if kind in KIND else "",
        color if color in COLOR else "",
    )


def _describe_result(count: int, filters: Filters) -> str:
    """Describe how many units match the filters: "6 unidades com atendimento no sábado"."""
    found = format_count(count, "unidade", "unidades") if count else "nenhuma unidade"
    return capitalize_first(" ".join([found, *(choice.heading for choice in filters.choices)]))


@pages.get("/unidades/{cnes}", "Unidade de saúde", max_age=_MAX_AGE)
async def show_unit(visit: Visit, cnes: str) -> Response[Any]:
    """Show one unit: whether it is open, how its service differs today, the next 14 days, and nearby alternatives."""
    if not _CNES.fullmatch(cnes):
        raise make_not_found()
    reader = visit.reader
    read = await client.read_unit(reader, cnes)
    unit = read.units[0]
    days, past, board = await asyncio.gather(
        visit.read_block(client.list_days(reader, cnes)),
        visit.read_block(client.list_notifications(reader, cnes)),
        visit.read_block(client.read_board(reader)),
    )
    words = visit.site.words
    view = describe_unit(unit, words, is_current=read.is_current)
    has_alternatives = board.value is not None and not view.is_attending
    path = visit.address("health.show_unit", cnes=cnes)
    return visit.show(
        "health/unit.html",
        Head(
            unit.nome,
            f"{unit.nome}: {view.address}. Telefone, horário dos próximos 14 dias e o que muda hoje.",
            path,
            [describe_clinic(unit, days.value or [], visit.absolute(path), visit.site.city)],
            is_indexed=unit.ativa,
        ),
        view=view,
        unit=unit,
        is_current=read.is_current,
        days=days,
        described=describe_days(days.value, words.now().date()) if days.value else [],
        week=summarize_week(days.value) if days.value else [],
        past=past,
        colors=COLORS,
        alternatives=find_alternatives(board.value, unit, words) if board.value and has_alternatives else [],
        steps=[Crumb("Unidades de saúde", visit.address("health.list_units"))],
    )


@pages.get("/cores", "O que as cores das unidades dizem")
async def explain_colors(visit: Visit) -> Response[Any]:
    """Explain the four colours, and what people should do at each."""
    return visit.show(
        "health/colors.html",
        Head(
            "O que as cores das unidades de saúde dizem",
            "Verde, amarelo, laranja e vermelho: o que cada cor muda na unidade de saúde e o que você deve fazer.",
            visit.address("health.explain_colors"),
        ),
        colors=COLORS,
        steps=[Crumb("Unidades de saúde", visit.address("health.list_units"))],
    )


class CityToday(NamedTuple):
    """The first page's summary: how many units are open, how many have each colour, and the unusual ones."""

    open: int
    counts: list[tuple[Color, int]]
    changed: list[UnitView]
    more: int
    total: int
    is_current: bool
    checked_at: datetime | None


async def summarize_city(visit: Visit) -> CityToday | None:
    """Summarize the state of the units for the first page. Return None if the city has no units."""
    board = await client.read_board(visit.reader)
    if not board.units:
        return None
    words = visit.site.words
    changed = [unit for unit in board.units if find_color(unit.risco_atual).rank > 1] if board.is_current else []
    changed.sort(key=lambda unit: -find_color(unit.risco_atual).rank)
    counts = Counter(find_color(unit.risco_atual).name for unit in board.units)
    return CityToday(
        sum(describe_state(unit.atendimento, words).is_open for unit in board.units),
        [(color, counts[color.name]) for color in COLORS.values() if counts[color.name]],
        [describe_unit(unit, words, is_current=True) for unit in changed[:_MOST_CHANGED]],
        max(0, len(changed) - _MOST_CHANGED),
        len(board.units),
        board.is_current,
        max((unit.atendimento.calculado_em for unit in board.units), default=None),
    )


async def list_addresses(visit: Visit) -> list[MapAddress]:
    """Return the addresses of the active units, for the sitemap."""
    board = await client.read_board(visit.reader)
    return [MapAddress(f"/saude/unidades/{unit.cnes}") for unit in board.units]


async def find_units(visit: Visit, text: str) -> list[Result]:
    """Return the units whose name, kind or neighbourhood contains all words of the text."""
    board = await client.read_board(visit.reader)
    words = visit.site.words
    found = order_units(board, find_named(board.units, text), words, None, {})[:_MOST_FOUND]
    return [
        Result(
            view.unit.nome,
            visit.address("health.show_unit", cnes=view.unit.cnes),
            " · ".join(filter(None, (view.state.text if view.state else "", view.hours))),
            view.address,
        )
        for view in found
    ]


AREA = Area(
    pages,
    MenuEntry("Saúde", "health.list_units"),
    home=[HomePart("now", "as unidades de saúde", "health/home.html", summarize_city)],
    finder=Finder(
        "Unidades de saúde", "as unidades de saúde", find_units, lambda visit, text: visit.address("health.list_units")
    ),
    addresses=list_addresses,
)
