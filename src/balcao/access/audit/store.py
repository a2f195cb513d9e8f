"""SQL of the catalogue's history."""

from collections.abc import Sequence
from typing import Any

import msgspec

from balcao.access.audit.schemas import AuditEvent, Verdict
from balcao.core.database.pool import Connection
from balcao.core.database.queries import fetch_page, page_sql

_DOCUMENTS = ("actor", "subject", "before", "after")
_WANTED = """
FROM access.audit_event
WHERE ($1::text IS NULL OR operation = $1)
  AND ($2::text IS NULL OR target_type = $2)
  AND ($3::text IS NULL OR target_id = $3)
  AND ($4::text IS NULL OR target_name = $4)
  AND ($5::text[] IS NULL OR actor ->> 'hash' = ANY ($5))
  AND ($6::text[] IS NULL OR subject ->> 'hash' = ANY ($6))
  AND ($7::text IS NULL OR outcome = $7)
  AND ($8::timestamptz IS NULL OR at >= $8)
  AND ($9::timestamptz IS NULL OR at < $9)
  AND ($10::bigint IS NULL OR catalogue_version >= $10)
  AND ($11::bigint IS NULL OR catalogue_version <= $11)
"""
_MEMBERS = ", ".join(AuditEvent.__struct_fields__)
_LIST = page_sql(
    f"SELECT {_MEMBERS} {_WANTED} ORDER BY id DESC LIMIT $12 OFFSET $13",
    f"SELECT count(*) {_WANTED}",
)


async def fetch_events(
    connection: Connection, wanted: Sequence[Any], limit: int, skip: int
) -> tuple[list[AuditEvent], int]:
    """Return the page's events, newest first, and how many there are; `wanted` in the order of the statement."""
    rows, total = await fetch_page(connection, _LIST, *wanted, limit, skip)
    return [AuditEvent(**(row | _decode_documents(row))) for row in rows], total


def _decode_documents(row: dict[str, Any]) -> dict[str, Any]:
    return {name: msgspec.json.decode(row[name]) if row[name] else None for name in _DOCUMENTS}


# The event before the part is read as its anchor. The first that is left after retention has none, and names the hash
# of one that went.
_VERIFY = """
WITH linked AS (
    SELECT seq, hash, prev_hash, access.chain_hash(event) AS computed,
           lag(hash) OVER (ORDER BY seq) AS hash_before, lag(seq) OVER (ORDER BY seq) AS seq_before
    FROM access.audit_event AS event
    WHERE seq BETWEEN $1::bigint - 1 AND $2),
judged AS (
    SELECT seq, hash,
           hash = computed AND CASE
               WHEN seq_before IS NOT NULL THEN seq = seq_before + 1 AND prev_hash = hash_before
               WHEN seq = 1 THEN prev_hash = repeat('0', 64)
               ELSE seq = (SELECT min(seq) FROM access.audit_event) END AS sound
    FROM linked
    WHERE seq >= $1)
SELECT coalesce(bool_and(sound), true) AS ok, count(*) AS checked, min(seq) AS first_seq, max(seq) AS last_seq,
       (SELECT hash FROM judged ORDER BY seq DESC LIMIT 1) AS head_hash,
       min(seq) FILTER (WHERE NOT sound) AS broken_at
FROM judged
"""


async def verify(connection: Connection, from_seq: int, to_seq: int) -> Verdict:
    """Compute the hashes of a part of the chain anew and compare them."""
    return Verdict(**await connection.fetchrow(_VERIFY, from_seq, to_seq))
