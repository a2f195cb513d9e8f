"""Read the cases that have changed in the CRM once a minute (rules: registry 4.20)."""

from datetime import datetime, timedelta

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import Retry
from balcao.core.logs import log
from balcao.crm import cases
from balcao.crm.cases import Case
from balcao.crm.circuit import State as Circuit
from balcao.crm.client import CrmClient
from balcao.crm.deadline import Deadline
from balcao.crm.failures import CrmAway, CrmRefused
from balcao.crm.queries import make_misdirected
from balcao.registry.crm import iso_time
from balcao.registry.requests.lifecycle import numbers, store
from balcao.registry.requests.lifecycle.delivery import apply_case
from balcao.registry.requests.lifecycle.store import Position

POLL_SECONDS = 20.0  # shorter than the queue's lease, as for the push
MOST_PAGES = 20  # the next poll continues where this one stops
# The CRM stores whole seconds, and a change may become visible this late. So a poll that follows a complete one starts
# this far before the last case, and an incomplete poll does not store a more recent position. Reading a case twice
# changes nothing.
OVERLAP = timedelta(seconds=60)


async def poll_cases(platform: Platform) -> None:
    """Apply the changes since the last poll. Raises Retry if the CRM rejects the query.

    If the CRM is down, do nothing: the next poll starts within a minute, and a job that failed would only be left to
    an operator. The steps of a page and the new position are committed together.
    """
    if not platform.settings.crm_configured or platform.part(CrmClient).circuit.state is Circuit.OPEN:
        return
    async with platform.database.connection() as connection:
        place, settled = await store.read_poll(connection), await store.read_clock(connection) - OVERLAP
    if not place.after_id:
        place = Position(place.moment - OVERLAP, "")
    for _ in range(MOST_PAGES):
        try:
            found = await _read_page(platform, place)
        except CrmAway:
            return
        place = _find_following(place, found)
        is_last = len(found) < cases.PAGE
        await _apply_page(platform, found, Position(place.moment, "") if is_last else place, settled)
        if is_last:
            return


async def _read_page(platform: Platform, place: Position) -> list[Case]:
    crm, deadline = platform.part(CrmClient), Deadline.within(POLL_SECONDS)
    try:
        return await cases.find_changed_cases(crm, place.moment, place.after_id, deadline)
    except CrmRefused as refusal:
        raise Retry(refusal.error_code) from None


def _find_following(place: Position, found: list[Case]) -> Position:
    """Return the position after these cases.

    Raises Retry if the last case has no valid time or does not follow the position. Otherwise the poll would never end.
    """
    if not found:
        return place
    last = iso_time.parse_iso_time(found[-1].changed)
    if last is None or last < place.moment or (last == place.moment and found[-1].id == place.after_id):
        raise Retry(CrmAway().error_code)
    return Position(last, found[-1].id)


async def _apply_page(platform: Platform, found: list[Case], place: Position, settled: datetime) -> None:
    changed = 0
    # Lock the requests in the order of their numbers, so that two polls never wait for each other.
    ordered = sorted(found, key=lambda case: case.number)
    async with platform.database.transaction() as connection:
        known = await store.lock_poll(connection)
        for case in ordered:
            number = numbers.parse_number(case.number)
            row = None if number is None else await store.lock_request(connection, number)
            if row is None:
                make_misdirected()
            else:
                changed += await apply_case(connection, row, case)
        # The last page never moves the position back. An earlier page may: the poll starts before the position.
        may_move = place.moment <= settled if place.after_id else place.moment >= known.moment
        if may_move:
            await store.move_poll(connection, place)
    if changed:
        log.info("crm_requests.changed", requests=changed)
