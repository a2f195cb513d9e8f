"""The chain over the audit events: made by the worker after their commit, followed from end to end by an operator."""

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
    """`why`: the event is missing, was changed, does not follow, is not the one known; or the chain ends too soon."""

    seq: int
    why: Literal["missing", "changed", "order", "known", "end"]


class Verdict(msgspec.Struct, frozen=True):
    """`hash` is that of the last event: kept elsewhere, it proves later that nothing up to `last` was touched.

    `waiting` counts events that are not chained yet.
    """

    ok: bool
    first: int
    last: int
    hash: str
    waiting: int
    broken: Break | None


async def chain(platform: Platform) -> int:
    """Chains what has been committed, a batch a transaction. Answers how many events it were."""
    chained = 0
    while True:
        async with platform.database.transaction() as connection:
            found: int = await connection.fetchval(_CHAIN, BATCH)
        chained += found
        if found < BATCH:
            return chained


async def _chain(platform: Platform, _: Mapping[str, Any]) -> None:
    await chain(platform)


JOBS = [JobKind("platform.chain_audit", _chain, first_delay=timedelta(seconds=10), cron="* * * * *")]


async def verify(connection: Connection, known: tuple[int, str] | None = None) -> Verdict:
    """Follows the chain in one snapshot; `known` is a number and its hash as an earlier verdict told them."""
    end = await connection.fetchrow(_END)
    assert end is not None  # the migration wrote the one row
    waiting = await connection.fetchval(_COUNT_WAITING)
    seq, digest = end["kept_from"] - 1, START if end["kept_from"] == 1 else None
    broken = None
    async for link in _links(connection):
        broken = _fault(link, seq, digest, known)
        if broken is not None:
            break
        seq, digest = link["seq"], link["hash"]
    if broken is None and (seq != end["seq"] or digest not in (None, end["hash"]) or (known and known[0] > seq)):
        broken = Break(seq + 1, "end")
    return Verdict(broken is None, end["kept_from"], end["seq"], end["hash"].hex(), waiting, broken)


async def _links(connection: Connection) -> AsyncIterator[Row]:
    seq = 0
    while found := await connection.fetch(_LINKS, seq, BATCH):
        for link in found:
            yield link
        seq = found[-1]["seq"]


def _fault(link: Row, seq: int, digest: bytes | None, known: tuple[int, str] | None) -> Break | None:
    """`seq` and `digest` are those of the link before; None where that one was dropped with its month."""
    if link["seq"] != seq + 1:
        return Break(seq + 1, "missing")
    if link["genuine"] is False:
        return Break(link["seq"], "changed")
    if link["prev_hash"] is not None and digest not in (None, link["prev_hash"]):
        return Break(link["seq"], "order")
    if known is not None and known[0] == link["seq"] and known[1] != link["hash"].hex():
        return Break(link["seq"], "known")
    return None
