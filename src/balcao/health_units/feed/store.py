"""SQL of the change feed."""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from balcao.core.database.pool import Connection, Row, json_text
from balcao.core.jobs.worker import enqueue_sql
from balcao.core.values.cnes import Cnes

# The counter's row lock is held until the commit, so numbers appear in their order; NOTIFY goes out with the commit. In
# the same statement the webhooks that want the unit get their jobs.
_JOBS = enqueue_sql(
    "$5",
    """convert_to(format('{"webhook":"%s","sequencia":%s}', webhooks.id, entry.sequencia), 'UTF8')""",
    "interval '0'",
    """entry CROSS JOIN health_units.webhooks
    WHERE webhooks.ativo AND (webhooks.unidades = '{}' OR entry.cnes = ANY(webhooks.unidades))""",
)
_APPEND = f"""
WITH counter AS (
    UPDATE health_units.feed_counter SET last = last + cardinality($2::text[]), em = greatest(em, now())
    RETURNING last - cardinality($2::text[]) AS before, em
), entry AS (
    INSERT INTO health_units.change_feed (sequencia, tipo, cnes, em, dados)
    SELECT before + number, $1, cnes, em, dados::jsonb
    FROM counter, unnest($2::text[], $3::text[]) WITH ORDINALITY AS change (cnes, dados, number)
    RETURNING sequencia, cnes
), {_JOBS}
SELECT pg_notify($4, max(sequencia)::text) FROM entry
"""


async def append_changes(
    connection: Connection, channel: str, job: str, tipo: str, changes: Sequence[tuple[Cnes, Any]]
) -> None:
    """Append an entry as of now for each unit, in this order, with what is told of it.

    To be called last in a transaction: everybody else who writes waits for its end.
    """
    codes, told = [cnes.digits for cnes, _ in changes], [json_text(dados) for _, dados in changes]
    await connection.execute(_APPEND, tipo, codes, told, channel, job)


async def read_zone(connection: Connection) -> str:
    """Return the name of the connection's time zone."""
    return str(await connection.fetchval("SHOW timezone"))


_LIST = """
SELECT sequencia, tipo, cnes, dados FROM health_units.change_feed
WHERE sequencia > $1 AND sequencia <= $2 AND ($3::text[] IS NULL OR cnes = ANY($3))
ORDER BY sequencia LIMIT $4
"""


async def list_changes(connection: Connection, after: int, up_to: int, codes: Collection[str], limit: int) -> list[Row]:
    """Return entries with numbers beyond `after`, of these units or, where none is named, of all."""
    return list(await connection.fetch(_LIST, after, up_to, list(codes) or None, limit))


_READ = "SELECT sequencia, tipo, cnes, em, dados FROM health_units.change_feed WHERE sequencia = $1"


async def read_change(connection: Connection, sequence: int) -> Row | None:
    return await connection.fetchrow(_READ, sequence)


class Kept(NamedTuple):
    """The first and the last number of what is kept; `first` is beyond `last` when nothing is."""

    first: int
    last: int


_KEPT = """
SELECT last, coalesce((SELECT min(sequencia) FROM health_units.change_feed), last + 1) AS first
FROM health_units.feed_counter
"""


async def read_kept(connection: Connection) -> Kept:
    """Return which changes a listener can be told."""
    row = await connection.fetchrow(_KEPT)
    assert row is not None
    return Kept(row["first"], row["last"])


# From the beginning of the feed only: a listener is told everything from its number on, or to read again.
_FORGET = """
WITH gone AS (
    DELETE FROM health_units.change_feed
    WHERE sequencia <= (SELECT max(sequencia) FROM health_units.change_feed WHERE em < now() - $1::interval)
    RETURNING 1
)
SELECT (SELECT count(*) FROM health_units.change_feed) AS checked, (SELECT count(*) FROM gone) AS removed
"""


async def forget(connection: Connection, kept_for: timedelta) -> tuple[int, int]:
    """Delete what is older; return how many entries there were, and how many of them are gone."""
    row = await connection.fetchrow(_FORGET, kept_for)
    assert row is not None
    return row["checked"], row["removed"]
