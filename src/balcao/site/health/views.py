"""Views of the units for the pages, and the filters of the list."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from balcao.core.values.text import fold_text
from balcao.site.health.client import Board, Neighbourhood, Unit
from balcao.site.health.colors import (
    COLORS,
    UNKNOWN,
    Color,
    State,
    describe_change,
    describe_state,
    find_color,
    is_emergency,
)
from balcao.site.health.hours import is_always_open, summarize_record
from balcao.site.health.nearness import Point, measure_from
from balcao.web.words import Words, format_distance

KINDS = {
    "CF": "Clínica da família",
    "CMS": "Centro municipal de saúde",
    "UPA": "UPA (pronto atendimento 24 horas)",
    "HOSPITAL": "Hospital",
    "OUTRO": "Outra unidade de saúde",
}


def _select_all(_: Unit) -> bool:
    return True


class Choice(NamedTuple):
    """A choice in a filter: its text, how a heading describes the result, and which units it selects.

    The heading's words fit one unit, several and none.
    `weekday` is the day on which the unit must be open: 0 for Monday, or `TOMORROW`.
    """

    label: str
    heading: str
    selects: Callable[[Unit], bool] = _select_all
    needs_state: bool = False
    weekday: int | None = None


TOMORROW = -1


def _is_open(unit: Unit) -> bool:
    return unit.atendimento.situacao == "aberto"


WHEN = {
    "agora": Choice("Aberta agora", "com atendimento agora", _is_open, needs_state=True),
    "amanha": Choice("Amanhã", "com atendimento amanhã", weekday=TOMORROW),
    "sabado": Choice("No sábado", "com atendimento no sábado", weekday=5),
    "domingo": Choice("No domingo", "com atendimento no domingo", weekday=6),
    "sempre": Choice("24 horas", "com atendimento 24 horas", is_always_open),
}
KIND = {
    "clinica": Choice("Clínica da família", "do tipo clínica da família", lambda unit: unit.tipo == "CF"),
    "centro": Choice("Centro municipal de saúde", "do tipo centro municipal de saúde", lambda unit: unit.tipo == "CMS"),
    "urgencia": Choice("Pronto atendimento (UPA)", "de urgência", is_emergency),
}


def _choose_color(name: str) -> Choice:
    return Choice(name, f"hoje em {name.lower()}", lambda unit: unit.risco_atual.risco == name, needs_state=True)


COLOR = {name.lower(): _choose_color(name) for name in COLORS}


@dataclass(frozen=True)
class Filters:
    """The filters of the list. Unknown choices are ignored."""

    near: str
    when: str
    kind: str
    color: str

    @property
    def query(self) -> dict[str, str]:
        """Return the query parameters, in the order of the canonical address."""
        return {"perto": self.near, "quando": self.when, "tipo": self.kind, "cor": self.color}

    @property
    def is_set(self) -> bool:
        return any(self.query.values())

    @property
    def choices(self) -> list[Choice]:
        return [
            choices[value]
            for choices, value in ((KIND, self.kind), (COLOR, self.color), (WHEN, self.when))
            if value in choices
        ]

    @property
    def wider(self) -> "list[tuple[Choice, Filters]]":
        """Return each choice with the filters that have only this choice, if several exclude all units."""
        alone = [
            (choices[value], Filters(self.near, *values))
            for choices, value, values in (
                (KIND, self.kind, ("", self.kind, "")),
                (COLOR, self.color, ("", "", self.color)),
                (WHEN, self.when, (self.when, "", "")),
            )
            if value in choices
        ]
        return alone if len(alone) > 1 else []

    @property
    def needs_state(self) -> bool:
        """Whether a filter depends on the current state of the units, which may be unknown."""
        return any(choice.needs_state for choice in self.choices)

    def find_day(self, today: date) -> date | None:
        """Return the date of the chosen day, which may be today. Return None if no day is chosen."""
        weekday = WHEN[self.when].weekday if self.when in WHEN else None
        if weekday is None:
            return None
        return today + timedelta(days=1 if weekday == TOMORROW else (weekday - today.weekday()) % 7)

    def without_state(self) -> "Filters":
        """Return only the filters that do not depend on the current state of the units."""
        when = "" if self.when in WHEN and WHEN[self.when].needs_state else self.when
        return Filters(self.near, when, self.kind, "")


@dataclass(frozen=True)
class UnitView:
    """A unit in words. `color` and `state` are None if they are unknown.

    `on_day` contains the hours of the chosen day.
    """

    unit: Unit
    color: Color | None
    state: State | None
    change: str | None
    hours: str
    distance: str
    is_emergency: bool
    on_day: str = ""

    @property
    def address(self) -> str:
        """Return the street address as one line."""
        unit = self.unit
        return ", ".join(filter(None, (unit.logradouro, unit.numero, unit.complemento, unit.bairro)))

    @property
    def kind(self) -> str:
        return KINDS.get(self.unit.tipo, KINDS["OUTRO"])

    @property
    def is_placed(self) -> bool:
        """Whether the position of the unit is known."""
        return self.unit.latitude is not None and self.unit.longitude is not None

    @property
    def phones(self) -> list[str]:
        return [number for number in (self.unit.telefone, self.unit.celular) if number]

    @property
    def is_attending(self) -> bool:
        return self.state is not None and self.state.is_open


def describe_unit(unit: Unit, words: Words, *, is_current: bool, distance: str = "", on_day: str = "") -> UnitView:
    """Describe a unit. Unless `is_current`, its colour and state are unknown."""
    return UnitView(
        unit,
        find_color(unit.risco_atual) if is_current else None,
        describe_state(unit.atendimento, words) if is_current else None,
        describe_change(unit, words) if is_current else UNKNOWN,
        summarize_record(unit),
        distance,
        is_emergency(unit),
        on_day,
    )


def select_units(board: Board, filters: Filters, opened: Collection[str] | None) -> list[Unit]:
    """Return the units that match all filters.

    If the current state is unknown, filters that depend on it are ignored. `opened` contains the `cnes` of the units
    that open on the chosen day. It is None if no day is chosen.
    """
    choices = [choice for choice in filters.choices if board.is_current or not choice.needs_state]
    return [
        unit
        for unit in board.units
        if (opened is None or unit.cnes in opened) and all(choice.selects(unit) for choice in choices)
    ]


def find_named(units: Sequence[Unit], text: str) -> list[Unit]:
    """Return the units whose name, kind or neighbourhood contains all words of the text."""
    words = fold_text(text).split()
    return [
        unit
        for unit in units
        if words and all(word in fold_text(f"{unit.nome} {KINDS.get(unit.tipo, '')} {unit.bairro}") for word in words)
    ]


def order_units(
    board: Board, units: Sequence[Unit], words: Words, near: Neighbourhood | None, openings: Mapping[str, str]
) -> list[UnitView]:
    """Sort and describe the units, the nearest first. Units that are closed for safety come last.

    Without a neighbourhood, units that are open now come first, then units with another colour than green. Each group
    is sorted by name. `openings` contains the hours of the chosen day in words, by `cnes`. For a chosen day, or if
    the current state is unknown, the state has no effect on the order.
    """
    point = Point(near.latitude, near.longitude) if near else None
    distances = {unit.cnes: measure_from(point, unit) if point else None for unit in units}

    def group(unit: Unit) -> int:
        is_closed = board.is_current and unit.atendimento.situacao == "fechado_por_risco"
        if near or openings or not board.is_current:
            return int(is_closed)
        return 0 if _is_open(unit) else 1 if find_color(unit.risco_atual).rank > 1 else 2

    def rank(unit: Unit) -> tuple[int, bool, float, str, str]:
        far = distances[unit.cnes]
        return group(unit), far is None, far or 0.0, fold_text(unit.nome), unit.cnes

    return [
        describe_unit(
            unit,
            words,
            is_current=board.is_current,
            distance=describe_distance(distances[unit.cnes], unit, near.bairro if near else ""),
            on_day=openings.get(unit.cnes, ""),
        )
        for unit in sorted(units, key=rank)
    ]


def describe_distance(metres: float | None, unit: Unit, near: str) -> str:
    """Describe the distance from a neighbourhood. Return an empty string if the distance is unknown."""
    if metres is None:
        return ""
    if unit.bairro and fold_text(unit.bairro) == fold_text(near):
        return f"no bairro {unit.bairro}"
    return format_distance(metres)


def find_alternatives(board: Board, unit: Unit, words: Words, most: int = 2) -> list[UnitView]:
    """Return the nearest units that are open now.

    If the unit itself is an emergency unit, emergency units come first. The list is empty if the current state of the
    units is unknown.
    """
    if not board.is_current:
        return []
    here = Point(unit.latitude, unit.longitude) if unit.latitude is not None and unit.longitude is not None else None
    others = [
        other for other in board.units if other.cnes != unit.cnes and describe_state(other.atendimento, words).is_open
    ]
    measured = [(measure_from(here, other) if here else None, other) for other in others]
    measured.sort(key=lambda each: (not is_emergency(each[1]) and is_emergency(unit), each[0] is None, each[0] or 0.0))
    return [
        describe_unit(other, words, is_current=True, distance="" if metres is None else format_distance(metres))
        for metres, other in measured[:most]
    ]
