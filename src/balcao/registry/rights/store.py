"""SQL for the platform's audit trail: the accesses to a person's data, and searches by auditors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from balcao.core.database.pool import Connection
from balcao.core.database.queries import Conditions, fetch_page, page_sql
from balcao.core.database.statements import statement
from balcao.core.values.page import Page
from balcao.core.values.period import Period
from balcao.registry.rights.schemas import Access, AnonymisedPeople, AuditEvent, RetainedKind

# The departments of the member of staff who acted, or NULL for other actors.
_DEPARTMENTS = """(
    SELECT string_agg(DISTINCT department.nome_ua, ', ')
    FROM registry.staff_hash AS known
    JOIN registry.staff_department AS staff ON staff.cpf = known.cpf
    JOIN registry.department ON department.cd_ua = staff.cd_ua
    WHERE known.hash = event.actor_hash AND event.actor_kind = 'staff')"""

# In older events, a citizen who acted through a vehicle link was recorded as staff, so the CASE corrects them.
_KIND = """
CASE WHEN actor_hash = subject_hash THEN 'owner' WHEN "grant" = 'vehicle_link' THEN 'citizen' ELSE actor_kind END
"""

_OF_SUBJECT = """
FROM platform.audit_event AS event
WHERE subject_hash = ANY(:subject::bytea[])
  AND (:start::timestamptz IS NULL OR at >= :start) AND (:end::timestamptz IS NULL OR at < :end)
"""


# People who act on their own data appear as `self`, whatever their grant. The platform's own jobs appear as the
# platform's client.
@statement(f"""
SELECT at, action, operation, fields, {_KIND} AS actor_kind,
       CASE WHEN actor_hash = subject_hash THEN 'self' WHEN client = '' THEN :platform_client ELSE client END AS actor,
       CASE WHEN actor_hash IS DISTINCT FROM subject_hash THEN {_DEPARTMENTS} END AS department,
       "grant", reason, outcome
{_OF_SUBJECT} AND (:kinds::text[] IS NULL OR {_KIND} = ANY (:kinds))
ORDER BY at DESC, id DESC
LIMIT :limit OFFSET :offset
""")
async def select_accesses(
    connection: Connection,
    subject: Sequence[bytes],
    period: Period,
    page: Page | None,
    platform_client: str,
    kinds: Sequence[str] | None = None,
) -> list[Access]:
    """Return the accesses to a person's data by these kinds of actors, newest first.

    Return all accesses if `page` is None. `subject` contains the person's hash under each key that was ever in use.
    """


@statement(f"SELECT {_KIND} AS actor_kind, count(*) {_OF_SUBJECT} GROUP BY 1")
async def count_accesses(connection: Connection, subject: Sequence[bytes], period: Period) -> Mapping[str, int]:
    """Return the number of accesses made by each kind of actor."""


@statement("""
SELECT DISTINCT subject_hash FROM platform.audit_event
WHERE subject_hash = ANY (:subjects) AND operation = 'registry.anonymise_citizen' AND action = 'anonymise'
""")
async def list_anonymised_subjects(connection: Connection, subjects: Sequence[bytes]) -> set[bytes]:
    """Return the subjects whose anonymisation was requested on the platform, not reported by the CRM."""


@statement("SELECT now() - :span::interval")
async def fetch_time_before(connection: Connection, span: timedelta) -> datetime:
    """Return the time that lies `span` before the start of the transaction, by the database clock."""


@dataclass(frozen=True)
class AuditFilters:
    """The filters of the audit trail. None means no filter.

    `subject` and `actor` are the hashes of a person, one for each key. `logins` are the hashes of a login, one for each
    key and issuer. `has_subject` selects events about a person's data (true) or all others (false).
    """

    subject: list[bytes] | None
    actor: list[bytes] | None
    client: str | None
    operation: str | None
    logins: list[bytes] | None
    has_subject: bool | None


async def list_events_about_person(
    connection: Connection, period: Period, filters: AuditFilters, page: Page
) -> tuple[list[AuditEvent], int]:
    """Return a page of audit events, newest first, and the number of matches on all pages."""
    conditions = _match_events(period, filters)
    end = len(conditions.values)
    listing = f"""
        SELECT id::text, seq, at, request_id, operation, action, subject, encode(subject_hash, 'hex') AS subject_hash,
               actor_kind, encode(actor_hash, 'hex') AS actor_hash, actor_name,
               {_DEPARTMENTS} AS department, key_number, client, "grant", fields, reason, outcome,
               encode(prev_hash, 'hex') AS prev_hash, encode(hash, 'hex') AS hash
        FROM platform.audit_event AS event WHERE {conditions}
        ORDER BY at DESC, id DESC LIMIT ${end + 1} OFFSET ${end + 2}"""
    counting = f"SELECT count(*) FROM platform.audit_event WHERE {conditions}"
    rows, total = await fetch_page(connection, page_sql(listing, counting), *conditions.values, page.limit, page.offset)
    return [AuditEvent(**row) for row in rows], total


def _match_events(period: Period, filters: AuditFilters) -> Conditions:
    """Return conditions only for the filters that the caller set, so that each combination can use an index."""
    conditions = Conditions()
    conditions.add("at >= {}", period.start)
    conditions.add("at < {}", period.end)
    for column, hashes in (
        ("subject_hash", filters.subject),
        ("actor_hash", filters.actor),
        ("actor_hash", filters.logins),
    ):
        if hashes is not None:
            conditions.add(f"{column} = ANY ({{}}::bytea[])", hashes)
    if filters.client is not None:
        conditions.add("client = {}", filters.client)
    if filters.operation is not None:
        conditions.add("operation = {}", filters.operation)
    if filters.has_subject is not None:
        conditions.add("subject_hash IS NOT NULL" if filters.has_subject else "subject_hash IS NULL")
    return conditions


# Select, for each kind of data, the last run and the number of rows removed in the last 30 days. Omit kinds without a
# run in the last year.
@statement("""
SELECT kind, max(at) AS at, (array_agg(checked ORDER BY at DESC))[1] AS checked,
       (array_agg(removed ORDER BY at DESC))[1] AS removed,
       coalesce(sum(removed) FILTER (WHERE at >= now() - interval '30 days'), 0)::int8 AS removed_30d
FROM platform.retention_report WHERE at >= now() - interval '1 year' GROUP BY kind ORDER BY kind
""")
async def list_retained_kinds(connection: Connection) -> list[RetainedKind]: ...


@statement("""
SELECT count(*) FILTER (WHERE anonymised_at >= now() - interval '30 days') AS last_30d,
       count(*) FILTER (WHERE anonymised_at >= now() - interval '1 year') AS last_year, count(*) AS total
FROM registry.mirror_head WHERE anonymised_at IS NOT NULL
""")
async def count_anonymised_people(connection: Connection) -> AnonymisedPeople: ...
