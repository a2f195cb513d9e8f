"""SQL of the ledger of preferences, which only ever grows."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime

from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import fetch_count
from balcao.core.values.cpf import Cpf
from balcao.registry.consent.ledger.chain import BEGINNING, Link
from balcao.registry.consent.ledger.schemas import LedgerEntry

_MEMBERS = ", ".join(f"{name}::text" if name == "id" else name for name in LedgerEntry.__struct_fields__)
_FETCHED_AT_ONCE = 1000


@dataclass(frozen=True)
class Head:
    """The end of a citizen's chain, and the moment for what comes behind it: later than all that it holds."""

    seq: int
    hash: bytes
    moment: datetime


_HEAD = """
SELECT coalesce(last.seq, 0) AS seq, last.hash,
       greatest(clock_timestamp(), last.timestamp + interval '1 microsecond') AS moment
FROM (VALUES (true)) AS always
LEFT JOIN LATERAL (
    SELECT seq, hash, timestamp FROM registry.preference_ledger WHERE cpf = $1 ORDER BY seq DESC LIMIT 1
) AS last ON true
"""


async def read_head(connection: Connection, cpf: Cpf) -> Head:
    row = await connection.fetchrow(_HEAD, cpf.digits)
    assert row is not None  # the outer join always has one
    return Head(row["seq"], row["hash"] or BEGINNING, row["moment"])


_COUNT = "SELECT count(*) FROM registry.preference_ledger WHERE cpf = $1"
_PAGE = f"""
SELECT {_MEMBERS} FROM registry.preference_ledger WHERE cpf = $1 ORDER BY seq DESC LIMIT $2 OFFSET $3
"""


async def count(connection: Connection, cpf: Cpf) -> int:
    return await fetch_count(connection, _COUNT, cpf.digits)


async def list_page(connection: Connection, cpf: Cpf, limit: int | None, offset: int) -> list[LedgerEntry]:
    """Return entries, newest first; all of them without `limit`."""
    return [_entry(row) for row in await connection.fetch(_PAGE, cpf.digits, limit, offset)]


_LINKS = f"""
SELECT {_MEMBERS}, seq, prev_hash, hash FROM registry.preference_ledger
WHERE $1::text IS NULL OR cpf = $1
ORDER BY cpf, seq
"""


async def iterate_chains(connection: Connection, cpf: Cpf | None) -> AsyncIterator[list[Link]]:
    """Yield the links of each citizen, in their order; of all citizens when none is named.

    A cursor reads them, so it needs a transaction.
    """
    chain: list[Link] = []
    async for row in connection.cursor(_LINKS, cpf and cpf.digits, prefetch=_FETCHED_AT_ONCE):
        if chain and chain[-1].entry.cpf != row["cpf"]:
            yield chain
            chain = []
        chain.append(Link(row["seq"], _entry(row), row["prev_hash"], row["hash"]))
    if chain:
        yield chain


# The newest entry of each flag of a citizen says what is stored: an entry cut off at the end shows here alone.
_CONTRADICTED = """
WITH newest AS (
    SELECT DISTINCT ON (cpf, category) cpf, category, seq, id, new_value
    FROM registry.preference_ledger
    WHERE $1::text IS NULL OR cpf = $1
    ORDER BY cpf, category, seq DESC
)
SELECT newest.cpf, newest.seq, newest.id::text
FROM newest
LEFT JOIN registry.preferences AS flag ON newest.category IS NULL AND flag.cpf = newest.cpf
LEFT JOIN registry.preference_choice AS choice ON choice.cpf = newest.cpf AND choice.category_id = newest.category
WHERE newest.new_value IS DISTINCT FROM CASE WHEN newest.category IS NULL THEN flag.opt_in ELSE choice.opt_in END
ORDER BY newest.cpf, newest.seq
"""


async def find_contradicted(connection: Connection, cpf: Cpf | None) -> list[Row]:
    """Return the newest entries (`cpf`, `seq`, `id`) that the stored preferences contradict."""
    return list(await connection.fetch(_CONTRADICTED, cpf and cpf.digits))


_COUNT_ALL = "SELECT count(*) FROM registry.preference_ledger"
# A citizen's chain goes as a whole, so that what is left can be followed from its beginning.
_DELETE_OLD = """
DELETE FROM registry.preference_ledger WHERE cpf IN (
    SELECT cpf FROM registry.preference_ledger GROUP BY cpf HAVING max(timestamp) <= now() - $1::text::interval)
RETURNING true
"""


async def count_all(connection: Connection) -> int:
    return await fetch_count(connection, _COUNT_ALL)


async def delete_old(connection: Connection, age: str) -> int:
    """Delete chains whose newest entry is that old; return how many entries. By the owner of the table only."""
    return len(await connection.fetch(_DELETE_OLD, age))


def _entry(row: Row) -> LedgerEntry:
    return LedgerEntry(*(row[name] for name in LedgerEntry.__struct_fields__))
