"""How long the platform keeps what is its own: the audit trail, the log of jobs, repeatable answers."""

from datetime import timedelta

from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.http import idempotency

MONTHS_AHEAD = 24
JOB_LOG = timedelta(days=90)

_COUNT_EVENTS = "SELECT count(*) FROM platform.audit_event"
_PREPARE_MONTHS = "SELECT platform.prepare_audit_months($1)"
_DROP_MONTHS = "SELECT platform.drop_audit_months(now() - $1::interval)"


async def _audit(call: Call, connection: Connection) -> Swept:
    checked = await connection.fetchval(_COUNT_EVENTS)
    await connection.execute(_PREPARE_MONTHS, MONTHS_AHEAD)
    kept = timedelta(days=call.platform.settings.audit_retention_days)
    return Swept(checked, await connection.fetchval(_DROP_MONTHS, kept))


_COUNT_ANSWERS = "SELECT count(*) FROM platform.idempotent_answer"


async def _answers(_: Call, connection: Connection) -> Swept:
    checked = await connection.fetchval(_COUNT_ANSWERS)
    return Swept(checked, await idempotency.forget_old(connection))


_COUNT_LOG = "SELECT count(*) FROM queue.pgqueuer_log"
_DELETE_LOG = "DELETE FROM queue.pgqueuer_log WHERE created <= now() - $1::interval RETURNING true"


async def _job_log(_: Call, connection: Connection) -> Swept:
    checked = await connection.fetchval(_COUNT_LOG)
    return Swept(checked, len(await connection.fetch(_DELETE_LOG, JOB_LOG)))


RETENTION = (
    Retention("audit_event", _audit),
    Retention("job_log", _job_log),
    Retention("idempotent_answer", _answers),
)
