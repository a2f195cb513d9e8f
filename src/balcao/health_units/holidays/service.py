"""Reads and changes holidays. National holidays are added a year ahead, and the city adds its own."""

from datetime import date

from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import NotFound
from balcao.core.values.clock import utc_now
from balcao.core.values.etags import require_state
from balcao.health_units.feed import service as feed
from balcao.health_units.holidays import store
from balcao.health_units.holidays.calendar import list_national_holidays as list_national
from balcao.health_units.holidays.schemas import Holiday, HolidayBody
from balcao.health_units.units import service as units


async def read_holiday(call: Call, day: date) -> Holiday:
    """Return the holiday on a date. Raises NotFound if the date has no holiday."""
    found = await store.select_holiday(call.reader, day)
    if found is None:
        raise _make_unknown()
    return found


async def put_holiday(call: Call, day: date, body: HolidayBody) -> Holiday:
    """Create or replace the holiday on a date.

    Raises Forbidden if the caller's right is limited to areas, because a holiday applies to the whole city. Raises
    PreconditionFailed if `If-Match` does not match.
    """
    units.require_right_to_area(call, None)
    holiday = Holiday(day, body.nome, body.ambito, body.facultativo, body.fecha)
    async with call.platform.database.transaction() as connection:
        if call.if_match is not None:
            require_state(call.if_match, await store.lock_holiday(connection, day))
        await store.upsert_holiday(connection, holiday)
        await call.platform.audit.record(connection, call, "update", fields=sorted(body.model_fields_set))
        await feed.announce_changes(connection)
    return holiday


async def delete_holiday(call: Call, day: date) -> None:
    """Delete the holiday on a date.

    Raises NotFound if the date has no holiday, and the same errors as `put_holiday`.
    """
    units.require_right_to_area(call, None)
    async with call.platform.database.transaction() as connection:
        present = await store.lock_holiday(connection, day)
        if present is None:
            raise _make_unknown()
        require_state(call.if_match, present)
        await store.delete_holiday(connection, day)
        await call.platform.audit.record(connection, call, "delete")
        await feed.announce_changes(connection)


async def seed_holidays(connection: Connection) -> None:
    """Add the national holidays of this year and the next, unless they were added before."""
    this_year = utc_now().year
    for year in await store.find_missing_years(connection, [this_year, this_year + 1]):
        await store.add_year(connection, year, list_national(year))


async def add_next_year(platform: Platform) -> None:
    """Add the missing national holidays, and make every process reload the holidays."""
    async with platform.database.transaction() as connection:
        await seed_holidays(connection)
        await feed.announce_changes(connection)


def _make_unknown() -> NotFound:
    return NotFound("Não há feriado nesta data.", code="holiday-not-found")
