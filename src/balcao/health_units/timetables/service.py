"""Reads and changes the timetables of units: their weekly hours and exceptions."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import NotFound
from balcao.core.values.clock import utc_now
from balcao.core.values.cnes import Cnes
from balcao.core.values.etags import require_state
from balcao.health_units.feed import service as feed
from balcao.health_units.opening import Interval, Timetable
from balcao.health_units.timetables import store
from balcao.health_units.timetables.schemas import (
    DayException,
    DayExceptions,
    Days,
    DaysQuery,
    ExceptionBody,
    ExceptionsQuery,
    IntervalBody,
    OpenDay,
    PreviewBody,
    Week,
    WeekBody,
    Weekday,
    to_intervals,
)
from balcao.health_units.timetables.store import DayOpenings, Openings
from balcao.health_units.units import service as units


async def put_week(call: Call, cnes: Cnes, body: WeekBody) -> Week:
    """Replace a unit's weekly hours.

    Raises Forbidden if the caller's right does not cover the unit, NotFound if the unit does not exist, and
    PreconditionFailed if `If-Match` does not match.
    """
    week = Week(cnes.digits, _fill_week(body.semana), body.abre_feriado)
    async with call.platform.database.transaction() as connection:
        await _lock(call, connection, cnes)
        if call.if_match is not None:
            require_state(call.if_match, await store.select_week(connection, cnes))
        await store.upsert_week(connection, week)
        await call.platform.audit.record(connection, call, "update", fields=["abre_feriado", "semana"])
        await feed.publish_unit(connection, cnes)
    return week


async def import_weeks(connection: Connection, bodies: Mapping[Cnes, WeekBody]) -> set[Cnes]:
    """Write the imported weekly hours that differ from the stored hours. Return the units whose hours were written."""
    weeks = [Week(cnes.digits, _fill_week(body.semana), body.abre_feriado) for cnes, body in bodies.items()]
    return await store.put_changed_weeks(connection, weeks)


def _fill_week(semana: Mapping[Weekday, Sequence[IntervalBody]]) -> dict[str, list[Interval]]:
    """Return the opening periods of all seven days, in chronological order. Missing days are closed."""
    given = {str(day): bodies for day, bodies in semana.items()}
    return {day: to_intervals(given.get(day, [])) for day in "1234567"}


async def list_codes_with_timetable(call: Call) -> set[str]:
    """Return the codes (CNES) of the units that have a timetable."""
    async with call.platform.database.connection() as connection:
        return await store.list_units_with_week(connection)


async def put_exception(call: Call, cnes: Cnes, day: date, body: ExceptionBody) -> DayException:
    """Create or replace the exception on a day.

    Raises Forbidden if the caller's right does not cover the unit, NotFound if the unit does not exist, and
    PreconditionFailed if `If-Match` does not match.
    """
    exception = DayException(cnes.digits, day, to_intervals(body.intervalos), body.motivo)
    async with call.platform.database.transaction() as connection:
        await _lock(call, connection, cnes)
        if call.if_match is not None:
            require_state(call.if_match, await store.select_exception(connection, cnes, day))
        await store.upsert_exception(connection, exception)
        await call.platform.audit.record(connection, call, "update", fields=["intervalos", "motivo"])
        await feed.publish_unit(connection, cnes)
    return exception


async def delete_exception(call: Call, cnes: Cnes, day: date) -> None:
    """Delete the exception on a day, so that the weekly hours apply again.

    Raises Forbidden if the caller's right does not cover the unit, NotFound if the unit does not exist or has no
    exception on this day, and PreconditionFailed if `If-Match` does not match.
    """
    async with call.platform.database.transaction() as connection:
        await _lock(call, connection, cnes)
        present = await store.select_exception(connection, cnes, day)
        if present is None:
            raise _make_unknown_exception()
        require_state(call.if_match, present)
        await store.delete_exception(connection, cnes, day)
        await call.platform.audit.record(connection, call, "delete", fields=["intervalos", "motivo"])
        await feed.publish_unit(connection, cnes)


async def _lock(call: Call, connection: Connection, cnes: Cnes) -> None:
    """Lock the unit, so that no other transaction changes its timetable.

    Raises Forbidden if the caller's right does not cover the unit, and NotFound if it does not exist.
    """
    await units.require_right_to_unit(call, connection, cnes)
    await units.lock_unit(connection, cnes)


async def read_week(call: Call, cnes: Cnes) -> Week:
    """Return a unit's weekly hours. Raises NotFound if the unit does not exist or has no timetable."""
    found = await store.select_week(call.platform.database, cnes)
    if found is None:
        await _require_unit(call, cnes)
        raise NotFound("A unidade não tem horário cadastrado.", code="timetable-not-found")
    return found


async def list_exceptions(call: Call, cnes: Cnes, query: ExceptionsQuery) -> DayExceptions:
    """Return a unit's exceptions, sorted by date.

    Raises Unprocessable for an invalid period, and NotFound if the unit does not exist.
    """
    first, last = query.to_period(utc_now().astimezone(call.zone).date())
    async with call.platform.database.connection() as connection:
        found = await store.select_exceptions(connection, cnes, first, last)
    if not found:
        await _require_unit(call, cnes)
    return DayExceptions(found)


async def read_exception(call: Call, cnes: Cnes, day: date) -> DayException:
    """Return the exception on a day. Raises NotFound if the unit does not exist or has no exception on this day."""
    found = await store.select_exception(call.platform.database, cnes, day)
    if found is None:
        await _require_unit(call, cnes)
        raise _make_unknown_exception()
    return found


async def _require_unit(call: Call, cnes: Cnes) -> None:
    async with call.platform.database.connection() as connection:
        if not await units.is_unit_known(connection, cnes):
            raise units.make_unknown_unit()


def _make_unknown_exception() -> NotFound:
    return NotFound("A unidade não tem exceção nesta data.", code="exception-not-found")


async def list_opening_days(call: Call, cnes: Cnes, query: DaysQuery) -> Days:
    """Return the opening periods of each day, after holidays and exceptions are applied.

    Raises Unprocessable for an invalid period, and NotFound if the unit does not exist.
    """
    return _show_days(cnes, *await _read_openings(call, cnes, query))


async def preview_days(call: Call, cnes: Cnes, query: DaysQuery, body: PreviewBody) -> Days:
    """Return what `list_opening_days` would return if the body were written, without writing it.

    Raises Forbidden if the caller's right does not cover the unit, and the same errors as `list_opening_days`.
    """
    async with call.platform.database.connection() as connection:
        await units.require_right_to_unit(call, connection, cnes)
    first, last, found = await _read_openings(call, cnes, query)
    exceptions = dict(found.exceptions)
    for proposed in body.excecoes:
        exceptions.pop(proposed.data, None)
        if proposed.intervalos is not None:
            exceptions[proposed.data] = DayOpenings(to_intervals(proposed.intervalos), proposed.motivo)
    week = found.week
    if body.semana is not None:
        week = {int(day): intervals for day, intervals in _fill_week(body.semana).items()}
    on_holidays = found.opens_on_holidays if body.abre_feriado is None else body.abre_feriado
    return _show_days(cnes, first, last, Openings(week, on_holidays, exceptions, found.holidays))


async def _read_openings(call: Call, cnes: Cnes, query: DaysQuery) -> tuple[date, date, Openings]:
    """Return the first day, the last day, and the data from which the opening periods are computed."""
    first, last = query.to_period(utc_now().astimezone(call.zone).date())
    found = await store.read_openings(call.platform.database, cnes, first, last)
    if found is None:
        raise units.make_unknown_unit()
    return first, last, found


def _show_days(cnes: Cnes, first: date, last: date, found: Openings) -> Days:
    days = [first + timedelta(days=after) for after in range((last - first).days + 1)]
    return Days(cnes.digits, [_show_day(day, found) for day in days])


def _show_day(day: date, found: Openings) -> OpenDay:
    exceptions = {day: exception.intervalos for day, exception in found.exceptions.items()}
    timetable = Timetable(found.week or {}, found.opens_on_holidays, exceptions)
    if day in found.exceptions:
        reason = found.exceptions[day].motivo
    else:
        reason = None if found.opens_on_holidays else found.holidays.get(day)
    return OpenDay(day, sorted(timetable.list_intervals(day, found.holidays)), reason)
