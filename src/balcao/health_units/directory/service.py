"""Finds and reads units. These functions read the board in memory, not the database."""

from datetime import date

from balcao.core.context.call import Call
from balcao.core.errors import Fault, Unprocessable
from balcao.core.values.clock import utc_now
from balcao.core.values.cnes import Cnes
from balcao.core.values.page import Page
from balcao.health_units.directory.distance import measure_distance
from balcao.health_units.directory.schemas import MapQuery, Ordem, Unit, UnitFeatures, Units, UnitsFilter, UnitsQuery
from balcao.health_units.directory.views import (
    Moment,
    find_unit_opening,
    get_effective_color,
    get_place,
    list_intervals_on,
    show_on_map,
    show_unit,
)
from balcao.health_units.effects import load_effects
from balcao.health_units.opening import Situacao
from balcao.health_units.risk.board import UnitBoard, UnitState


def read_unit(call: Call, cnes: Cnes) -> Unit:
    """Return a unit. Raises NotFound if it does not exist, and Unavailable if the board is stale."""
    board = call.platform.part(UnitBoard)
    return show_unit(board.get(cnes), _make_moment(call, board))


def list_units(call: Call, query: UnitsQuery) -> Units:
    """Return a page of the matching units, sorted by name or by descending risk.

    Raises Unprocessable if the requested day is in the past, and Unavailable if the board is stale.
    """
    moment, found = _find(call, query)
    if query.ordem is Ordem.RISCO:
        found.sort(key=lambda state: -get_effective_color(state).rank)  # stable: one colour stays sorted by name
    page = Page(query.page, query.per_page)
    shown = [show_unit(state, moment) for state in found[page.offset : page.offset + page.limit]]
    return Units(shown, page.of(len(found)))


def map_units(call: Call, query: MapQuery) -> UnitFeatures:
    """Return up to `limit` matching units that have a location.

    The units are sorted by distance if the query has a place, otherwise by name. Raises Unprocessable if the requested
    day is in the past, and Unavailable if the board is stale.
    """
    moment, found = _find(call, query)
    placed = [
        (None if query.lat is None or query.lon is None else measure_distance(query.lat, query.lon, *place), state)
        for state in found
        if (place := get_place(state)) is not None
    ]
    if query.lat is not None:
        placed = [(metres, state) for metres, state in placed if metres is not None and metres <= query.raio]
        placed.sort(key=lambda each: each[0] or 0)  # stable: ties stay sorted by name
    return UnitFeatures([show_on_map(state, moment, metres) for metres, state in placed[: query.limit]])


def _find(call: Call, wanted: UnitsFilter) -> tuple[Moment, list[UnitState]]:
    """Return the matching units, sorted by name, and the moment for which the filter was evaluated.

    Raises Unprocessable if the requested day is in the past, and Unavailable if the board is stale.
    """
    board = call.platform.part(UnitBoard)
    moment = _make_moment(call, board, wanted.abre_em)
    if moment.day is not None and moment.day < moment.now.date():  # the board does not contain exceptions of past days
        raise Unprocessable(faults=[Fault(loc=["query", "abre_em"], msg="deve ser hoje ou depois", type="value_error")])
    found = [state for state in board.snapshot.states.values() if _matches(state, wanted, moment)]
    found.sort(key=lambda state: (state.folded_name, state.record.cnes))
    return moment, found


def _matches(state: UnitState, query: UnitsFilter, moment: Moment) -> bool:
    record = state.record
    return (
        record.ativa == query.ativa
        and query.area in {None, record.area}
        and query.tipo in {None, record.tipo}
        and query.risco in {None, get_effective_color(state)}
        and (query.busca is None or query.busca in state.folded_name)
        and (query.abre_em is None or bool(list_intervals_on(state, query.abre_em, moment)))
        and (
            query.aberta_agora is None
            or query.aberta_agora == (find_unit_opening(state, moment).situacao is Situacao.ABERTO)
        )
    )


def _make_moment(call: Call, board: UnitBoard, day: date | None = None) -> Moment:
    now = utc_now().astimezone(call.zone).replace(second=0, microsecond=0)
    return Moment(now, board.snapshot.holidays, load_effects(call.platform.settings.risk_effects), day)
