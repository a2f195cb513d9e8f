"""SQL for the change feed."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from balcao.core.audit.retention import RetentionCount
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.jobs.worker import enqueue_sql
from balcao.core.values.cnes import Cnes
from balcao.health_units.feed.schemas import Tipo


class NewChange(NamedTuple):
    """A change of a unit, with the data to publish."""

    cnes: Cnes
    dados: Any


# Order: the UPDATE locks the counter's row until the commit, so entries become visible in the order of their numbers.
#
# Jobs: the same statement enqueues a job for each active webhook that follows the unit.
_JOBS = enqueue_sql(
    ":job",
    """convert_to(format('{"webhook":"%s","sequencia":%s}', webhooks.id, entry.sequencia), 'UTF8')""",
    "interval '0'",
    """entry CROSS JOIN health_units.webhooks
    WHERE webhooks.ativo AND (webhooks.unidades = '{}' OR entry.cnes = ANY(webhooks.unidades))""",
)


@statement(f"""
WITH counter AS (
    UPDATE health_units.feed_counter
    SET last = last + cardinality(:changes.cnes::text[]), em = greatest(em, now())
    RETURNING last - cardinality(:changes.cnes::text[]) AS before, em
), entry AS (
    INSERT INTO health_units.change_feed (sequencia, tipo, cnes, em, dados)
    SELECT before + number, :tipo, cnes, em, dados
    FROM counter, unnest(:changes.cnes::text[], :changes.dados::jsonb[])
        WITH ORDINALITY AS change (cnes, dados, number)
    RETURNING sequencia, cnes
), {_JOBS}
SELECT pg_notify(:channel, max(sequencia)::text) FROM entry
""")
async def append_changes(
    connection: Connection, channel: str, job: str, tipo: Tipo, changes: Sequence[NewChange]
) -> None:
    """Append an entry for each change, in this order, and announce the entries at the commit.

    Call this last in a transaction: every other transaction that publishes a change waits until this one ends.
    """


@statement("SHOW timezone")
async def read_time_zone(connection: Connection) -> str:
    """Return the name of the connection's time zone."""


class StoredChange(NamedTuple):
    """An entry of the feed. `dados` is JSON."""

    sequencia: int
    tipo: Tipo
    cnes: str
    dados: str


@statement("""
SELECT sequencia, tipo, cnes, dados FROM health_units.change_feed
WHERE sequencia > :after AND sequencia <= :up_to AND (:codes::text[] IS NULL OR cnes = ANY(:codes))
ORDER BY sequencia LIMIT :limit
""")
async def list_feed_changes(
    connection: Connection, after: int, up_to: int, codes: Collection[str] | None, limit: int
) -> list[StoredChange]:
    """Return at most `limit` entries of these units, from the number after `after` to `up_to`.

    None as `codes` means all units.
    """


class DatedChange(NamedTuple):
    """An entry of the feed with its time of publication."""

    em: datetime
    change: StoredChange


@statement("SELECT sequencia, tipo, cnes, em, dados FROM health_units.change_feed WHERE sequencia = :sequence")
async def read_change(connection: Connection, sequence: int) -> DatedChange | None: ...


class FeedRange(NamedTuple):
    """The numbers of the first and the last stored entry. `first` is greater than `last` if nothing is stored."""

    first: int
    last: int


@statement("""
SELECT last, coalesce((SELECT min(sequencia) FROM health_units.change_feed), last + 1) AS first
FROM health_units.feed_counter
""")
async def read_feed_range(connection: Connection) -> FeedRange:
    """Return the range of the entries that can be replayed to a listener."""


# Delete everything up to the newest expired entry, so that the remaining numbers have no gaps. A listener can then
# either get every change after its number, or must read all risks again.
@statement("""
WITH gone AS (
    DELETE FROM health_units.change_feed
    WHERE sequencia <= (SELECT max(sequencia) FROM health_units.change_feed WHERE em < now() - :retention::interval)
    RETURNING 1
)
SELECT (SELECT count(*) FROM health_units.change_feed) AS checked, (SELECT count(*) FROM gone) AS removed
""")
async def delete_old_changes(connection: Connection, retention: timedelta) -> RetentionCount:
    """Delete the entries older than `retention`."""
