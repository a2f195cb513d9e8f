"""The retention of the platform's own data, such as the audit trail, the job log and idempotent responses."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from balcao.core.access import sessions
from balcao.core.audit.personal_data import Cleared, PersonalData
from balcao.core.audit.retention import OldRows, Retention, RetentionCount
from balcao.core.context import idempotency, tickets
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.errors import Conflict, NotFound
from balcao.core.jobs import dead_letters, queue
from balcao.core.jobs.queue import JobFilters
from balcao.core.live import call_log, incidents, response_counts
from balcao.core.values.cpf import Cpf

# The number of monthly partitions of the audit trail that are created in advance.
MONTHS_AHEAD = 24
JOB_LOG = timedelta(days=90)
DEAD_LETTERS = timedelta(days=90)


@statement("SELECT count(*) FROM platform.audit_event")
async def _count_events(connection: Connection) -> int: ...


@statement("SELECT platform.prepare_audit_months(:ahead)")
async def _prepare_months(connection: Connection, ahead: int) -> None: ...


@statement("SELECT platform.drop_audit_months(now() - :age::interval)")
async def _drop_months(connection: Connection, age: timedelta) -> int: ...


async def drop_audit_months(call: Call, connection: Connection) -> RetentionCount:
    """Drop the audit trail's partitions whose retention has ended, and create the partitions for the coming months."""
    checked = await _count_events(connection)
    await _prepare_months(connection, MONTHS_AHEAD)
    age = timedelta(days=call.platform.settings.audit_retention_days)
    return RetentionCount(checked, await _drop_months(connection, age))


@statement("SELECT count(*) FROM platform.idempotent_answer")
async def _count_responses(connection: Connection) -> int: ...


async def end_dead_letters(call: Call, connection: Connection) -> RetentionCount:
    """Drop the dead-lettered jobs that no operator handled in time, in the same way as an operator drops a job."""
    checked = await queue.count_matching_jobs(connection, JobFilters(dead_letters.DEAD))
    ended = [
        await _try_to_end(call, connection, number)
        for number in await queue.list_jobs_dead_for(connection, DEAD_LETTERS)
    ]
    return RetentionCount(checked, sum(ended))


async def _try_to_end(call: Call, connection: Connection, number: int) -> bool:
    """Drop the job unless an operator has handled it first. Return whether it was dropped."""
    try:
        async with connection.transaction():
            await dead_letters.drop_dead_job_within(connection, call, number)
    except (Conflict, NotFound):
        return False
    return True


async def delete_old_counts(_: Call, connection: Connection) -> RetentionCount:
    """Delete expired response counts. Five-minute counts and daily counts have separate retention periods."""
    checked = [await response_counts.count_rows(connection, span) for span in response_counts.RETENTION_PERIOD]
    removed = [
        await response_counts.delete_old_counts(connection, span, age)
        for span, age in response_counts.RETENTION_PERIOD.items()
    ]
    return RetentionCount(sum(checked), sum(removed))


RETENTION = (
    Retention("audit_event", drop_audit_months),
    OldRows("job_log", queue.count_log_entries, queue.delete_log_entries, JOB_LOG),
    OldRows("idempotent_answer", _count_responses, idempotency.forget_old),
    Retention("dead_letter", end_dead_letters),
    OldRows("ended_session", sessions.count_endings, sessions.delete_expired_endings),
    OldRows("access_ticket", tickets.count_tickets, tickets.delete_expired_tickets),
    Retention("response_count", delete_old_counts),
    OldRows("call", call_log.count_calls, call_log.delete_old_calls, call_log.RETENTION_PERIOD),
    OldRows("incident", incidents.count_incidents, incidents.delete_old_incidents, incidents.RETENTION_PERIOD),
)


@statement("SELECT greatest(:at, clock_timestamp())")
async def _find_latest(connection: Connection, at: datetime) -> datetime: ...


async def erase_answers(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
    """Erase the person's responses up to now. Even a response that is newer than the event may contain older data."""
    count = await idempotency.forget_person(connection, cpf, await _find_latest(connection, at))
    return [Cleared("repeatable_answers", count, ["answer"])]


PERSONAL_DATA = (
    PersonalData("repeatable_answers", erase=erase_answers, by_event=True, tables=("platform.idempotent_answer",)),
)
