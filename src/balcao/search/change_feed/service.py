"""The change feed, which lets other systems maintain a copy of the catalogue (rules: search 2.5)."""

from collections.abc import Mapping

from balcao.core.context.call import Call
from balcao.core.errors import Invalid
from balcao.core.values.cursors import decode_cursor, encode_cursor
from balcao.core.values.numbers import parse_whole_number
from balcao.search.change_feed import store
from balcao.search.change_feed.schemas import DEFAULT_CHANGES, MOST_CHANGES, Feed, FeedEntry
from balcao.search.collection.store import read_alias
from balcao.search.conventions import read_parameter

_LIST = "search.change_feed"


async def list_changes(call: Call, query: Mapping[str, str]) -> Feed:
    """Return the changes after a cursor. Without a cursor, start with the first change of the catalogue.

    Raises Invalid for a bad limit and for a cursor that this catalogue did not issue.
    """
    limit = parse_whole_number("limit", read_parameter(query, "limit"), 1, MOST_CHANGES, default=DEFAULT_CHANGES)
    position = _parse_cursor(read_parameter(query, "after"))
    async with call.platform.database.connection() as connection:
        alias = await read_alias(connection)
        newest, entries = await store.read_after(connection, alias, position, limit)
    if position > newest:  # issued before the database was restored from a backup
        raise _refuse_cursor()
    last = entries[-1].position if entries else position
    return Feed([_to_entry(entry) for entry in entries], encode_cursor(_LIST, last), has_more=last < newest)


def _parse_cursor(text: str | None) -> int:
    try:
        return 0 if text is None else decode_cursor(_LIST, text)
    except ValueError:
        raise _refuse_cursor() from None


def _refuse_cursor() -> Invalid:
    return Invalid("O parâmetro `after` não é uma marca deste catálogo: comece de novo, sem ele.", code="after-invalid")


def _to_entry(entry: store.StoredEntry) -> FeedEntry:
    return FeedEntry(
        entry.service_id, "removed" if entry.service is None else "published", entry.changed_at, entry.service
    )
