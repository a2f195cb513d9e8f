"""The hash chain over the audit events. The worker adds committed events to it, and an operator can verify it."""

from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from typing import Any, Literal, NamedTuple

import msgspec

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.jobs.worker import JobKind

BATCH = 1_000
# The hash that precedes the first event.
START = bytes(32)


class _End(NamedTuple):
    """The last link of the chain, and the number of the first retained event."""

    seq: int
    hash: bytes
    kept_from: int


class _Link(NamedTuple):
    """An event in the chain. If its month was dropped, only its hash is left."""

    seq: int
    prev_hash: bytes | None
    hash: bytes
    genuine: bool | None


@statement("SELECT platform.chain_audit(:most)")
async def _chain_events(connection: Connection, most: int) -> int: ...


@statement("SELECT count(*) FROM platform.audit_event WHERE seq IS NULL")
async def _count_waiting(connection: Connection) -> int: ...


@statement("SELECT seq, hash, kept_from FROM platform.audit_chain")
async def _read_end(connection: Connection) -> _End: ...


@statement("""
SELECT seq, prev_hash, hash, genuine FROM (
    (SELECT seq, prev_hash, hash, hash = platform.audit_hash(event) AS genuine
     FROM platform.audit_event AS event WHERE seq > :after ORDER BY seq LIMIT :most)
    UNION ALL
    (SELECT seq, NULL, hash, NULL FROM platform.audit_dropped WHERE seq > :after ORDER BY seq LIMIT :most)
) AS link
ORDER BY seq LIMIT :most
""")
async def _list_links(connection: Connection, after: int, most: int) -> list[_Link]: ...


@statement("SELECT key_number FROM platform.audit_event ORDER BY at, id LIMIT 1")
async def find_oldest_key(connection: Connection) -> int | None:
    """Return the number of the key that pseudonymises people in the oldest retained event, or None without events."""


class Break(msgspec.Struct, frozen=True):
    """A break in the chain.

    `why` is the reason: the event is missing, was changed, does not follow its predecessor (`order`), or differs from
    the known hash; or the chain ends too early.
    """

    seq: int
    why: Literal["missing", "changed", "order", "known", "end"]


class Verdict(msgspec.Struct, frozen=True):
    """The result of a verification.

    `hash` is the hash of the newest event in the chain. A copy of the hash in another place later proves that no event
    up to `last` was changed. `waiting` is the number of events that are not in the chain yet.
    """

    ok: bool
    first: int
    last: int
    hash: str
    waiting: int
    broken: Break | None


async def chain_events(platform: Platform) -> int:
    """Add the committed events to the chain, one transaction for each batch. Return the number of events."""
    chained = 0
    while True:
        async with platform.database.transaction() as connection:
            found = await _chain_events(connection, BATCH)
        chained += found
        if found < BATCH:
            return chained


async def run_chain(platform: Platform, _: Mapping[str, Any]) -> None:
    """Run the job that adds the committed events to the chain."""
    await chain_events(platform)


JOBS = [JobKind("platform.chain_audit", run_chain, first_delay=timedelta(seconds=10), cron="* * * * *")]


async def verify_chain(connection: Connection, known: tuple[int, str] | None = None) -> Verdict:
    """Verify the chain in the caller's snapshot. `known` is an event's number and hash from an earlier verdict."""
    end = await _read_end(connection)
    waiting = await _count_waiting(connection)
    seq, digest = end.kept_from - 1, START if end.kept_from == 1 else None
    broken = None
    async for link in _iterate_links(connection):
        broken = _find_break(link, seq, digest, known)
        if broken is not None:
            break
        seq, digest = link.seq, link.hash
    if broken is None and (seq != end.seq or digest not in (None, end.hash) or (known and known[0] > seq)):
        broken = Break(seq + 1, "end")
    return Verdict(broken is None, end.kept_from, end.seq, end.hash.hex(), waiting, broken)


async def _iterate_links(connection: Connection) -> AsyncIterator[_Link]:
    seq = 0
    while found := await _list_links(connection, seq, BATCH):
        for link in found:
            yield link
        seq = found[-1].seq


def _find_break(link: _Link, seq: int, digest: bytes | None, known: tuple[int, str] | None) -> Break | None:
    """Return the break at a link, or None.

    `seq` and `digest` belong to the previous link. The digest is None if that link was dropped with its month.
    """
    if link.seq != seq + 1:
        return Break(seq + 1, "missing")
    if link.genuine is False:
        return Break(link.seq, "changed")
    if link.prev_hash is not None and digest not in (None, link.prev_hash):
        return Break(link.seq, "order")
    if known is not None and known[0] == link.seq and known[1] != link.hash.hex():
        return Break(link.seq, "known")
    return None
