"""What the platform itself stores, and for how long: audit trail, jobs and their log, responses to repeat."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from balcao.core.access import sessions
from balcao.core.audit.personal_data import Cleared, PersonalData
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context import tickets
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, NotFound
from balcao.core.http import idempotency
from balcao.core.jobs import dead_letters, queue
from balcao.core.jobs.queue import JobFilters
from balcao.core.values.cpf import Cpf

MONTHS_AHEAD = 24
JOB_LOG = timedelta(days=90)
DEAD_LETTERS = timedelta(days=90)

_COUNT_EVENTS = "SELECT count(*) FROM platform.audit_event"
_PREPARE_MONTHS = "SELECT platform.prepare_audit_months($1)"
_DROP_MONTHS = "SELECT platform.drop_audit_months(now() - $1::interval)"


async def drop_audit_months(call: Call, connection: Connection) -> Swept:
    """Drop the months of the trail that are beyond their time, and prepare those to come."""
    checked = await connection.fetchval(_COUNT_EVENTS)
    await connection.execute(_PREPARE_MONTHS, MONTHS_AHEAD)
    age = timedelta(days=call.platform.settings.audit_retention_days)
    return Swept(checked, await connection.fetchval(_DROP_MONTHS, age))


_COUNT_ANSWERS = "SELECT count(*) FROM platform.idempotent_answer"


async def forget_answers(_: Call, connection: Connection) -> Swept:
    """Delete old responses that are stored for idempotency keys."""
    checked = await connection.fetchval(_COUNT_ANSWERS)
    return Swept(checked, await idempotency.forget_old(connection))


async def delete_job_log(_: Call, connection: Connection) -> Swept:
    """Delete old entries of the queue's log."""
    return Swept(await queue.count_log(connection), await queue.delete_log(connection, JOB_LOG))


async def end_dead_letters(call: Call, connection: Connection) -> Swept:
    """End dead-lettered jobs that nobody looked after, as if an operator had dropped them."""
    checked = await queue.count(connection, JobFilters(dead_letters.DEAD))
    ended = [
        await _try_to_end(call, connection, number) for number in await queue.list_dead_for(connection, DEAD_LETTERS)
    ]
    return Swept(checked, sum(ended))


async def _try_to_end(call: Call, connection: Connection, number: int) -> bool:
    """Return whether it could be ended: an operator may have been faster."""
    try:
        async with connection.transaction():
            await dead_letters.end(connection, call, number)
    except (Conflict, NotFound):
        return False
    return True


async def forget_ended_sessions(_: Call, connection: Connection) -> Swept:
    """Delete ended sessions whose tokens have all expired."""
    checked = await sessions.count(connection)
    return Swept(checked, await sessions.delete_expired(connection))


async def forget_tickets(_: Call, connection: Connection) -> Swept:
    """Delete one-use tickets that nobody used in time."""
    checked = await tickets.count(connection)
    return Swept(checked, await tickets.delete_expired(connection))


RETENTION = (
    Retention("audit_event", drop_audit_months),
    Retention("job_log", delete_job_log),
    Retention("idempotent_answer", forget_answers),
    Retention("dead_letter", end_dead_letters),
    Retention("ended_session", forget_ended_sessions),
    Retention("access_ticket", forget_tickets),
)

_LATEST = "SELECT greatest($1, clock_timestamp())"


async def erase_answers(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
    """Erase the person's responses until now: one that is younger than an event may still hold what is older."""
    count = await idempotency.forget_person(connection, cpf, await connection.fetchval(_LATEST, at))
    return [Cleared("repeatable_answers", count, ["answer"])]


PERSONAL_DATA = (
    PersonalData("repeatable_answers", erase=erase_answers, by_event=True, tables=("platform.idempotent_answer",)),
)
