"""Whether one unit is open now, for pages of other parts of the site."""

from typing import NamedTuple

from balcao.site.health import client
from balcao.site.health.views import UnitView, describe_unit, find_alternatives
from balcao.site.reading.reader import Reader
from balcao.web.words import Words


class UnitToday(NamedTuple):
    """A unit in words, and the nearest open units if it is closed."""

    view: UnitView
    alternatives: list[UnitView]


async def describe_today(reader: Reader, words: Words, cnes: str) -> UnitToday | None:
    """Describe the unit, or return None if the city has no active unit with this CNES.

    The list of all units is cached, so the page of one more person usually causes no call.
    """
    board = await client.read_board(reader)
    unit = next((one for one in board.units if one.cnes == cnes), None)
    if unit is None:
        return None
    view = describe_unit(unit, words, is_current=board.is_current)
    return UnitToday(view, [] if view.is_attending else find_alternatives(board, unit, words, most=1))
