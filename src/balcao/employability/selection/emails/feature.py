"""E-mails to candidates."""

from datetime import timedelta

from balcao.core.audit.retention import Retention, RetentionCount
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.feature import Feature
from balcao.core.jobs import queue
from balcao.core.jobs.declaration import DeadJobs
from balcao.employability.selection.emails import store
from balcao.employability.selection.emails.jobs import KINDS
from balcao.employability.selection.emails.kinds import JOB


async def delete_log(call: Call, connection: Connection) -> RetentionCount:
    """Delete old entries for these e-mails from the job log."""
    age = timedelta(days=call.platform.settings.jobs_mail_days)
    return RetentionCount(
        await queue.count_log_entries(connection, JOB), await queue.delete_log_entries(connection, age, JOB)
    )


RETENTION = [Retention("application_email", delete_log)]


FEATURE = Feature(
    jobs=KINDS,
    retention=RETENTION,
    dead_jobs=[DeadJobs(JOB, "application", store.find_subjects, store.list_application_ids)],
)
