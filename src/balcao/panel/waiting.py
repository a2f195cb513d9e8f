"""Items in all areas that await the person's action. The first page lists them, and the navigation counts them.

The session stores the counts, so that most pages do not call the services for them:

- The first page reads all counts.
- A POST reads the counts of its area again.
- If the counts are stale, a page reads them in the background, so that the next page shows new ones.

Counts are not shown if the person's rights have changed since the counts were read.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import NamedTuple

from balcao.core.errors import BalcaoError
from balcao.core.logs import log
from balcao.panel.declaration import Area, Item, Waiting
from balcao.panel.visit import Visit
from balcao.web.api import Block, gather_blocks
from balcao.web.sessions.session import Counts, SessionOver

# Counts older than FRESH are read again. Counts older than LONGEST_SHOWN are hidden until then.
FRESH = timedelta(minutes=2)
LONGEST_SHOWN = timedelta(minutes=10)


class Found(NamedTuple):
    """The waiting items from one part of an area, or the error if they could not be read."""

    area: Area
    part: Waiting
    block: Block[Sequence[Item]]


async def read_waiting(visit: Visit) -> list[Found]:
    """Read all items that wait for the person.

    Also store their counts for this page's navigation and for later pages.
    """
    found = await _read(visit, _list_parts(visit, visit.panel.areas))
    if found:
        await _store_all(visit, found)
    return found


def show_stored_counts(visit: Visit) -> None:
    """Show the stored counts in the page's navigation, unless they are too old."""
    age = visit.session.stored.counted_ago
    if (counts := _find_own(visit)) is not None and age is not None and age < LONGEST_SHOWN:
        visit.counts = counts.numbers


def refresh_counts(visit: Visit) -> None:
    """Start reading stale counts in the background, without delaying the page."""
    age = visit.session.stored.counted_ago
    if (age is None or age > FRESH or _find_own(visit) is None) and _list_counted(visit, visit.panel.areas):
        visit.panel.background.start(_count_behind(visit))


async def recount_area(visit: Visit) -> None:
    """Count the area's waiting items again after a POST."""
    parts = _list_counted(visit, [visit.area])
    if not parts or (former := _find_own(visit)) is None:
        return
    try:
        others = former.numbers.keys() - {part.page for _, part in parts}
        numbers = {page: former.numbers[page] for page in others} | _count(await _read(visit, parts))
        await visit.panel.sessions.store_counts(visit.session, Counts(former.rights, numbers))
    except (SessionOver, BalcaoError) as fault:  # the POST itself has already succeeded
        log.warning("panel.not_counted", code=type(fault).__name__)


async def _count_behind(visit: Visit) -> None:
    try:
        if await visit.panel.sessions.claim_counting(visit.session):
            await _store_all(visit, await _read(visit, _list_counted(visit, visit.panel.areas)))
    except (SessionOver, BalcaoError) as fault:  # a later page tries again
        log.warning("panel.not_counted", code=type(fault).__name__)


async def _store_all(visit: Visit, found: Sequence[Found]) -> None:
    visit.counts = _count(found)
    await visit.panel.sessions.store_counts(visit.session, Counts(visit.rights.digest, visit.counts), is_all=True)


async def _read(visit: Visit, parts: Sequence[tuple[Area, Waiting]]) -> list[Found]:
    blocks = await gather_blocks(*(part.find(visit) for _, part in parts))
    return [Found(area, part, block) for (area, part), block in zip(parts, blocks, strict=True)]


def _list_parts(visit: Visit, areas: Iterable[Area]) -> list[tuple[Area, Waiting]]:
    return [(area, part) for area in areas for part in area.waiting if visit.may(*part.actions)]


def _list_counted(visit: Visit, areas: Iterable[Area]) -> list[tuple[Area, Waiting]]:
    return [(area, part) for area, part in _list_parts(visit, areas) if part.page]


def _count(found: Iterable[Found]) -> dict[str, int]:
    """Return the number of items by navigation entry. Omit entries whose items could not be read."""
    return {
        one.part.page: sum(item.number for item in one.block.value)
        for one in found
        if one.part.page and one.block.value is not None
    }


def _find_own(visit: Visit) -> Counts | None:
    """Return the stored counts, or None if they were read when the person had different rights."""
    counts = visit.panel.sessions.open_counts(visit.session)
    return counts if counts is not None and counts.rights == visit.rights.digest else None
