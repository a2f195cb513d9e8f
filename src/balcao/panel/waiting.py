"""What waits for a person, from every area: listed on the first page, counted beside the entries of the navigation.

The counts are remembered with the session, so that no page calls a service for them: the first page reads them all, a
deed those of its area, and when they are old they are read behind a page, for the next one. Who holds other rights
than when they were read is not shown them.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import NamedTuple

from balcao.core.errors import BalcaoError
from balcao.core.logs import log
from balcao.panel.declaration import Area, Item, Waiting
from balcao.panel.visit import Visit
from balcao.web.api import Block, gather_blocks
from balcao.web.sessions.service import Counts, SessionOver

# Older counts are read again; those that nobody has read for long are not shown meanwhile.
FRESH = timedelta(minutes=2)
LONGEST_SHOWN = timedelta(minutes=10)


class Found(NamedTuple):
    """What one part of an area says that waits, or why it could not be read."""

    area: Area
    part: Waiting
    block: Block[Sequence[Item]]


async def read_waiting(visit: Visit) -> list[Found]:
    """Read all that waits for the person, and count it for the navigation of this page and the next ones."""
    found = await _read(visit, _list_parts(visit, visit.panel.areas))
    if found:
        await _keep_all(visit, found)
    return found


def recall_counts(visit: Visit) -> None:
    """Show what is remembered, if it is still worth it, in the page's navigation."""
    age = visit.session.stored.counted_ago
    if (counts := _find_own(visit)) is not None and age is not None and age < LONGEST_SHOWN:
        visit.counts = counts.numbers


def refresh_counts(visit: Visit) -> None:
    """Have old counts read behind the page, so that it waits for nothing."""
    age = visit.session.stored.counted_ago
    if (age is None or age > FRESH or _find_own(visit) is None) and _list_counted(visit, visit.panel.areas):
        visit.panel.background.start(_count_behind(visit))


async def recount_area(visit: Visit) -> None:
    """Count anew what waits in the area of a deed."""
    parts = _list_counted(visit, [visit.area])
    if not parts or (former := _find_own(visit)) is None:
        return
    try:
        others = former.numbers.keys() - {part.page for _, part in parts}
        numbers = {page: former.numbers[page] for page in others} | _count(await _read(visit, parts))
        await visit.panel.sessions.keep_counts(visit.session, Counts(former.rights, numbers))
    except (SessionOver, BalcaoError) as fault:  # the deed is done all the same
        log.warning("panel.not_counted", code=type(fault).__name__)


async def _count_behind(visit: Visit) -> None:
    try:
        if await visit.panel.sessions.claim_counting(visit.session):
            await _keep_all(visit, await _read(visit, _list_counted(visit, visit.panel.areas)))
    except (SessionOver, BalcaoError) as fault:  # some later page has it tried again
        log.warning("panel.not_counted", code=type(fault).__name__)


async def _keep_all(visit: Visit, found: Sequence[Found]) -> None:
    visit.counts = _count(found)
    await visit.panel.sessions.keep_counts(visit.session, Counts(visit.rights.digest, visit.counts), is_all=True)


async def _read(visit: Visit, parts: Sequence[tuple[Area, Waiting]]) -> list[Found]:
    blocks = await gather_blocks(*(part.find(visit) for _, part in parts))
    return [Found(area, part, block) for (area, part), block in zip(parts, blocks, strict=True)]


def _list_parts(visit: Visit, areas: Iterable[Area]) -> list[tuple[Area, Waiting]]:
    return [(area, part) for area in areas for part in area.waiting if visit.may(*part.actions)]


def _list_counted(visit: Visit, areas: Iterable[Area]) -> list[tuple[Area, Waiting]]:
    return [(area, part) for area, part in _list_parts(visit, areas) if part.page]


def _count(found: Iterable[Found]) -> dict[str, int]:
    """Return how much waits at each entry of the navigation; one that could not be read has no number."""
    return {
        one.part.page: sum(item.number for item in one.block.value)
        for one in found
        if one.part.page and one.block.value is not None
    }


def _find_own(visit: Visit) -> Counts | None:
    """Return what is remembered, if it was read with the rights of now."""
    counts = visit.panel.sessions.open_counts(visit.session)
    return counts if counts is not None and counts.rights == visit.rights.digest else None
