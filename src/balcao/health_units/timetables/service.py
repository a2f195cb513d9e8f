"""Writing when units open, and reading the days that come of it."""

from collections.abc import Mapping
from datetime import date, timedelta

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import NotFound
from balcao.core.values.clock import utc_now
from balcao.core.values.cnes import Cnes
from balcao.health_units.feed import service as feed
from balcao.health_units.opening import Interval, Timetable
from balcao.health_units.timetables import store
from balcao.health_units.timetables.schemas import (
    DayException,
    Days,
    DaysQuery,
    ExceptionBody,
    OpenDay,
    Week,
    WeekBody,
    to_intervals,
)
from balcao.health_units.timetables.store import Openings
from balcao.health_units.units import service as units


async def put_week(call: Call, cnes: Cnes, body: WeekBody) -> Week:
    """Replace a unit's week. Raises NotFound."""
    week = Week(cnes.digits, _fill_week(body), body.abre_feriado)
    async with call.platform.database.transaction() as connection:
        await units.require_right_to_unit(call, connection, cnes)
        if not await store.put_week(connection, week):
            raise units.make_unknown_unit()
        await call.platform.audit.record(connection, call, "update", fields=["abre_feriado", "semana"])
        await feed.publish_unit(connection, cnes)
    return week


async def import_weeks(connection: Connection, bodies: Mapping[Cnes, WeekBody]) -> set[Cnes]:
    """Write the weeks of imported units unless they are so already; return the units of those that were written."""
    weeks = [Week(cnes.digits, _fill_week(body), body.abre_feriado) for cnes, body in bodies.items()]
    return await store.put_changed_weeks(connection, weeks)


def _fill_week(body: WeekBody) -> dict[str, list[Interval]]:
    """Return the openings of every day, in their order."""
    given = {str(day): bodies for day, bodies in body.semana.items()}
    return {day: to_intervals(given.get(day, [])) for day in "1234567"}


async def list_codes_with_timetable(call: Call) -> set[str]:
    """Return the codes (CNES) of the units that have a timetable."""
    async with call.platform.database.connection() as connection:
        return await store.list_units_with_week(connection)


async def put_exception(call: Call, cnes: Cnes, day: date, body: ExceptionBody) -> DayException:
    """Create or replace the openings of one day. Raises NotFound."""
    exception = DayException(cnes.digits, day, to_intervals(body.intervalos), body.motivo)
    async with call.platform.database.transaction() as connection:
        await units.require_right_to_unit(call, connection, cnes)
        if not await store.put_exception(connection, exception):
            raise units.make_unknown_unit()
        await call.platform.audit.record(connection, call, "update", fields=["intervalos", "motivo"])
        await feed.publish_unit(connection, cnes)
    return exception


async def delete_exception(call: Call, cnes: Cnes, day: date) -> None:
    """Give a day back to the week. Raises NotFound."""
    async with call.platform.database.transaction() as connection:
        await units.require_right_to_unit(call, connection, cnes)
        if not await store.delete_exception(connection, cnes, day):
            if not await units.is_unit_known(connection, cnes):
                raise units.make_unknown_unit()
            raise NotFound("A unidade não tem exceção nesta data.", code="exception-not-found")
        await call.platform.audit.record(connection, call, "delete", fields=["intervalos", "motivo"])
        await feed.publish_unit(connection, cnes)


async def list_days(call: Call, cnes: Cnes, query: DaysQuery) -> Days:
    """Return the openings of each day, holidays and exceptions counted in. Raises Unprocessable and NotFound."""
    first, last = query.to_period(utc_now().astimezone(call.zone).date())
    found = await store.read_openings(call.platform.database, cnes, first, last)
    if found is None:
        raise units.make_unknown_unit()
    days = [first + timedelta(days=after) for after in range((last - first).days + 1)]
    return Days(cnes.digits, [_show_day(day, found) for day in days])


def _show_day(day: date, found: Openings) -> OpenDay:
    exceptions = {day: exception.intervalos for day, exception in found.exceptions.items()}
    timetable = Timetable(found.week or {}, found.opens_on_holidays, exceptions)
    reason = found.exceptions[day].motivo if day in found.exceptions else None
    if reason is None and not found.opens_on_holidays:
        reason = found.holidays.get(day)
    return OpenDay(day, sorted(timetable.list_intervals(day, found.holidays)), reason)
