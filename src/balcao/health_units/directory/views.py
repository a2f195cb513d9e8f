"""A unit as callers see it, computed from its state on the board and an instant (rules: health_units 3.1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET

from balcao.core.values.clock import format_rfc3339_seconds
from balcao.health_units.directory.schemas import (
    Atendimento,
    Efeitos,
    Point,
    RiscoAtual,
    Unit,
    UnitFeature,
    UnitOnMap,
)
from balcao.health_units.opening import SATURDAY, WEEKDAYS, Interval, Opening, find_opening, find_usual_hours
from balcao.health_units.risk.board import UnitState
from balcao.health_units.situation import Risco
from balcao.settings.services import ColorEffects


@dataclass(frozen=True)
class Moment:
    """The inputs that are the same for all units.

    `now` is a whole minute in the city's zone. Units open and close at whole minutes, so a response and its ETag stay
    the same for a minute. `day` is the day for which the query requests the opening periods, or None.
    """

    now: datetime
    holidays: frozenset[date]
    effects: Mapping[Risco, ColorEffects]
    day: date | None = None

    @property
    def zone(self) -> ZoneInfo:
        zone = self.now.tzinfo
        assert isinstance(zone, ZoneInfo)
        return zone


def get_effective_color(state: UnitState) -> Risco:
    """Return the current colour. Closed notifications are ignored."""
    active = state.risk.notificacao_ativa
    return active.risco if active else Risco.VERDE


def find_unit_opening(state: UnitState, moment: Moment) -> Opening:
    """Return whether the unit is open, and when it opens or closes next."""
    return find_opening(
        state.timetable,
        moment.holidays,
        moment.now,
        active=state.record.ativa,
        closed_by_risk=moment.effects[get_effective_color(state)].fecha,
    )


def list_intervals_on(state: UnitState, day: date, moment: Moment) -> list[Interval]:
    """Return the opening periods of the unit on a day, whatever its risk. A deactivated unit has none."""
    if state.timetable is None or not state.record.ativa:
        return []
    return sorted(state.timetable.list_intervals(day, moment.holidays))


def get_place(state: UnitState) -> tuple[float, float] | None:
    """Return the unit's latitude and longitude, or None if it has no location."""
    record = state.record
    return None if record.latitude is None or record.longitude is None else (record.latitude, record.longitude)


def show_unit(state: UnitState, moment: Moment) -> Unit:
    """Return the unit as callers see it."""
    return Unit(**_list_members(state, moment))


def show_on_map(state: UnitState, moment: Moment, metres: int | None) -> UnitFeature:
    """Return a unit that has a location as a GeoJSON feature.

    `metres` is the unit's distance from the place in the query, or None if the query has no place.
    """
    place = get_place(state)
    assert place is not None
    latitude, longitude = place
    shown = UnitOnMap(**_list_members(state, moment), distancia=metres)
    return UnitFeature(state.record.cnes, Point([longitude, latitude]), shown)


def _list_members(state: UnitState, moment: Moment) -> dict[str, Any]:
    return msgspec.structs.asdict(state.record) | {
        "funcionamento_dia_util": find_usual_hours(state.timetable, WEEKDAYS),
        "funcionamento_sabado": find_usual_hours(state.timetable, [SATURDAY]),
        "risco_atual": _show_risk(state, moment),
        "atendimento": _show_opening(find_unit_opening(state, moment), moment),
        "intervalos_no_dia": UNSET if moment.day is None else list_intervals_on(state, moment.day, moment),
    }


def _show_risk(state: UnitState, moment: Moment) -> RiscoAtual:
    color, active = get_effective_color(state), state.risk.notificacao_ativa
    effects = moment.effects[color]
    return RiscoAtual(
        color,
        _format(state.opened_at, moment.zone),
        active.ultima_atualizacao if active else None,
        Efeitos(effects.atividades_externas, effects.atendimento_interno),
    )


def _show_opening(opening: Opening, moment: Moment) -> Atendimento:
    zone = moment.zone
    opens, closes = _format(opening.opens_at, zone), _format(opening.closes_at, zone)
    return Atendimento(opening.situacao, opens, closes, format_rfc3339_seconds(moment.now, zone))


def _format(instant: datetime | None, zone: ZoneInfo) -> str | None:
    return None if instant is None else format_rfc3339_seconds(instant, zone)
