"""Looking for units, in what the process has in memory."""

from balcao.core.context.call import Call
from balcao.core.http.paging import Page
from balcao.core.values.clock import utc_now
from balcao.core.values.cnes import Cnes
from balcao.health_units.directory.schemas import Unit, Units, UnitsQuery
from balcao.health_units.directory.views import Moment, find_state, get_color, show_unit
from balcao.health_units.effects import load_effects
from balcao.health_units.opening import Situacao
from balcao.health_units.risk.board import UnitBoard, UnitState


def read_unit(call: Call, cnes: Cnes) -> Unit:
    """Return a unit. Raises Unavailable and NotFound."""
    board = call.platform.part(UnitBoard)
    return show_unit(board.get(cnes), _make_moment(call, board))


def list_units(call: Call, query: UnitsQuery) -> Units:
    """Return a page of the units that the query describes, by name. Raises Unavailable."""
    board = call.platform.part(UnitBoard)
    moment = _make_moment(call, board)
    found = [state for state in board.picture.states.values() if _matches(state, query, moment)]
    found.sort(key=lambda state: (state.folded_name, state.record.cnes))
    page = Page(query.page, query.per_page)
    shown = [show_unit(state, moment) for state in found[page.offset : page.offset + page.limit]]
    return Units(shown, page.of(len(found)))


def _matches(state: UnitState, query: UnitsQuery, moment: Moment) -> bool:
    record = state.record
    return (
        record.ativa == query.ativa
        and query.area in {None, record.area}
        and query.tipo in {None, record.tipo}
        and query.risco in {None, get_color(state)}
        and (query.busca is None or query.busca in state.folded_name)
        and (
            query.aberta_agora is None or query.aberta_agora == (find_state(state, moment).situacao is Situacao.ABERTO)
        )
    )


def _make_moment(call: Call, board: UnitBoard) -> Moment:
    now = utc_now().astimezone(call.zone).replace(second=0, microsecond=0)
    return Moment(now, board.picture.holidays, load_effects(call.platform.settings.risk_effects))
