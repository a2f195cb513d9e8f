"""SQL for the preference ledger. Entries are appended and not changed. The retention deletes only whole old chains."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Self

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Row, Source
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.registry.consent.ledger.chain import BEGINNING, Link
from balcao.registry.consent.ledger.schemas import LedgerEntry

_MEMBERS = ", ".join(f"{name}::text" if name == "id" else name for name in LedgerEntry.__struct_fields__)
_FETCHED_AT_ONCE = 1000


@dataclass(frozen=True)
class LedgerHead:
    """The end of a citizen's chain. `moment` is the time to use for the next entry.

    It is later than every existing entry.
    """

    seq: int
    hash: bytes
    moment: datetime

    @classmethod
    def from_row(cls, row: Row) -> Self:
        return cls(row["seq"], row["hash"] or BEGINNING, row["moment"])


@statement("""
SELECT coalesce(last.seq, 0) AS seq, last.hash,
       greatest(clock_timestamp(), last.timestamp + interval '1 microsecond') AS moment
FROM (VALUES (true)) AS always
LEFT JOIN LATERAL (
    SELECT seq, hash, timestamp FROM registry.preference_ledger WHERE cpf = :cpf ORDER BY seq DESC LIMIT 1
) AS last ON true
""")
async def read_ledger_head(connection: Connection, cpf: Cpf) -> LedgerHead:
    """Return the end of the citizen's ledger.

    Read the preferences only after this call, so that they are at least as recent as the ledger's end.
    """


@lookup("SELECT count(*) FROM registry.preference_ledger WHERE cpf = :cpf")
async def count_ledger_entries(source: Source, cpf: Cpf) -> int: ...


@lookup(f"""
SELECT {_MEMBERS} FROM registry.preference_ledger WHERE cpf = :cpf ORDER BY seq DESC LIMIT :limit OFFSET :offset
""")
async def list_ledger_entries(source: Source, cpf: Cpf, page: Page | None = None) -> list[LedgerEntry]:
    """Return one page of entries, newest first. Return all entries if `page` is None."""


@statement(f"""
SELECT {_MEMBERS}, seq, prev_hash, hash FROM registry.preference_ledger
WHERE :cpf::text IS NULL OR cpf = :cpf
ORDER BY cpf, seq
""")
async def _list_links(connection: Connection, cpf: Cpf | None) -> list[Link]: ...


async def iterate_chains(connection: Connection, cpf: Cpf | None) -> AsyncIterator[list[Link]]:
    """Yield the chain of one citizen, or of every citizen if `cpf` is None. The links are sorted by `seq`.

    The rows are read through a cursor, so the caller must be in a transaction.
    """
    chain: list[Link] = []
    values = _list_links.bind([cpf], {})
    async for row in connection.cursor(_list_links.sql, *values, prefetch=_FETCHED_AT_ONCE):
        link = Link.from_row(row)
        if chain and chain[-1].entry.cpf != link.entry.cpf:
            yield chain
            chain = []
        chain.append(link)
    if chain:
        yield chain


class LedgerPlace(NamedTuple):
    """Identifies a ledger entry: the citizen, its number in the chain, and its id."""

    cpf: str
    seq: int
    id: str


# The newest entry of each flag must equal the stored flag. Only this comparison reveals that entries were removed from
# the end of a chain.
@statement("""
WITH newest AS (
    SELECT DISTINCT ON (cpf, category) cpf, category, seq, id, new_value
    FROM registry.preference_ledger
    WHERE :cpf::text IS NULL OR cpf = :cpf
    ORDER BY cpf, category, seq DESC
)
SELECT newest.cpf, newest.seq, newest.id::text
FROM newest
LEFT JOIN registry.preferences AS flag ON newest.category IS NULL AND flag.cpf = newest.cpf
LEFT JOIN registry.preference_choice AS choice ON choice.cpf = newest.cpf AND choice.category_id = newest.category
WHERE newest.new_value IS DISTINCT FROM CASE WHEN newest.category IS NULL THEN flag.opt_in ELSE choice.opt_in END
ORDER BY newest.cpf, newest.seq
""")
async def find_contradicted_entries(connection: Connection, cpf: Cpf | None) -> list[LedgerPlace]:
    """Return the newest entry of each flag if it differs from the stored preference."""


@statement("SELECT count(*) FROM registry.preference_ledger")
async def count_all_ledger_entries(connection: Connection) -> int: ...


# Delete only whole chains, so that every remaining chain can still be verified from its first entry.
@statement("""
DELETE FROM registry.preference_ledger WHERE cpf IN (
    SELECT cpf FROM registry.preference_ledger GROUP BY cpf HAVING max(timestamp) <= now() - :age::text::interval)
""")
async def delete_old_chains(connection: Connection, age: str) -> int:
    """Delete the chains whose newest entry is at least `age` old. Return the number of deleted entries.

    Only the table's owner may do this.
    """


OFFERED = (read_ledger_head,)
