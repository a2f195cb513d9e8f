"""SQL for announcing opt-outs to senders. `core/webhooks` stores the webhooks themselves."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.jobs.declaration import Subject
from balcao.core.jobs.worker import enqueue_sql
from balcao.core.values.cpf import Cpf

ANNOUNCE_JOB, DELIVER_JOB = "registry.announce_opt_out", "registry.deliver_opt_out"


def announce_sql(entries: str) -> str:
    """Return CTEs that enqueue a job for each opt-out, for use in the statement that writes the entries.

    `entries` is a relation with the `id` of each entry that withdraws consent. Nothing is enqueued if no webhook is
    active.
    """
    return enqueue_sql(
        f"'{ANNOUNCE_JOB}'",
        """convert_to(format('{"entry":"%s"}', withdrawn.id), 'UTF8')""",
        "interval '0'",
        f"{entries} AS withdrawn WHERE EXISTS (SELECT FROM registry.opt_out_webhook WHERE active)",
    )


class Withdrawn(msgspec.Struct, frozen=True):
    """An entry in the ledger or, with `number_hash`, in the phone book that withdraws consent.

    `category` is None if all categories are refused. `numbers` are the person's numbers that had consent.
    """

    scope: str
    category: str | None
    cpf: Cpf | None
    number_hash: bytes | None
    numbers: list[str]
    at: datetime


@statement("""
SELECT CASE scope WHEN 'global' THEN 'all' ELSE 'category' END AS scope, category, cpf, NULL::bytea AS number_hash,
       ARRAY(
           SELECT number FROM registry.phone_book AS held WHERE held.cpf = entry.cpf AND opt_in ORDER BY number
       ) AS numbers, timestamp AS at
FROM registry.preference_ledger AS entry WHERE id = :id::text::uuid
UNION ALL
SELECT 'phone', NULL, NULL, number_hash, '{}', at FROM registry.phone_book_entry WHERE id = :id::text::uuid
""")
async def read_withdrawn(connection: Connection, id: str) -> Withdrawn | None: ...


# If the job runs again, it finds this row and enqueues nothing.
_JOBS = enqueue_sql(
    ":job",
    """convert_to(format('{"webhook":"%s","opt_out":%s}', webhook.id, told.number), 'UTF8')""",
    "interval '0'",
    """told CROSS JOIN registry.opt_out_webhook AS webhook
    WHERE webhook.active
      AND (webhook.categories = '{}' OR told.category_id IS NULL OR told.category_id = ANY (webhook.categories))""",
)


@statement(f"""
WITH told AS (
    INSERT INTO registry.opt_out (source, scope, category_id, recipients, at)
    VALUES (:source::text::uuid, :withdrawn.scope, :withdrawn.category, :recipients, :withdrawn.at)
    ON CONFLICT (source) DO NOTHING RETURNING number, category_id
), {_JOBS}
SELECT count(*) FROM queued
""")
async def announce(
    connection: Connection, source: str, withdrawn: Withdrawn, recipients: Sequence[str], job: str = DELIVER_JOB
) -> None:
    """Store the opt-out, and enqueue a message for each active webhook that receives this category."""


class StoredOptOut(msgspec.Struct, frozen=True):
    """An opt-out for which messages were enqueued."""

    number: int
    scope: str
    category: str | None
    recipients: list[str]
    at: datetime


@statement("""
SELECT number, scope, category_id AS category, recipients, at FROM registry.opt_out WHERE number = :number
""")
async def read_opt_out(connection: Connection, number: int) -> StoredOptOut | None: ...


@statement("SELECT count(*) FROM registry.opt_out")
async def count_opt_outs(connection: Connection) -> int: ...


@statement("DELETE FROM registry.opt_out WHERE announced_at <= now() - :age::interval")
async def delete_old_opt_outs(connection: Connection, age: timedelta) -> int: ...


@statement("""
SELECT id::text, cpf, '{opt_in}'::text[] AS fields FROM (
    SELECT id, cpf FROM registry.preference_ledger UNION ALL SELECT id, cpf FROM registry.phone_book_entry
) AS entry WHERE id = ANY (:ids::text[]::uuid[]) AND cpf IS NOT NULL
""")
async def find_subjects(connection: Connection, ids: Sequence[str]) -> Mapping[str, Subject]:
    """Return the person whom each entry concerns, by the entry's id."""


@statement("""
SELECT id::text FROM registry.preference_ledger WHERE cpf = :cpf
UNION ALL SELECT id::text FROM registry.phone_book_entry WHERE cpf = :cpf
""")
async def list_entry_ids(connection: Connection, cpf: Cpf) -> list[str]:
    """Return the ids of a person's entries, so that dead-lettered jobs can be searched by person."""
