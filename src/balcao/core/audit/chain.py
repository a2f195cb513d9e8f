"""The hash chain over the audit events: the worker makes it after their commit, an operator verifies it."""

from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from typing import Any, Literal

import msgspec

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection, Row
from balcao.core.jobs.worker import JobKind

BATCH = 1_000
START = bytes(32)
_CHAIN = "SELECT platform.chain_audit($1)"
_OLDEST_KEY = "SELECT key_number FROM platform.audit_event ORDER BY at, id LIMIT 1"
_COUNT_WAITING = "SELECT count(*) FROM platform.audit_event WHERE seq IS NULL"
_END = "SELECT seq, hash, kept_from FROM platform.audit_chain"
# An event of a month that was dropped has only its hash left.
_LINKS = """
(SELECT seq, prev_hash, hash, hash = platform.audit_hash(event) AS genuine
 FROM platform.audit_event AS event WHERE seq > $1 ORDER BY seq LIMIT $2)
UNION ALL
(SELECT seq, NULL, hash, NULL FROM platform.audit_dropped WHERE seq > $1 ORDER BY seq LIMIT $2)
ORDER BY seq LIMIT $2
"""


class Break(msgspec.Struct, frozen=True):
    """Where the chain breaks.

    `why`: the event is missing, was changed, does not follow, is not the one known; or the chain ends too soon.
    """

    seq: int
    why: Literal["missing", "changed", "order", "known", "end"]


class Verdict(msgspec.Struct, frozen=True):
    """What a verification found.

    `hash` is that of the last event: noted elsewhere, it proves later that nothing up to `last` was touched.

    `waiting` counts events that are not chained yet.
    """

    ok: bool
    first: int
    last: int
    hash: str
    waiting: int
    broken: Break | None


async def chain(platform: Platform) -> int:
    """Chain what has been committed, a batch a transaction; return how many events it were."""
    chained = 0
    while True:
        async with platform.database.transaction() as connection:
            found: int = await connection.fetchval(_CHAIN, BATCH)
        chained += found
        if found < BATCH:
            return chained


async def run_chain(platform: Platform, _: Mapping[str, Any]) -> None:
    """Chain the audit events, as a job."""
    await chain(platform)


JOBS = [JobKind("platform.chain_audit", run_chain, first_delay=timedelta(seconds=10), cron="* * * * *")]


async def verify(connection: Connection, known: tuple[int, str] | None = None) -> Verdict:
    """Follow the chain in the caller's snapshot; `known` is a number and its hash out of an earlier verdict."""
    end = await connection.fetchrow(_END)
    assert end is not None  # the migration wrote the one row
    waiting = await connection.fetchval(_COUNT_WAITING)
    seq, digest = end["kept_from"] - 1, START if end["kept_from"] == 1 else None
    broken = None
    async for link in _iterate_links(connection):
        broken = _find_break(link, seq, digest, known)
        if broken is not None:
            break
        seq, digest = link["seq"], link["hash"]
    if broken is None and (seq != end["seq"] or digest not in (None, end["hash"]) or (known and known[0] > seq)):
        broken = Break(seq + 1, "end")
    return Verdict(broken is None, end["kept_from"], end["seq"], end["hash"].hex(), waiting, broken)


async def _iterate_links(connection: Connection) -> AsyncIterator[Row]:
    seq = 0
    while found := await connection.fetch(_LINKS, seq, BATCH):
        for link in found:
            yield link
        seq = found[-1]["seq"]


def _find_break(link: Row, seq: int, digest: bytes | None, known: tuple[int, str] | None) -> Break | None:
    """Return the break at a link, None without one.

    `seq` and `digest` are those of the link before; the digest is None where that one was dropped with its month.
    """
    if link["seq"] != seq + 1:
        return Break(seq + 1, "missing")
    if link["genuine"] is False:
        return Break(link["seq"], "changed")
    if link["prev_hash"] is not None and digest not in (None, link["prev_hash"]):
        return Break(link["seq"], "order")
    if known is not None and known[0] == link["seq"] and known[1] != link["hash"].hex():
        return Break(link["seq"], "known")
    return None


async def find_oldest_key(connection: Connection) -> int | None:
    """Return the number of the key by which people entered the oldest event that is kept, or None without any."""
    found: int | None = await connection.fetchval(_OLDEST_KEY)
    return found
