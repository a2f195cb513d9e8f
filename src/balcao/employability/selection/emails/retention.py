"""How long it is known that an e-mail was sent (rules: employability 5.4)."""

from datetime import timedelta

from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.jobs import queue
from balcao.employability.selection.emails.kinds import JOB


async def delete_log(call: Call, connection: Connection) -> Swept:
    """Delete what the queue's log says of e-mails that were sent, or given up, long ago."""
    age = timedelta(days=call.platform.settings.jobs_mail_days)
    return Swept(await queue.count_log(connection, JOB), await queue.delete_log(connection, age, JOB))


RETENTION = [Retention("application_email", delete_log)]
