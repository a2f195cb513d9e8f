"""SQL for an own write: one statement that writes the change, the outbox row, the job and the audit events."""

from datetime import timedelta

from balcao.core.context.audit import record_sql
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.jobs.worker import NewJob, enqueue_sql, withdraw_sql
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror.fields import FIRST_DELAY
from balcao.registry.mirror.records import Written
from balcao.registry.mirror.store import OWN_WRITE_WINS_SQL
from balcao.registry.mirror.writes import OwnWrite


# Lock order: every CTE reads from `locked`, so the mirror is locked first, as in all other code that changes it.
# `hold_mirror` also locks the outbox row. A phone verification is locked after both, as in an anonymisation, because
# writing the phone consumes the verification.
#
# Snapshot: the statement's snapshot may be older than the lock, because the statement may have waited for it. Rows that
# were committed meanwhile are invisible to plain reads. INSERT … ON CONFLICT DO UPDATE finds them anyway. The DELETE of
# a wording does not, so callers that remove a wording pass `expected`. The statement then writes only if nothing has
# changed.
#
# Job: one job sends all dirty fields of a citizen. If there is no such job, or it has been given up, `queued` adds a
# new one and `marked` gives the row a new id. `withdrawn` removes the old job from the queue. If that job still runs,
# it then finds no row.
@statement(f"""
WITH mirror AS MATERIALIZED (
    SELECT * FROM registry.hold_mirror(:cpf, :affected_fields, :expected)
), locked AS MATERIALIZED (
    SELECT * FROM mirror
    WHERE :verification::text IS NULL OR registry.use_phone_verification(:cpf, :verification::text::uuid)
), merged AS (
    INSERT INTO registry.register (cpf, field, value, at, origin)
    SELECT :cpf, offered.key, offered.value, locked.moment, :origin
    FROM locked, jsonb_each(:values::jsonb) AS offered
    {OWN_WRITE_WINS_SQL}
), worded AS (
    INSERT INTO registry.wording (cpf, kind, value, wire, at)
    SELECT :cpf, :wording_kind, :wording::jsonb, :wire, locked.moment FROM locked WHERE :wording::jsonb IS NOT NULL
    ON CONFLICT (cpf, kind) DO UPDATE SET value = excluded.value, wire = excluded.wire, at = excluded.at
), unworded AS (
    DELETE FROM registry.wording USING locked WHERE cpf = :cpf AND kind = :wording_kind AND :wording::jsonb IS NULL
), version AS (
    SELECT (extract(epoch FROM moment) * 1000000)::bigint AS number, job FROM locked
), {enqueue_sql(":kind", ":payload", ":delay::interval", "locked WHERE locked.job IS NULL")}
, withdrawn AS (
    {withdraw_sql("locked.lost_job", "locked")}
), marked AS (
    INSERT INTO registry.outbox AS waiting (cpf, id, dirty, version, first_change_at, job, request_id)
    SELECT :cpf, :outbox_id::text::uuid,
           (SELECT jsonb_object_agg(field, version.number) FROM jsonb_object_keys(:values::jsonb) AS field),
           version.number, clock_timestamp(), coalesce(version.job, queued.id), :request_id
    FROM version LEFT JOIN queued ON true
    ON CONFLICT (cpf) DO UPDATE SET
        dirty = waiting.dirty || excluded.dirty,
        version = excluded.version,
        request_id = excluded.request_id,
        (id, job, given_up, first_change_at, attempts_log) = (
            SELECT waiting.id, waiting.job, waiting.given_up, waiting.first_change_at, waiting.attempts_log
            WHERE waiting.job = excluded.job
            UNION ALL
            SELECT excluded.id, excluded.job, false, excluded.first_change_at, '[]'
            WHERE waiting.job <> excluded.job)
), recorded AS (
    {record_sql(":trail::jsonb", "locked")}
)
SELECT EXISTS (SELECT FROM mirror) AS is_current, EXISTS (SELECT FROM locked) AS is_written
""")
async def apply_own_write(
    connection: Connection,
    cpf: Cpf,
    write: OwnWrite,
    outbox_id: str,
    push: NewJob,
    *,
    origin: str,
    request_id: str,
    trail: str,
    expected: int | None,
    verification: str | None,
    delay: timedelta = FIRST_DELAY,
) -> Written:
    """Write the change, its outbox row, job and audit events.

    `expected` is the version of the mirror that the caller has read.
    """
