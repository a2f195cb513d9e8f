"""Wire types for the opening periods that staff write, and for the resulting days."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from pydantic import AfterValidator, Field, StringConstraints

from balcao.core.errors import Fault, Unprocessable
from balcao.core.http.models import Model
from balcao.health_units.opening import END, MOST_INTERVALS, START, Interval, find_openings_fault
from balcao.health_units.operations import LATEST, Day
from balcao.health_units.records import CnesText
from balcao.health_units.texts import PublicText

LONGEST = 62
DEFAULT_DAYS = 14
_A_YEAR = timedelta(days=366)


class IntervalBody(Model):
    """A period on one day in which the unit is open."""

    inicio: Annotated[str, StringConstraints(pattern=START), Field(description="Hora de abertura.", examples=["08:00"])]
    fim: Annotated[
        str,
        StringConstraints(pattern=END),
        Field(description="Hora de fechamento; `24:00` é o fim do dia.", examples=["17:00"]),
    ]


def to_intervals(bodies: Sequence[IntervalBody]) -> list[Interval]:
    """Return the opening periods in chronological order."""
    return [Interval(start, end) for start, end in sorted([(body.inicio, body.fim) for body in bodies])]


def _check_day(bodies: list[IntervalBody]) -> list[IntervalBody]:
    if fault := find_openings_fault([(body.inicio, body.fim) for body in bodies]):
        raise ValueError(fault)
    return bodies


Intervals = Annotated[list[IntervalBody], Field(max_length=MOST_INTERVALS), AfterValidator(_check_day)]
Weekday = Literal["1", "2", "3", "4", "5", "6", "7"]


class WeekBody(Model):
    """The opening periods of a week. The unit is closed on days that are missing."""

    semana: Annotated[
        dict[Weekday, Intervals],
        Field(
            description="Aberturas por dia da semana, de `1` (segunda) a `7` (domingo).",
            examples=[{"1": [{"inicio": "08:00", "fim": "17:00"}]}],
        ),
    ]
    abre_feriado: Annotated[bool, Field(description="Se a unidade abre também em feriado.")] = False


class ExceptionBody(Model):
    """The opening periods of a single day, which replace the periods of its weekday."""

    intervalos: Annotated[
        Intervals,
        Field(description="Aberturas do dia; vazio: fechada.", examples=[[{"inicio": "08:00", "fim": "12:00"}]]),
    ]
    motivo: Annotated[
        PublicText, Field(max_length=200, description="Motivo, que o público vê.", examples=["vacinação no sábado"])
    ]


class ProposedException(Model):
    """A proposed exception. If `intervalos` is None, the preview assumes that the exception is removed."""

    data: Annotated[Day, Field(description="O dia.", examples=["2026-12-24"])]
    intervalos: Annotated[
        Intervals | None, Field(description="Aberturas do dia; vazio: fechada; nulo: sem exceção.", examples=[[]])
    ]
    motivo: Annotated[
        PublicText | None, Field(max_length=200, description="Motivo.", examples=["véspera de Natal"])
    ] = None


class PreviewBody(Model):
    """Proposed changes to a unit's timetable. Absent members mean no change."""

    semana: Annotated[
        dict[Weekday, Intervals] | None,
        Field(description="A semana inteira, como em `PUT`.", examples=[{"1": [{"inicio": "08:00", "fim": "17:00"}]}]),
    ] = None
    abre_feriado: Annotated[bool | None, Field(description="Se a unidade abriria em feriado.", examples=[False])] = None
    excecoes: Annotated[
        list[ProposedException],
        Field(max_length=LONGEST, description="Exceções a pôr ou a retirar; de uma data repetida vale a última."),
    ] = []


class DaysQuery(Model):
    """The days to return. Both bounds are inclusive."""

    de: Annotated[Day | None, Field(description="Primeiro dia; hoje, se faltar.", examples=["2026-12-20"])] = None
    ate: Annotated[
        Day | None, Field(description="Último dia, no máximo 62 dias; se faltar, vêm 14.", examples=["2027-01-02"])
    ] = None

    def to_period(self, today: date) -> tuple[date, date]:
        """Return the first and the last day. Raises Unprocessable if the period is longer than 62 days or empty."""
        first = self.de or (today if self.ate is None else min(today, self.ate))
        last = self.ate or min(first + timedelta(days=DEFAULT_DAYS - 1), LATEST)
        if not timedelta(0) <= last - first < timedelta(days=LONGEST):
            text = f"`de` e `ate` devem formar um período de 1 a {LONGEST} dias"
            raise Unprocessable(faults=[Fault(loc=["query", "ate"], msg=text, type="value_error")])
        return first, last


class ExceptionsQuery(Model):
    """The query for exceptions: a range of days with inclusive bounds."""

    de: Annotated[Day | None, Field(description="Primeiro dia; hoje, se faltar.", examples=["2026-12-20"])] = None
    ate: Annotated[
        Day | None, Field(description="Último dia; sem ele, um ano depois do primeiro.", examples=["2027-01-02"])
    ] = None

    def to_period(self, today: date) -> tuple[date, date]:
        """Return the first and the last day. Raises Unprocessable if the period is longer than a year or empty."""
        first = self.de or today
        last = self.ate or min(first + _A_YEAR, LATEST)
        if not timedelta(0) <= last - first <= _A_YEAR:
            text = "`de` e `ate` devem formar um período de 1 dia a um ano"
            raise Unprocessable(faults=[Fault(loc=["query", "ate"], msg=text, type="value_error")])
        return first, last


class Week(msgspec.Struct, frozen=True):
    """A unit's weekly hours."""

    cnes: CnesText
    semana: Annotated[dict[str, list[Interval]], Meta(description="Aberturas por dia, de `1` (segunda) a `7`.")]
    abre_feriado: Annotated[bool, Meta(description="Se a unidade abre também em feriado.", examples=[False])]


class DayException(msgspec.Struct, frozen=True):
    """An exception: the opening periods of a unit on a single day."""

    cnes: CnesText
    data: Annotated[date, Meta(description="O dia.", examples=["2026-12-24"])]
    intervalos: Annotated[list[Interval], Meta(description="Aberturas do dia; vazio: fechada.")]
    motivo: Annotated[str, Meta(description="Motivo.", examples=["vacinação no sábado"])]


class DayExceptions(msgspec.Struct, frozen=True):
    """The exceptions to a unit's weekly hours."""

    itens: Annotated[list[DayException], Meta(description="Por data.")]


class OpenDay(msgspec.Struct, frozen=True):
    """The opening periods of a day after holidays and exceptions are applied."""

    data: Annotated[date, Meta(description="O dia.", examples=["2026-12-24"])]
    intervalos: Annotated[list[Interval], Meta(description="Aberturas do dia, em ordem; vazio: fechada.")]
    motivo: Annotated[
        str | None,
        Meta(
            description="Motivo da exceção, ou o feriado que fecha a unidade; nulo num dia comum.", examples=["Natal"]
        ),
    ]


class Days(msgspec.Struct, frozen=True):
    """A unit's opening periods, day by day."""

    cnes: CnesText
    dias: Annotated[list[OpenDay], Meta(description="Cada dia do período, em ordem.")]
