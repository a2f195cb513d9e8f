"""SQL of an own write: one statement for the change, the outbox, the job and the audit events."""

from datetime import timedelta

from balcao.core.context.audit import record_sql
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.jobs.worker import NewJob, enqueue_sql, withdraw_sql
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror.fields import FIRST_DELAY
from balcao.registry.mirror.records import Written
from balcao.registry.mirror.store import OWN_STAYS
from balcao.registry.mirror.writes import OwnWrite


# A change by the citizen or on their behalf, what is to be sent to the CRM for it, and its audit event.
#
# Everything depends on `locked`, so the mirror is locked before anything else is, as by everybody who changes it. The
# rest of the statement sees what was committed before it began, perhaps before it waited for the lock: therefore rows
# of the person are written by ON CONFLICT DO UPDATE, which finds those that came meanwhile, and a wording is only
# removed where `expected` has made sure that none came.
#
# A phone is written with the verification that proves it, which is used up by it: locked after the mirror, as by an
# anonymisation.
#
# One job sends all that is marked. Where there is none, or it will not send it any more, a new one takes over; the
# row's new id tells the job before, should it run yet, that there is nothing left for it.
@statement(f"""
WITH mirror AS MATERIALIZED (
    SELECT * FROM registry.hold_mirror(:cpf, :concerned, :expected)
), locked AS MATERIALIZED (
    SELECT * FROM mirror
    WHERE :verification::text IS NULL OR registry.use_phone_verification(:cpf, :verification::text::uuid)
), merged AS (
    INSERT INTO registry.register (cpf, field, value, at, origin)
    SELECT :cpf, offered.key, offered.value, locked.moment, :origin
    FROM locked, jsonb_each(:values::jsonb) AS offered
    {OWN_STAYS}
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
    """Write the change with all that goes with it; `expected` is the version of the mirror that was read, None any."""
